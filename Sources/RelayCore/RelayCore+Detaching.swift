import CallState
import RollcallProtocol

// The end of an attachment: what it still has to be told, and in which order.
extension RelayCore {
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

    /// What takes one receiver from the position that it will have to the call as it is: a difference, else a snapshot;
    /// nil is nothing.
    private mutating func bridgeToHead(_ index: Int, of call: Int) -> Output.Piece? {
        if connections[index].output.holdsSnapshot { return nil }
        let head = calls[call]!.state.position
        var cursor = connections[index].cursor
        for place in connections[index].output.pieces.indices {
            guard case .snapshot(var pending) = connections[index].output.pieces[place], pending.request == 0 else {
                continue
            }
            // One that has not begun is made now, since its receiver gets no frames after it, unless it waits for the
            // store anyway: the call may be gone before it is handed over, and the answers not.
            guard pending.encoded != nil || calls[call]!.held.isEmpty else { return nil }
            let encoded = pending.encoded ?? partingSnapshot(of: call, notBelow: [cursor, pending.least])
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
}
