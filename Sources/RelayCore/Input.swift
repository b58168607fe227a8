public import CallState
public import RollcallProtocol

/// Names one connection while it lives: an index into the owner's table and a generation, so that a stale name is
/// harmless.
///
/// The shell gives them; the rules keep a table with the same indices.
public struct ConnectionID: Hashable, Sendable {
    /// Place in the table.
    public var index: UInt32
    /// Counts the uses of that place.
    public var generation: UInt32

    /// The `generation`th use of place `index`.
    public init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// Both numbers in one, as `Inspect` shows it.
    public var number: UInt64 { UInt64(generation) << 32 | UInt64(index) }
}

/// The two clocks that the rules read, as parameters.
public struct Now: Hashable, Sendable {
    /// A clock that never goes back, in ms; deadlines are measured by it.
    public var monotonic: UInt64
    /// ms since 1970; what records show.
    ///
    /// It may step; the rules keep the times in a call from going back.
    public var wall: UInt64

    /// A reading of both clocks.
    public init(monotonic: UInt64, wall: UInt64) {
        self.monotonic = monotonic
        self.wall = wall
    }
}

/// Who is at the other end of a connection, as the shell knows it.
public struct Peer: Hashable, Sendable {
    /// Whether the operating system vouches that the peer runs as the relay's user or as root.
    public var isTrusted: Bool

    /// A peer.
    public init(isTrusted: Bool) {
        self.isTrusted = isTrusted
    }
}

/// Something that happened, for the relay's rules.
///
/// Every input is legal at any time.
public enum Input: Hashable, Sendable {
    /// A connection was accepted.
    case opened(ConnectionID, Peer)
    /// Bytes came that end no frame: a sign of life.
    case heard(ConnectionID)
    /// A whole frame came.
    case received(ConnectionID, ClientFrame)
    /// Bytes came that are no legal frame or preface; the connection can't be read any further.
    case malformed(ConnectionID, WireError)
    /// The connection is gone: end of stream, an error, or the shell closed it.
    case closed(ConnectionID)
    /// Everything that was handed over for the connection has been taken by the kernel.
    case drained(ConnectionID)
    /// Of what was handed over, so many bytes have not left yet: the answer to ``Effect/reportProgress(_:)``.
    case progress(ConnectionID, unsent: Int)
    /// What the store says, in the order in which it does; answers to ``Effect/claim(session:)`` and
    /// ``Effect/append(_:)`` come at once or later.
    case store(StoreAnswer)
    /// Nothing but that time has passed.
    case tick
    /// Something from another loop of the relay.
    case loop(LoopInput)
    /// The relay shall stop: no more joins, tell everybody to come back after so many ms.
    case stopping(resumeAfter: UInt64)
}

/// Something that the shell shall do.
///
/// Effects are done in their order.
public enum Effect: Hashable, Sendable {
    /// Do not read from the connection until ``resumeReading(_:)``.
    case pauseReading(ConnectionID)
    /// Read again.
    case resumeReading(ConnectionID)
    /// Close the connection now; ``Input/closed(_:)`` follows.
    case close(ConnectionID)
    /// Tell how much of the connection's output has not left: ``Input/progress(_:unsent:)``.
    case reportProgress(ConnectionID)
    /// Let the system keep only little that has not left of the connection's output from now on: the join's last part
    /// is out, and what is handed over later is newer when it is made later.
    ///
    /// Very little for who is behind.
    case limitUnsent(ConnectionID, isBehind: Bool)
    /// Ask the store for the call: ``StoreAnswer/claimed(session:_:)``, at once or later.
    case claim(session: ByteString)
    /// Have the store keep what has changed: ``StoreAnswer/kept(session:seq:)`` or
    /// ``StoreAnswer/unavailable(session:reason:)``, later.
    ///
    /// Of each call one is on its way at most. None with ``RelayConfiguration/Durability/none``.
    case append(CallBatch)
    /// The call is empty and was freed; of what the store keeps only attendance is needed any more.
    case release(session: ByteString)
    /// Something that concerns another loop of the relay.
    case loop(LoopEffect)
    /// Something that the log should have.
    case log(LogEvent)
    /// After ``Input/stopping(resumeAfter:)``: every connection has been told and is closed. Of `unkept` calls the
    /// store does not have everything.
    case stopped(unkept: Int)
}
