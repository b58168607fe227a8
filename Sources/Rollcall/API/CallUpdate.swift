public import CallState

/// What changed in a call, in order, and the state that it led to.
public struct CallUpdate: Sendable {
    /// What changed since the update before, in order.
    ///
    /// Not every value in between: a slow reader gets the sum.
    public var events: [Event]
    /// The state after all of the events.
    public var state: CallSnapshot

    /// One thing that changed.
    ///
    /// Each carries the person as in ``CallUpdate/state``; the one who left as last seen.
    public enum Event: Hashable, Sendable {
        /// Somebody came.
        case joined(CallSnapshot.Person)
        /// Somebody left, and why.
        case left(CallSnapshot.Person, LeaveReason)
        /// A microphone: the aggregate of the person's devices changed.
        case audio(CallSnapshot.Person, AudioState)
        /// A camera: the aggregate of the person's devices changed.
        case video(CallSnapshot.Person, VideoState)
        /// Somebody began or stopped to share a screen.
        case presenting(CallSnapshot.Person, Bool)
        /// A hand went up or down.
        case hand(CallSnapshot.Person, HandChange)
        /// Another display name.
        case name(CallSnapshot.Person, String)
        /// Another picture.
        case avatar(CallSnapshot.Person, String)
        /// Another role.
        case role(CallSnapshot.Person, Role)
        /// A moderator keeps the person muted, or does not any more.
        case audioLock(CallSnapshot.Person, Bool)
        /// A moderator keeps the person's cameras off, or does not any more.
        case videoLock(CallSnapshot.Person, Bool)
        /// Somebody asks the person to unmute; nil: not any more.
        case unmuteRequest(CallSnapshot.Person, CallSnapshot.UnmuteRequest?)
        /// An attribute of a person was set, or with nil removed.
        case attribute(CallSnapshot.Person, key: String, value: [UInt8]?)
        /// All of the person's links are lost (true), or one lives again.
        case reconnecting(CallSnapshot.Person, Bool)
        /// A device came; follows ``joined(_:)`` when it is the person's first.
        case deviceJoined(CallSnapshot.Person, CallSnapshot.Device)
        /// A device left; comes before ``left(_:_:)`` when it was the person's last.
        case deviceLeft(CallSnapshot.Person, CallSnapshot.Device, LeaveReason)
        /// Something about one device: its microphone, camera, screen or link.
        case deviceChanged(CallSnapshot.Person, CallSnapshot.Device)
        /// A meeting began (its id), or with nil ended.
        case meeting(String?)
        /// The recording began, or with nil ended.
        case recording(CallSnapshot.Recording?)
        /// The dominant speaker; nil is nobody.
        case dominantSpeaker(CallSnapshot.Person?)
        /// The people in the spotlight, in order.
        case spotlight([CallSnapshot.Person])
        /// The title.
        case title(String)
        /// Whether new people are kept out.
        case callLocked(Bool)
        /// An attribute of the call was set, or with nil removed.
        case callAttribute(key: String, value: [UInt8]?)
        /// Something in the policy.
        case policy(CallPolicy)
    }

    /// How a hand changed.
    public enum HandChange: Hashable, Sendable {
        /// It went up, to that place of the queue (from 1).
        case raised(Int)
        /// It went down.
        case lowered
    }
}
