public import CallState

/// A frame from the relay.
///
/// The cases and their members mirror `rollcall.proto`, which says what each means.
public enum ServerFrame: Hashable, Sendable {
    /// Answer to hello.
    case welcome(Welcome)
    /// Answer to join.
    case joined(Joined)
    /// Begin of a snapshot.
    case snapshot(SnapshotHead)
    /// Parts 1..n of a snapshot.
    case part(SnapshotPart)
    /// The difference between two positions.
    case delta(Delta)
    /// Answer to command.
    case ack(Ack)
    /// Heartbeat.
    case ping(Ping)
    /// Information.
    case notice(code: Code, text: String)
    /// Last frame of a connection.
    case closed(Refusal)
    /// A request was refused; the connection stays. The request's number, 0 is none.
    case error(Refusal, request: UInt64)
    /// Answer to list.
    case calls(request: UInt64, [CallSummary], more: Bool)
    /// Answer to inspect.
    case connections(request: UInt64, [ConnectionInfo], more: Bool)
    /// Answer to attendance.
    case attendance(request: UInt64, AttendanceReport)
    /// A frame that this version does not know: the number of its body. A client ignores it.
    case unknown(UInt32)
}
