import CallState

/// What a commit brings with it besides the frames that tell it; nearly every one brings nothing.
struct CommitNews {
    /// How many people are in now.
    var people: Int
    /// Whether it let somebody come or go, or changed something else that call logs show.
    var changesAttendance: Bool
    /// Whether a meeting has begun by it.
    var beginsMeeting: Bool
    /// Whether it has ended the meeting.
    var endsMeeting: Bool
    /// Whether the time with at most one person in is counted, or was.
    var concernsIdle: Bool
    /// Whether somebody speaks or is dominant, which it may have ended.
    var concernsSpeech: Bool
}

extension Call {
    /// Takes the time; the call's own never goes back.
    mutating func tell(_ wall: UInt64) {
        clock = max(clock, wall)
    }

    /// Notes what caused the last commit, and tells what the relay has to see to.
    ///
    /// All at once and in place, since a call is large and this is done for every commit.
    mutating func noteCommit(actor: Slot, op: UInt64) -> CommitNews {
        turn.note(actor: actor, op: op)
        let people = state.peopleCount
        return CommitNews(
            people: people,
            changesAttendance: state.lastCommitChangesAttendance,
            beginsMeeting: people > 0 && meeting.isEmpty,
            endsMeeting: people == 0 && !meeting.isEmpty,
            concernsIdle: people == 1 || idleSince != nil,
            concernsSpeech: !election.isSilent || election.dominant != nil
        )
    }
}
