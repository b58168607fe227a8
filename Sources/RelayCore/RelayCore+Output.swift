import CallState
import RollcallProtocol

// What a connection is told, in its order. It is a cursor, not a queue: what the call has to say is worked out when it
// can be written.
extension RelayCore {
    /// Hands over what waits, up to where the taker is full.
    mutating func handOver(_ index: Int, to writer: inout Writer, _ take: Taker) {
        repeat {
            guard handOverPieces(index, to: &writer, take) else { return }
            guard connections[index].isReader, let call = call(of: index) else { return }
            // The answer to its Join comes before all frames of the call. A heartbeat never waits.
            guard !connections[index].output.isLeadHeld else { return handOverPing(index, to: &writer) }
            guard handOverFrames(index, of: call, to: &writer, take) else { return }
        } while !connections[index].output.pieces.isEmpty
        handOverTrailing(index, to: &writer)
    }

    /// False when the taker is full.
    private mutating func handOverPieces(
        _ index: Int,
        to writer: inout Writer,
        _ take: Taker
    ) -> Bool {
        while !connections[index].output.pieces.isEmpty {
            // The last part of a snapshot may have filled the taker.
            guard writer.kept == 0 else { return false }
            // Out of the list meanwhile: a piece that stays there is copied for each look.
            switch connections[index].output.takeFirstPiece() {
            case .bytes(let bytes):
                guard writer.admits(bytes.count, take) else {
                    connections[index].output.putBack(.bytes(bytes))
                    return false
                }
                writer.write(bytes, bytes.indices, take)
            case .snapshot(let pending):
                guard handOver(pending, index, to: &writer, take) else { return false }
            }
        }
        return writer.kept == 0
    }

    /// Hands the frames of the call over: from the ring where it reaches back, else one difference made for this
    /// receiver, or a snapshot.
    ///
    /// False when the taker is full.
    private mutating func handOverFrames(
        _ index: Int,
        of call: Int,
        to writer: inout Writer,
        _ take: Taker
    ) -> Bool {
        let cursor = connections[index].cursor
        let head = calls[call]!.shownPosition
        guard cursor != head else { return true }
        let range = cursor.epoch == calls[call]!.ringEpoch ? calls[call]!.ring.range(from: cursor.seq) : nil
        let isBehind = isBehind(index, in: call, lacking: range?.count)
        if isBehind { fallsBehind(index, &writer) }
        if let range, !isBehind {
            let isAlone = connections[index].output.trailing.isEmpty && !connections[index].output.isPingDue
            guard writer.admits(range.count, take) else { return false }
            connections[index].cursor.seq = calls[call]!.ring.end
            writer.write(calls[call]!.ring.bytes, range, isAlone: isAlone, sharing: .resting, take)
            return writer.kept == 0
        }
        if let reason = encodeDifference(of: call, from: cursor, into: &writer.gathered) {
            needsSnapshot(index, reason)
            return true
        }
        connections[index].merged += 1
        connections[index].cursor = head
        return true
    }

    /// Appends a Delta for one receiver from `cursor` to what is shown, or to the call `asItIs`; or nothing, and gives
    /// why a snapshot must take its place.
    mutating func encodeDifference(
        of call: Int,
        from cursor: Position,
        asItIs: Bool = false,
        into bytes: inout [UInt8]
    ) -> SnapshotReason? {
        let head = calls[call]!.head(asItIs: asItIs)
        guard calls[call]!.isShared(cursor, with: head.position.epoch) else { return .epoch }
        guard cursor.seq >= head.floor else { return .belowFloor }
        let before = bytes.count
        calls[call]!.encodeDifference(from: cursor, asItIs: asItIs, into: &bytes)
        guard bytes.count - before > configuration.maximumDelta else { return nil }
        bytes.removeSubrange(before...)
        return .lagged
    }

