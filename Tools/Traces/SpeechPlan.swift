/// The speech of a trace and the dominant speakers that its rule makes of it, to test an election.
///
/// What is in effect, as it reproduces every derived line of the traces exactly (each point marked * was varied, and
/// some trace then differs):
///
/// - Everybody is unmuted; only `speechStarted` and `speechStopped` are inputs; times are whole milliseconds.
/// - All inputs of one millisecond take effect, then there is one evaluation*; a due timer is evaluated after the
///   inputs of its millisecond*. Whoever falls silent in the very millisecond in which they would qualify does not.
/// - An evaluation changes nothing while the dominant speaker speaks.
/// - Else those qualify who have been speaking for 0.5 s or more* (the bound belongs to it: at just 500 ms they do).
///   It does not matter whether the dominant one was speaking meanwhile: when that one falls silent, somebody who has
///   been speaking for long takes over in the same millisecond.
/// - Of them the one who began first takes over*; of those who began in the same millisecond the one who joined
///   first* (the traces' people join at their first line of any kind, before its speech).
/// - The first dominant speaker needs the 0.5 s as well*.
/// - The dominant one stays in silence, and keeps the place when they speak again before another qualifies.
/// - No source reports a person as speaking twice without a silence between (segments of one speaker were merged), and
///   none stops and starts in one millisecond: whether a repeated "on" begins anew is not decided by the traces.
/// - The limit of 4 changes in any second is never reached (the most is 3).
public struct SpeechPlan: Sendable {
    /// One report of one person.
    public struct Report: Hashable, Sendable {
        /// Milliseconds since the start.
        public let time: Int
        /// The person's place in ``SpeechPlan/people``.
        public let person: Int
        /// Whether the person speaks from now on.
        public let speaks: Bool
    }

    /// One change of the dominant speaker.
    public struct Change: Hashable, Sendable, CustomStringConvertible {
        /// Milliseconds since the start.
        public let time: Int
        /// The person's place in ``SpeechPlan/people``.
        public let person: Int

        /// Creates a change.
        public init(time: Int, person: Int) {
            self.time = time
            self.person = person
        }

        /// The form `#person at ms`.
        public var description: String { "#\(person) at \(time) ms" }
    }

    /// The people, in order of joining, each with the device that speaks first.
    public let people: [TraceDevice]
    /// The reports, their times never going back.
    public let reports: [Report]
    /// The derived `dominantSpeaker` lines of the trace.
    public let expected: [Change]

    /// The speech of a trace; nil when it has none.
    ///
    /// A person with several devices speaks as one.
    public init?(_ trace: Trace) {
        var people: [TraceDevice] = []
        var places: [String: Int] = [:]
        var reports: [Report] = []
        var expected: [Change] = []
        for entry in trace.entries where !entry.uid.isEmpty {
            let person = places[entry.uid] ?? people.count
            if person == people.count {
                places[entry.uid] = person
                people.append(TraceDevice(uid: entry.uid, device: entry.device))
            }
            switch entry.event {
            case .speech(let speaks): reports.append(Report(time: entry.time, person: person, speaks: speaks))
            case .dominantSpeaker(derived: true): expected.append(Change(time: entry.time, person: person))
            default: break
            }
        }
        if reports.isEmpty { return nil }
        self.people = people
        self.reports = reports
        self.expected = expected
    }
}
