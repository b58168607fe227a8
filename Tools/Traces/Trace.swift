/// A real meeting as a list of events in order of time.
///
/// The format is described beside the traces. Unknown events and fields are counted and passed over, so that a later
/// format with more in it can still be read.
public struct Trace: Sendable {
    /// The longest file that is read: 256 MiB.
    public static let maximumFileBytes = 256 << 20
    /// The longest line that is read: 1 MiB.
    public static let maximumLineBytes = 1 << 20
    /// The latest time of an event: 1,000 hours, in milliseconds.
    public static let latestTime = 1000 * 3600 * 1000

    /// One line after the first.
    public struct Entry: Sendable, Hashable {
        /// The number of the line in the file, from 1; the `meta` line is 1.
        public let line: Int
        /// Milliseconds since the start.
        public let time: Int
        /// The person; empty when the event is the session's.
        public let uid: String
        /// The connection; empty when the source names none.
        public let device: String
        /// What happened.
        public let event: TraceEvent
        /// Whether the event changes nothing in a replay.
        public let isNoop: Bool
    }

    /// The file, as it was named to the reader.
    public let file: String
    /// The session's name.
    public let session: String
    /// Connections that are there when the recording begins.
    public let presentAtStart: [TraceDevice]
    /// The events, their times never going back.
    public let entries: [Entry]
    /// How often each event name occurred that this reader does not know.
    public let unknownEvents: [String: Int]
    /// How often each field occurred that this reader does not know.
    public let unknownFields: [String: Int]

    /// The time of the last event, in milliseconds; 0 without events.
    public var duration: Int { entries.last?.time ?? 0 }

    /// Whether the source says who joins.
    ///
    /// Without that, a replay joins everybody at their first event.
    public var hasJoins: Bool {
        !presentAtStart.isEmpty
            || entries.contains { entry in
                if case .join = entry.event { true } else { false }
            }
    }

    /// Whether there are speech lines, from which a relay elects the dominant speaker.
    public var hasSpeech: Bool {
        entries.contains { entry in
            if case .speech = entry.event { true } else { false }
        }
    }
}
