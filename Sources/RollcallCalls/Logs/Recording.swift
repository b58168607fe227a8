/// A recording of a meeting: when it began and ended.
///
/// Rollcall keeps that a call is recorded, and by whom. Who makes the recording keeps its file.
public struct Recording: Hashable, Sendable, Identifiable {
    /// Names the recording: the id of the meeting and the number of the recording in it, from 1.
    public let rid: String
    /// Where its file is; empty, since a relay has none.
    public let recordingURL: String
    /// Who started it.
    public let startedBy: String
    /// When it began, in seconds since 1970 by the relay's clock.
    public let startTime: Int
    /// When it ended, in seconds since 1970 by the relay's clock; 0 while it runs.
    public let endTime: Int
    /// Its length in seconds, until now while it runs.
    public let duration: Double

    /// The ``rid``.
    public var id: String { rid }
}