    /// Whether a snapshot of its call waits for a receiver and has not begun: another one would show nothing newer.
    func awaitsSnapshot(_ index: Int) -> Bool {
        if connections[index].output.holdsSnapshot { return true }
        return connections[index].output.pieces.contains { piece in
            guard case .snapshot(let pending) = piece else { return false }
            return pending.request == 0 && pending.encoded == nil && pending.call == connections[index].call
        }
    }

    private mutating func needsSnapshot(_ index: Int, _ reason: SnapshotReason) {
        guard let call = connections[index].call, !awaitsSnapshot(index) else { return }
        connections[index].output.pieces.append(.snapshot(PendingSnapshot(call: call, reason: reason)))
    }

    /// Answers, the Ping and Closed, once the receiver is at the head.
    private mutating func handOverTrailing(_ index: Int, to writer: inout Writer) {
        guard connections[index].output.isPingDue || !connections[index].output.trailing.isEmpty else { return }
        guard let call = call(of: index), connections[index].cursor == calls[call]!.shownPosition else { return }
        if connections[index].output.isPingDue {
            connections[index].output.isPingDue = false
            let digest = calls[call]!.shownDigest
            let ping = ping(on: index, position: connections[index].cursor, digest: digest)
            ServerFrame.encode(ping, into: &connections[index].output.trailing)
        }
        writer.gathered += connections[index].output.trailing
        var said: [UInt8] = []
        swap(&said, &connections[index].output.trailing)
        guard spareBuffers.count < Self.keptBuffers, said.capacity <= Self.keptBuffer else { return }
        said.removeAll(keepingCapacity: true)
        spareBuffers.append(said)
    }

    /// So many buffers of answers that were said, of so many bytes at most, are kept for the next ones.
    private static let keptBuffers = 16
    private static let keptBuffer = 16 * 1024

    /// A Ping to a connection that has no answer to its Join yet: it has no position.
    private mutating func handOverPing(_ index: Int, to writer: inout Writer) {
        guard connections[index].output.isPingDue else { return }
        connections[index].output.isPingDue = false
        writer.gather(.ping(ping(on: index, position: nil)))
    }

    /// A Ping, whose answer will tell the round trip.
    mutating func ping(on index: Int, position: Position?, digest: UInt64? = nil) -> Ping {
        connections[index].pingTime = now.wall
        connections[index].pingSentAt = now.monotonic
        return Ping(position: position, time: now.wall, digest: digest)
    }

    /// After handing over: what waited has been said.
    mutating func hasHandedOver(_ index: Int) {
        guard connections[index].output.pieces.isEmpty, connections[index].output.trailing.isEmpty,
            connections[index].output.held.isEmpty
        else { return }
        connections[index].output.answers = 0
        resumeReading(index)
        limitUnsent(index)
        isAtEase(index)
        closeIfSaid(index)
    }

    /// Once all of the join has left, a slow receiver shall show soon: what the system holds for it can't be merged.
    private mutating func limitUnsent(_ index: Int) {
        guard connections[index].isReader, !connections[index].isUnsentLimited, connections[index].inFlight == 0,
            connections[index].output.isEmpty
        else { return }
        connections[index].isUnsentLimited = true
        effects.append(.limitUnsent(name(index), isBehind: false))
    }

    mutating func drained(_ index: Int) {
        noteHeld(index)
        connections[index].inFlight = 0
        limitUnsent(index)
        isAtEase(index)
        closeIfSaid(index)
        guard connections[index].phase != .gone else { return }
        if !connections[index].output.isEmpty || lacksWhatWasTold(index) { hasOutput(index) }
    }

    /// Whether a reader lacks something that does not wait for the end of a tick.
    private mutating func lacksWhatWasTold(_ index: Int) -> Bool {
        guard connections[index].isReader, let call = call(of: index) else { return false }
        let cursor = connections[index].cursor
        return cursor != calls[call]!.shownPosition && !calls[call]!.isTold(cursor)
    }

    /// Closes a connection that has got its last word.
    private mutating func closeIfSaid(_ index: Int) {
        guard connections[index].phase == .closing, connections[index].inFlight == 0,
            connections[index].output.isEmpty
        else { return }
        cut(index)
    }
}
