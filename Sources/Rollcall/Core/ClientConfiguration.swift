package import CallState
package import RollcallProtocol

/// What a ``ClientCore`` is told once; times in ms.
package struct ClientConfiguration: Sendable {
    /// Name and version of the program.
    package var clientName: ByteString = "rollcall-swift"
    /// Tells this program from others.
    package var instance: [UInt8]
    /// The first join of the client; resumes are made from it.
    ///
    /// Its attempt is where the counting begins.
    package var join: Join
    /// How long the relay may take from the connection to its answer to the join.
    package var handshakeTimeout: UInt64 = 30_000
    /// How long a leave waits for the relay's answer.
    package var leaveTimeout: UInt64 = 2_000
    /// The largest snapshot that is taken, in bytes.
    package var maximumSnapshot = SnapshotAssembly.defaultMaximum
    /// How a lost connection is made again.
    package var reconnect = ReconnectPolicy()
    /// Whether every frame is reported with the copies before and after it.
    package var isTraced = false
    /// Where the client is, for errors.
    package var place = ""

    /// A client of `instance` that joins with `join`.
    package init(instance: [UInt8], join: Join) {
        self.instance = instance
        self.join = join
    }
}
