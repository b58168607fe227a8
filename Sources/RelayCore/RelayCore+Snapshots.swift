import CallState
import RollcallProtocol

// Handing a snapshot over: its own head, the parts that all share, and what has changed since they were encoded.
extension RelayCore {
    /// So many bytes of a snapshot are handed over at once.
    ///
    /// Not all of a long one: whoever reads begins with the first bytes while the others are still being copied, and
    /// what is copied is still in the cache when it is read. And not fewer: each write costs as much as some KiB.
    private static let snapshotRun = 128 * 1024

    /// Hands over what is left of a snapshot.
    ///
    /// False when the taker is full before its end; it waits as the first piece then.
    mutating func handOver(
        _ snapshot: PendingSnapshot,
        _ index: Int,
        to writer: inout Writer,
        _ take: Taker
    ) -> Bool {
        var pending = snapshot
        let made = pending.encoded ?? self.index(of: pending.call).map { self.snapshot(for: index, pending, of: $0) }
        guard let encoded = made else {
            // The call was freed before its snapshot was made.
            if pending.request != 0 { writer.gather(.error(Self.noSuchCall, request: pending.request)) }
            return true
        }
        pending.encoded = encoded
        let isFirst = !pending.hasBegun
        if isFirst {
            pending.hasBegun = true
            let head = SnapshotHead(position: encoded.position, reason: pending.reason, request: pending.request)
            writer.gather(.snapshot(head))
        }
        var reached = encoded.position
        while pending.offset < encoded.bytes.count {
            let run = pending.offset..<min(encoded.bytes.count, pending.offset + Self.snapshotRun)
            guard writer.admitsLarge(run.count, take) else { break }
            // Not for one who takes it a little at a time: all changes behind it would be kept besides.
            let isWhole = isFirst && run.upperBound == encoded.bytes.count
            let behind = isWhole ? framesBehind(pending, at: encoded.position, for: index) : Self.noFrames(at: reached)
            let left = writer.writeLeaving(encoded.bytes, run, following: behind.log, behind.frames, take)
            pending.offset = run.upperBound - left
            if left == 0 { reached.seq = behind.end }
        }
        guard pending.offset == encoded.bytes.count else {
            connections[index].output.putBack(.snapshot(pending))
            return false
        }
        if pending.request == 0 {
            connections[index].cursor = reached
            // Lower than that is safe, and what it says itself comes soon.
            connections[index].acknowledged = encoded.position
        }
        return true
    }

    /// The frames of its call that a receiver lacks once it has a snapshot, as a part of the call's log, and the seq
    /// that they lead to: they go with its last bytes, in one write.
    ///
    /// None when something comes between, or they are many.
    ///
    /// `mutating`, since the relay is then read where it is.
    private mutating func framesBehind(
        _ snapshot: PendingSnapshot,
        at position: Position,
        for index: Int
    ) -> FramesBehind {
        guard snapshot.request == 0, connections[index].isReader,
            // One that may be behind is told so first.
            !connections[index].isUnsentLimited, connections[index].output.pieces.isEmpty,
            !connections[index].output.isLeadHeld, let call = call(of: index), self.index(of: snapshot.call) == call,
            calls[call]!.ringEpoch == position.epoch, let frames = calls[call]!.ring.range(from: position.seq),
            frames.count <= Writer.smallPiece
        else { return Self.noFrames(at: position) }
        return (calls[call]!.ring.bytes, frames, calls[call]!.ring.end)
    }

    private typealias FramesBehind = (log: [UInt8], frames: Range<Int>, end: UInt64)

    private static func noFrames(at position: Position) -> FramesBehind { ([], 0..<0, position.seq) }
}
