/// What happened between two states, for people and listeners.
///
/// A person or device at rest is unmuted, has its camera on, does not present, has its hand down and a living link. Who
/// joins otherwise is followed by an event for each fact that is not at rest, so that listeners who count from rest are
/// right; `joined` itself carries the whole person. In the same way a departure first ends what listeners would have to
/// end: screen share, hand, dominant speaker. So started and stopped, raised and lowered, joined and left alternate.
///
/// A `Person` is as it is in the new state; in the events of a departure it is the person as it was.
public enum CallEvent: Hashable, Sendable {
    // MARK: People

    /// A person came, with everything that is known of them.
    case joined(Person)
    /// A person went. Comes exactly once for each `joined`.
    case left(Person, Departure)
    /// The name changed.
    case name(Person, was: ByteString)
    /// The picture changed.
    case avatar(Person, was: ByteString)
    /// The role changed.
    case role(Person, was: Role)
    /// The microphones were locked or freed.
    case audioLock(Person, isLocked: Bool)
    /// The cameras were locked or freed.
    case videoLock(Person, isLocked: Bool)
    /// The person is asked to unmute, or (when the person has no request now) is not any more.
    case unmuteRequest(Person, was: UnmuteRequest?)
    /// An attribute was set or, with nil, removed.
    case attribute(Person, key: ByteString, value: [UInt8]?)
    /// A hand went up. Raisings come in the order of the queue.
    case handRaised(Person, Hand)
    /// A hand went down. Lowerings come before all raisings of one update.
    case handLowered(Person, Hand)

    // MARK: What a person's devices come to

    /// All of the person's devices are muted now, or one is not.
    case audio(Person, isMuted: Bool)
    /// All of the person's cameras are off now, or one is on.
    case video(Person, isPaused: Bool)
    /// A device of the person shares its screen now, or none does.
    case presenting(Person, isPresenting: Bool)
    /// All of the person's links are lost, or one lives.
    case link(Person, LinkState)

    // MARK: Devices

    /// A device came; follows `joined` when it is the person's first.
    case deviceJoined(Device, of: Person)
    /// A device went; comes before `left` when it was the person's last.
    case deviceLeft(Device, of: Person, Departure)
    /// The microphone of one device.
    case deviceAudio(Device, of: Person, isMuted: Bool)
    /// The camera of one device.
    case deviceVideo(Device, of: Person, isPaused: Bool)
    /// The screen share of one device.
    case devicePresenting(Device, of: Person, isPresenting: Bool)
    /// The link of one device, or the end of its grace.
    case deviceLink(Device, of: Person, LinkState)
    /// The client program or the time of joining of one device.
    case deviceInfo(Device, of: Person)

    // MARK: The call

    /// A meeting began.
    case meetingBegan(ByteString, startedAt: UInt64)
    /// A meeting ended; everything in it has ended before.
    case meetingEnded(ByteString)
    /// A recording began.
    case recordingStarted(Recording)
    /// A recording ended.
    case recordingStopped(Recording)
    /// The dominant speaker changed; nil is nobody.
    case dominantSpeaker(Person?, was: Person?)
    /// The spotlight changed: slots of persons, in order.
    case spotlight([Slot], was: [Slot])
    /// The title changed.
    case title(ByteString, was: ByteString)
    /// The call was locked or opened.
    case callLock(isLocked: Bool)
    /// An attribute of the call was set or, with nil, removed.
    case callAttribute(key: ByteString, value: [UInt8]?)
    /// The policy changed.
    case policy(CallPolicy, was: CallPolicy)
}

/// When and why somebody went.
public struct Departure: Hashable, Sendable {
    /// ms since 1970; nil when it is not known any more.
    public var at: UInt64?
    /// Why; ``LeaveReason/unspecified`` when it is not known any more.
    public var reason: LeaveReason

    /// A departure.
    public init(at: UInt64?, reason: LeaveReason) {
        self.at = at
        self.reason = reason
    }
}
