import CallState
import RollcallProtocol

// What a connection is told. It is a cursor, not a queue: what the call has to say is worked out when it can be
// written.
extension RelayCore {
    // MARK: Saying something to one connection

    /// The connection has output: the turn names it to the shell, unless its last output is still on the way.
    mutating func hasOutput(_ index: Int) {
        guard !connections[index].isListed else { return }
        connections[index].isListed = true
        turn.outputs.append(index)
    }

    /// Appends a frame for one connection: after the frames of its call, if it gets any.
    ///
    /// Gives its length in bytes.
    @discardableResult
    mutating func send(_ frame: ServerFrame, on index: Int) -> Int {
        append(on: index) { frame.encode(into: &$0) }
    }

    private mutating func append(on index: Int, _ encode: (inout [UInt8]) -> Void) -> Int {
        hasOutput(index)
        guard connections[index].isReader else { return connections[index].output.lead(encode) }
        let before = connections[index].output.trailing.count
        encode(&connections[index].output.trailing)
        return connections[index].output.trailing.count - before
    }

    /// The answer to a command: in the order of the commands, and not before what it tells is kept.
    mutating func acknowledge(_ ack: Ack, on index: Int) {
        let call = call(of: index)
        let needs = ack.code == .store ? 0 : needs(of: call)
        guard let call, needs > 0 || !connections[index].output.held.isEmpty else {
            return answer(on: index) { ServerFrame.encode(ack, into: &$0) }
        }
        guard connections[index].phase == .attached else { return }
        var bytes: [UInt8] = []
        ServerFrame.encode(ack, into: &bytes)
        hold(.trailing(bytes), needs: needs, of: call, on: index)
        count(answers: 1 + bytes.count / 1_024, on: index)
    }

    /// An answer to a request.
    ///
    /// A connection that lets too many wait is not read, and ended if it goes on all the same.
    mutating func answer(_ frame: ServerFrame, on index: Int) {
        answer(on: index) { frame.encode(into: &$0) }
    }

    private mutating func answer(on index: Int, _ encode: (inout [UInt8]) -> Void) {
        guard connections[index].phase == .greeted || connections[index].phase == .attached else { return }
        // A long answer counts for several, so that the memory of a connection is bounded too.
        count(answers: 1 + append(on: index, encode) / 1_024, on: index)
    }

    /// Counts answers that wait.
    mutating func count(answers: Int, on index: Int) {
        connections[index].output.answers += answers
        let waiting = connections[index].output.answers
        if waiting >= configuration.maximumUnsentAnswers { pauseReading(index) }
        if waiting >= configuration.maximumUnsentAnswers * Self.toleratedExcess {
            let text = "\(waiting) answers are waiting to be read: at most \(configuration.maximumUnsentAnswers) may"
            fail(index, Refusal(code: .limit, text: text))
        }
    }

    /// What was read before the shell stopped reading is answered, up to so many times the limit.
    static let toleratedExcess = 8

    /// Whether an answer that costs memory can be given now.
    func canAnswer(_ index: Int) -> Bool {
        connections[index].output.answers < configuration.maximumUnsentAnswers
    }

    /// The connection gets no more frames of its call.
    ///
    /// `isHeard`: something will still be written to it. Before it is told anything else it gets the frames that the
    /// answers which wait for it refer to.
    mutating func detach(_ index: Int, isHeard: Bool) {
        guard let reader = connections[index].reader, let call = call(of: index) else { return }
        let bridge = isHeard && connections[index].output.answers > 0 ? bridgeToHead(index, of: call) : nil
        let needs = needs(of: call)
        if isHeard, needs > 0 {
            connections[index].output.holdAll(needs: needs, bridge: bridge)
            if !connections[index].output.held.isEmpty, !connections[index].isHolding {
                connections[index].isHolding = true
                calls[call]!.holding.append(name(index))
            }
        } else {
            if let bridge { lead(bridge, needs: 0, of: call, on: index) }
            let trailing = connections[index].output.trailing
            if !trailing.isEmpty { connections[index].output.lead { $0 += trailing } }
        }
        connections[index].output.trailing = []
        connections[index].output.isPingDue = false
        connections[index].reader = nil
        let last = calls[call]!.readers.removeLast()
        if last != index {
            calls[call]!.readers[reader] = last
            connections[last].reader = reader
        }
        if case .device = connections[index].role {} else { calls[call]!.observers -= 1 }
        emptied(call)
    }

    /// What takes one receiver from the position that it will have to the call as it is: a difference, else a snapshot; nil
    /// is nothing.
    private mutating func bridgeToHead(_ index: Int, of call: Int) -> Output.Piece? {
        if connections[index].output.holdsSnapshot { return nil }
        let head = calls[call]!.state.position
        var cursor = connections[index].cursor
        for place in connections[index].output.pieces.indices {
            guard case .snapshot(var pending) = connections[index].output.pieces[place], pending.request == 0 else {
                continue
            }
            // One that has not begun shows the head, since its receiver gets no frames after it. It is made now, unless it
            // waits for the store anyway: the call may be gone before it is handed over, and the answers not.
            // Not kept for others: in the middle of a turn it shows what no frame begins or ends with.
            guard pending.encoded != nil || calls[call]!.held.isEmpty else { return nil }
            var encoder = SnapshotEncoder()
            let encoded = pending.encoded ?? encoder.encode(calls[call]!.state)
            pending.encoded = encoded
            connections[index].output.pieces[place] = .snapshot(pending)
            cursor = encoded.position
        }
        if cursor == head { return nil }
        var bytes: [UInt8] = []
        if let reason = encodeDifference(of: call, from: cursor, asItIs: true, into: &bytes) {
            return .snapshot(PendingSnapshot(call: calls[call]!.id, reason: reason))
        }
        connections[index].cursor = head
        return .bytes(bytes)
    }

