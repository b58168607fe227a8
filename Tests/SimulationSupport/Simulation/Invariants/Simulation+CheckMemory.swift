import RelayCore

extension Simulation {
    /// What the relay may hold for one connection alone, in bytes.
    static let mostHeld = 256 * 1024

    /// How many snapshots may wait for one connection: its own, and the answers to Peeks as far as answers may wait.
    static let mostSnapshots = 128

    /// The relay holds little for each connection.
    mutating func checkMemory() {
        for link in active {
            guard let connection = links[link].connection else { continue }
            let held = relay.heldBytes(of: connection) + links[link].unsent.count
            if held > Self.mostHeld + settings.relay.maximumDelta {
                return fail(.boundedMemory, "\(held) bytes are held for link \(link)")
            }
            let snapshots = relay.waitingSnapshots(of: connection)
            if snapshots > Self.mostSnapshots {
                return fail(.boundedMemory, "\(snapshots) snapshots wait for link \(link)")
            }
        }
        let open = active.count { links[$0].relayEnd == .open }
        if relay.livingConnections != open {
            fail(.nothingLeaks, "the relay has \(relay.livingConnections) connections, the shell \(open)")
        }
    }
}
