import RollcallCalls

// Who is here since when. Whoever left before this client came is in the call logs, which the relay keeps for
// everybody.

extension ParticipantListApp {
    /// One line of the attendance sheet.
    public struct Attendance: Hashable, Sendable {
        /// Whose line it is.
        public var uid: String
        /// The display name, or the uid of somebody who gave none.
        public var name: String
        /// When the person came, in seconds since 1970 by the relay's clock.
        public var joinedAt: Int
        /// When the person left; nil while present.
        public var leftAt: Int?

        /// Minutes in the call until `now`, in seconds since 1970.
        public func minutes(until now: Int) -> Double {
            Double(max(0, (leftAt ?? now) - joinedAt)) / 60
        }
    }

    /// The attendance sheet of those who are present, in order of joining.
    public var attendance: [Attendance] { session.participants.map { Attendance($0) } }
}

extension ParticipantListApp.Attendance {
    /// The line of a participant.
    init(_ participant: Participant) {
        uid = participant.uid ?? ""
        name = participant.name ?? uid
        joinedAt = participant.joinedAt
        leftAt = participant.leftAt == 0 ? nil : participant.leftAt
    }
}