    /// Appends a Delta for one receiver from `cursor` to what is shown, or to the call `asItIs`; or nothing, and gives why
    /// a snapshot must take its place.
    private mutating func encodeDifference(
        of call: Int,
        from cursor: Position,
        asItIs: Bool = false,
        into bytes: inout [UInt8]
    ) -> SnapshotReason? {
        let isAhead = asItIs && !calls[call]!.held.isEmpty
        let head = isAhead ? calls[call]!.state.position : calls[call]!.shownPosition
        guard calls[call]!.isShared(cursor, with: head.epoch) else { return .epoch }
        let floor = isAhead ? calls[call]!.state.floor : calls[call]!.shownFloor
        guard cursor.seq >= floor else { return .belowFloor }
        let before = bytes.count
        if isAhead {
            calls[call]!.state.diff(from: cursor.seq, into: &diff)
        } else {
            calls[call]!.diffShown(from: cursor.seq, into: &diff)
        }
        let digest = isAhead ? calls[call]!.state.digest : calls[call]!.shownDigest
        ServerFrame.encodeDelta(diff, from: cursor, to: head, digest: digest, into: &bytes)
        guard bytes.count - before > configuration.maximumDelta else { return nil }
        bytes.removeSubrange(before...)
        return .lagged
    }

    // MARK: Handing over

    /// Hands the connection's waiting bytes over, one contiguous piece at a time, until none are left or the taker is
    /// full.
    ///
    /// `take` must keep what it can't send at once, and returns how many bytes it had to keep; above 0 nothing more is
    /// handed over until ``Input/drained(_:)``.
    public mutating func takeOutput(
        of connection: ConnectionID,
        at now: Now,
        into effects: inout [Effect],
        _ take: (Span<UInt8>) -> Int
    ) {
        guard let index = index(of: connection), connections[index].inFlight == 0,
            connections[index].phase != .gone
        else { return }
        self.now.monotonic = max(self.now.monotonic, now.monotonic)
        self.now.wall = now.wall
        swap(&self.effects, &effects)
        defer { swap(&self.effects, &effects) }
        var writer = Writer(gathered: [])
        swap(&writer.gathered, &scratch)
        if !connections[index].output.isEmpty { noteHeld(index) }
        handOver(index, to: &writer, take)
        writer.flush(take)
        if writer.kept > 0 {
            isInFlight(index, writer.kept)
            noteHeld(index)
        }
        if writer.hasWritten { countWrite(index) }
        writer.gathered.removeAll(keepingCapacity: writer.gathered.capacity <= Self.keptScratch)
        swap(&writer.gathered, &scratch)
        hasHandedOver(index)
    }

    /// Scratch memory above this is given back.
    private static let keptScratch = 256 * 1024

    private mutating func handOver(_ index: Int, to writer: inout Writer, _ take: (Span<UInt8>) -> Int) {
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
        _ take: (Span<UInt8>) -> Int
    ) -> Bool {
        while let piece = connections[index].output.pieces.first {
            // The last part of a snapshot may have filled the taker.
            guard writer.kept == 0 else { return false }
            switch piece {
            case .bytes(let bytes):
                guard writer.admits(bytes.count, take) else { return false }
                connections[index].output.removeFirstPiece()
                writer.write(bytes, bytes.indices, take)
            case .snapshot(var pending):
                let made = pending.encoded ?? self.index(of: pending.call).map { snapshot(for: index, pending, of: $0) }
                guard let encoded = made else {
                    // The call was freed before its snapshot was made.
                    connections[index].output.removeFirstPiece()
                    if pending.request != 0 { writer.gather(.error(Self.noSuchCall, request: pending.request)) }
                    continue
                }
                pending.encoded = encoded
                if !pending.hasBegun {
                    pending.hasBegun = true
                    let head = SnapshotHead(
                        position: encoded.position,
                        reason: pending.reason,
                        request: pending.request
                    )
                    writer.gather(.snapshot(head))
                }
                while pending.nextPart < encoded.partRanges.count {
                    let part = encoded.partRanges[pending.nextPart]
                    guard writer.admits(part.count, take) else { break }
                    writer.write(encoded.bytes, part, take)
                    pending.nextPart += 1
                }
                if pending.nextPart == encoded.partRanges.count {
                    connections[index].output.removeFirstPiece()
                    if pending.request == 0 {
                        connections[index].cursor = encoded.position
                        connections[index].acknowledged = encoded.position
                    }
                } else {
                    connections[index].output.pieces[0] = .snapshot(pending)
                    return false
                }
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
        _ take: (Span<UInt8>) -> Int
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
            writer.write(calls[call]!.ring.bytes, range, isAlone: isAlone, take)
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
        connections[index].output.trailing = []
    }

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
    private mutating func hasHandedOver(_ index: Int) {
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
        if !connections[index].output.isEmpty || isBehind(index) { hasOutput(index) }
    }

    private mutating func isBehind(_ index: Int) -> Bool {
        guard connections[index].isReader, let call = call(of: index) else { return false }
        return connections[index].cursor != calls[call]!.shownPosition
    }

    /// Closes a connection that has got its last word.
    private mutating func closeIfSaid(_ index: Int) {
        guard connections[index].phase == .closing, connections[index].inFlight == 0,
            connections[index].output.isEmpty
        else { return }
        cut(index)
    }
}
