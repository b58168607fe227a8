/// The steps that a replayer plays, in order, and an account of everything that has no step.
///
/// How a trace becomes a plan:
///
/// | in the trace | in the plan | |---|---| | `present_at_start` | joins at t = 0 | | source without joins | each
/// device joins at its first event; a person named without a device joins with the first device that the trace has of
/// them, else with ``unnamedDevice`` | | something begins for a device that is not there | it joins first
/// (``impliedJoins``) | | something ends for a device that is not there | nothing is there to end: skipped | | `join`
/// without facts | microphone open where the source has no mutes (`sip-`, `chat-`, unnamed), else muted; camera off | |
/// `join` of a device that is there | a takeover with the facts that the device has: changes nothing | | `drop` | lost
/// | | `kicked` | the leave that follows gets the reason `kicked`; without one, the kick is the leave. It is the
/// line's, not the person's: people redial at once | | `nickChanged` | the new device joins with the facts of the old
/// one, which then leaves (the hand stays up); then the person is renamed to the new device's name. The same device and
/// uid: only renamed | | `present` | a join when the device is not there, else skipped | | `audioJoined`, `audioLeft` |
/// on an `aud-` device: a device of its own joins with the mute flag, and leaves. On another device: its microphone
/// gets the mute flag, and is muted (no audio leg = muted) | | `videoPaused` with a `stream` | the camera is off when
/// the device's last stream is | | `handRaised` with `by` | the person raises the hand (nobody can raise another's) | |
/// `handLowered` with `by` | the other lowers it | | `recording...`, `screenShare...`, `speech...` | recording,
/// presenting, speaking | | `dominantSpeaker` | stated by a client that may act for others; skipped where there is
/// speech, for the election, unless the replay states it | | `presenterAssigned`, `transcriptionStarted`,
/// `mediaRecording...` | call attributes `presenter` (the uid), `transcription`, `media-recording` (`on`, removed when
/// it ends) | | `sessionEnded` | everybody who is still there leaves. Until the next start or join, events of people
/// who are not there are skipped | | `noop` | played; must change nothing | | `role` at joining | skipped, counted |
public struct TracePlan: Sendable {
    /// The device of somebody of whom the trace names none.
    public static let unnamedDevice = "unnamed"

    /// The steps, their times never going back.
    public var steps: [PlanStep]
    /// Whether the dominant speaker is left to the relay's election.
    public var electsDominantSpeaker: Bool
    /// How many lines of the trace have at least one step.
    public var playedLines = 0
    /// How many steps must change nothing.
    public var noops = 0
    /// How many devices were present at the start.
    public var joinsAtStart = 0
    /// How many devices joined at their first event because the source has no joins.
    public var joinsAtFirstEvent = 0
    /// How many devices had to join because something began for them while they were not there.
    public var impliedJoins = 0
    /// Lines without a step, counted by the event and the reason.
    public var skippedLines: [String: Int] = [:]
    /// Facts of played lines that have no place in a step, counted by the fact.
    public var skippedFacts: [String: Int] = [:]

    /// A plan of steps made elsewhere.
    public init(steps: [PlanStep], electsDominantSpeaker: Bool = false) {
        self.steps = steps
        self.electsDominantSpeaker = electsDominantSpeaker
    }

    /// The plan of a trace.
    ///
    /// Every step can be played: whoever it needs is there. Every line is counted once, in ``playedLines`` or in
    /// ``skippedLines``.
    ///
    /// - Parameter statesDominantSpeaker: Whether the dominant speakers of the trace are stated, also where there is
    ///   speech: for a replay that does not take the time that an election needs.
    public init(_ trace: Trace, statesDominantSpeaker: Bool = false) {
        var builder = PlanBuilder(trace, electsDominantSpeaker: trace.hasSpeech && !statesDominantSpeaker)
        builder.build()
        self = builder.plan
    }

    /// How many lines have no step.
    public var skippedLineCount: Int { skippedLines.values.reduce(0, +) }

    /// The time of the last step, in milliseconds.
    public var duration: Int { steps.last?.time ?? 0 }

    /// Every device that ever joins, in order of its first joining.
    public var devices: [TraceDevice] {
        var seen: Set<TraceDevice> = []
        return steps.compactMap { step in
            guard case .join(let device, _) = step.action, seen.insert(device).inserted else { return nil }
            return device
        }
    }
}
