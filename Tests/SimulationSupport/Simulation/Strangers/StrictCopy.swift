import CallState
import RelayCore
import RollcallProtocol

/// A copy that believes nothing: every frame of the relay must fit exactly where the last one left it.
///
/// It is written without the client's rules, so that a fault in these does not hide one of the relay.
struct StrictCopy {
    private(set) var state = CallState()
    /// What came of a snapshot that is not whole yet.
    private var parts: (head: SnapshotHead, diff: Diff)?
    /// The epoch that a Delta means when it names none.
    private var epoch: UInt64 = 0
    /// The relay said that a snapshot comes first.
    private var awaitsSnapshot = false
    private(set) var joined: Joined?
    /// The call that the last Peek has shown, until it is looked at.
    private(set) var peeked: CallState?

    init(_ state: CallState = CallState()) { self.state = state }

    /// Takes a frame; gives what is wrong with it, nil is nothing.
    mutating func take(_ frame: ServerFrame) -> String? {
        switch frame {
        case .joined(let joined):
            self.joined = joined
            epoch = joined.position.epoch
            awaitsSnapshot = joined.follows == .snapshot
            if joined.follows == .nothing, state.position != joined.position {
                return "nothing follows at \(joined.position), the copy is at \(state.position)"
            }
        case .snapshot(let head):
            if parts != nil, head.request != 0 { return "an answer to a Peek inside of a snapshot" }
            if head.request != 0 {
                parts = (head, Diff())
                return nil
            }
            if head.position < state.position, head.position != .zero {
                return "a snapshot of \(head.position) for a copy at \(state.position)"
            }
            epoch = head.position.epoch
            parts = (head, Diff())
        case .part(let part): return take(part)
        case .delta(let delta): return take(delta)
        case .ping(let ping):
            guard let position = ping.position, joined != nil else { return nil }
            if position != state.position { return "a Ping at \(position), the copy is at \(state.position)" }
            if let digest = ping.digest, digest != state.digest { return "a Ping with another digest at \(position)" }
        case .ack(let ack):
            if ack.code == .ok, ack.position.epoch == state.position.epoch, ack.position > state.position {
                return "an Ack at \(ack.position) before the copy, at \(state.position), could be there"
            }
        default: break
        }
        return nil
    }

    private mutating func take(_ part: SnapshotPart) -> String? {
        guard case (let head, var diff)? = parts else { return nil }
        let shift = diff.fields.count
        diff.fields += part.records.fields
        for var record in part.records.records {
            record.fields = record.fields.lowerBound + shift..<record.fields.upperBound + shift
            diff.records.append(record)
        }
        parts = (head, diff)
        guard let end = part.end else { return nil }
        parts = nil
        if head.request != 0 { return show(diff, of: head, end) }
        do {
            try state.replace(with: diff, at: head.position)
        } catch {
            return "a snapshot that can't be: \(error)"
        }
        awaitsSnapshot = false
        if end.digest != state.digest || end.liveRecords != UInt64(state.liveRecordCount) {
            return "a snapshot of \(head.position) whose end does not fit"
        }
        return nil
    }

    /// The answer to a Peek is whole; it is not about the copy.
    private mutating func show(_ diff: Diff, of head: SnapshotHead, _ end: SnapshotEnd) -> String? {
        var shown = CallState()
        do {
            try shown.replace(with: diff, at: head.position)
        } catch {
            return "an answer to a Peek that can't be: \(error)"
        }
        if end.digest != shown.digest || end.liveRecords != UInt64(shown.liveRecordCount) {
            return "an answer to a Peek at \(head.position) whose end does not fit"
        }
        peeked = shown
        return nil
    }

    /// Takes out what a Peek has shown.
    mutating func takePeeked() -> CallState? {
        defer { peeked = nil }
        return peeked
    }

    private mutating func take(_ delta: Delta) -> String? {
        epoch = delta.toEpoch ?? epoch
        if awaitsSnapshot { return "a Delta where a snapshot was promised" }
        if parts != nil { return "a Delta inside of a snapshot" }
        let to = Position(epoch: epoch, seq: delta.toSeq)
        let from = Position(epoch: delta.fromEpoch ?? epoch, seq: delta.fromSeq ?? delta.toSeq - 1)
        let before = state.position
        do {
            try state.apply(delta.records, from: from, to: to)
        } catch {
            return "a Delta from \(from) to \(to) for a copy at \(before): \(error)"
        }
        if let digest = delta.digest, digest != state.digest { return "a Delta to \(to) with another digest" }
        return nil
    }
}
