public import CallState
public import RollcallProtocol

/// A connection on its way to another loop: what its rules know of it.
public struct Traveller: Hashable, Sendable {
    var peer: Peer
    var clientName: ByteString
    var instance: [UInt8]
    var openedWall: UInt64
    var hasPassedGate: Bool
    var frameTokens: TokenBucket
    var readableAt: UInt64
    var nextPing: UInt64
    var pingTime: UInt64
    var pingSentAt: UInt64
    var roundTrip: UInt64
    var writes: UInt64
    var turns: UInt64
    var heldMost: UInt32
    /// What is still to be said to it, and what that counts in answers.
    var unsaid: [UInt8]
    var answers: Int
    /// What it has sent and what was not done: the frame that names a call of the other loop, and what came behind.
    var frames: [ClientFrame]
}

/// Something that one loop asks another.
public enum LoopQuestion: Hashable, Sendable {
    /// A page of its calls after a session.
    case calls(after: ByteString)
    /// A page of its connections after a number.
    case connections(after: UInt64)
    /// Call logs.
    case attendance(AttendanceQuery)
}

/// The answer to a ``LoopQuestion``.
public enum LoopAnswer: Hashable, Sendable {
    /// Calls in order; `more` says that there are others behind them.
    case calls([CallSummary], more: Bool)
    /// Connections in order; `more` says that there are others behind them.
    case connections([ConnectionInfo], more: Bool)
    /// Call logs.
    case attendance(AttendanceReport)
    /// Why there are none.
    case noAttendance(AttendanceQueryError)
}

/// Something that comes to the rules of one loop from another.
///
/// Indirect, so that what comes in from clients is no larger for it.
public indirect enum LoopInput: Hashable, Sendable {
    /// A connection was handed over, under a name of this loop.
    case arrived(ConnectionID, Traveller)
    /// Loop `from` asks; `number` is its question's.
    case asked(LoopQuestion, number: UInt64, from: Int)
    /// The answer of a loop to question `number`.
    case answered(LoopAnswer, number: UInt64)
}

/// Something that the rules of one loop want of another, or of the shell because of another.
public indirect enum LoopEffect: Hashable, Sendable {
    /// Neither read from the connection nor give more of what was read: keep that, in order.
    ///
    /// ``proceed(_:)`` or ``move(_:to:_:)`` follows, unless the connection ends.
    case suspend(ConnectionID)
    /// Give what was kept, and everything that comes.
    case proceed(ConnectionID)
    /// Hand the connection over to another loop, with everything that was read and not given:
    /// ``LoopInput/arrived(_:_:)`` there. Here it is forgotten already.
    case move(ConnectionID, to: Int, Traveller)
    /// Ask another loop: ``LoopInput/asked(_:number:from:)`` there.
    case ask(LoopQuestion, number: UInt64, loop: Int)
    /// Answer loop `to`: ``LoopInput/answered(_:number:)`` there.
    case answer(LoopAnswer, number: UInt64, to: Int)
    /// Give changes of call logs to the loop that keeps them, before anybody is told of what has changed:
    /// ``StoreAnswer/attendance(session:_:)`` there.
    case attended(session: ByteString, [TimedAttendanceChange])
}
