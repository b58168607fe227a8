// What a connection costs, for Inspect. Counted where it changes, so that nobody has to look at the right moment.
extension RelayCore {
    /// The system holds `unsent` bytes for a connection, those in flight included.
    ///
    /// To be said after handing over to one that is slow. What it holds for the others goes at once.
    public mutating func holds(unsent: Int, for connection: ConnectionID) {
        guard let index = index(of: connection) else { return }
        noteHeld(index, unsent: unsent)
        if connections[index].inFlight > 0 { connections[index].unsent = unsent }
    }

    /// Bytes are about to go, or have come: the most that are held for a connection may be held now.
    mutating func noteHeld(_ index: Int, unsent: Int = 0) {
        let held = connections[index].output.byteCount + max(unsent, connections[index].inFlight)
        connections[index].heldMost = max(connections[index].heldMost, UInt32(clamping: held))
    }
}

extension Connection {
    /// Output was handed over, in the turn of that number.
    mutating func countWrite(in turn: UInt32) {
        writes += 1
        guard lastTurn != turn else { return }
        lastTurn = turn
        turns += 1
    }
}
