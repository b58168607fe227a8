/// What a device brings when it joins.
public struct InitialFacts: Hashable, Sendable {
    /// Whether its microphone is muted.
    public var audioMuted: Bool
    /// Whether its camera is off.
    public var videoPaused: Bool

    /// Both facts.
    public init(audioMuted: Bool, videoPaused: Bool) {
        self.audioMuted = audioMuted
        self.videoPaused = videoPaused
    }
}

/// One thing that a replayer does, in the terms of the relay.
///
/// A `via` is the device through which a person acts: present, and of that person.
public enum PlanAction: Hashable, Sendable {
    /// A device joins; one that is there already takes over in place, with the facts as its new status.
    case join(TraceDevice, InitialFacts)
    /// A device leaves and says so.
    case leave(TraceDevice, reason: String)
    /// A device's link is lost. As fast as possible it is a leave with reason lost.
    case lost(TraceDevice, reason: String)
    /// A device mutes (true) or unmutes its microphone.
    case setAudioMuted(TraceDevice, Bool)
    /// A device pauses (true) or resumes its camera.
    case setVideoPaused(TraceDevice, Bool)
    /// A device starts (true) or stops presenting.
    case setPresenting(TraceDevice, Bool)
    /// A person raises their own hand.
    case raiseHand(via: TraceDevice)
    /// A hand goes down, by its owner (`via.uid == uid`) or by another.
    case lowerHand(uid: String, via: TraceDevice)
    /// Somebody starts (true) or stops the recording.
    case setRecording(Bool, via: TraceDevice)
    /// A device reports that its person speaks (true) or is silent.
    case setSpeaking(TraceDevice, Bool)
    /// A client that may act for others states the dominant speaker; nil is nobody.
    case stateDominantSpeaker(uid: String?)
    /// A person takes another name.
    case rename(String, via: TraceDevice)
    /// An attribute of the call is set, or removed with nil; without `via` by a client that may act for others.
    case setCallAttribute(key: String, value: String?, via: TraceDevice?)
    /// The state is compared with what the source's server said, where that agrees.
    case check(TraceCheck)
}

/// One step of a plan.
public struct PlanStep: Hashable, Sendable {
    /// Milliseconds since the start.
    public var time: Int
    /// The line of the trace it comes from; 1 for devices present at the start, 0 without a trace.
    public var line: Int
    /// What to do.
    public var action: PlanAction
    /// Whether it must change nothing.
    public var isNoop: Bool

    /// Creates a step.
    public init(time: Int, line: Int, action: PlanAction, isNoop: Bool = false) {
        self.time = time
        self.line = line
        self.action = action
        self.isNoop = isNoop
    }
}
