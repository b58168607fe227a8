package import CallState

// What a simulation looks at to judge the rules. Nothing here changes anything.
extension RelayCore {
    /// Lets `body` look at the running state of a call; nil when there is none.
    package func withState<Result>(of session: ByteString, _ body: (CallState) -> Result) -> Result? {
        guard let call = callBySession[session], let state = calls[call]?.state else { return nil }
        return body(state)
    }

    /// The devices of a call that have a current attachment, with its connection, ascending by slot.
    package func attachedDevices(of session: ByteString) -> [(device: Slot, connection: ConnectionID)] {
        guard let call = callBySession[session], let records = calls[call]?.records else { return [] }
        return records.compactMap { device, record in record.connection.map { (device, $0) } }
            .sorted { $0.device < $1.device }
    }

    /// Whether a device was brought in by somebody who acts for others.
    package func isBrought(_ device: Slot, in session: ByteString) -> Bool {
        guard let call = callBySession[session] else { return false }
        return calls[call]?.records[device]?.broughtBy != nil
    }

    /// Bytes that a connection makes the relay hold for it alone, with what waits for the store.
    package func heldBytes(of connection: ConnectionID) -> Int {
        index(of: connection).map { connections[$0].output.byteCount } ?? 0
    }

    /// Snapshots that wait for a connection, the one that it is given with them.
    package func waitingSnapshots(of connection: ConnectionID) -> Int {
        index(of: connection).map { connections[$0].output.snapshotCount } ?? 0
    }

    /// Whether something of a call waits for the end of a tick.
    package func hasGathered(_ session: ByteString) -> Bool {
        guard let call = callBySession[session] else { return false }
        return calls[call]?.hasGathered == true
    }

    /// How many connections live.
    package var livingConnections: Int { connectionCount }
}
