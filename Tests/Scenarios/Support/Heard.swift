import RollcallCalls

/// A callback that a listener got; people by their uids.
enum Heard: Hashable, Sendable {
    // The session.
    case sessionJoined, sessionLeft, sessionTimedOut
    case connectionLost, connectionRestored, connectionClosed

    // The people.
    case joined(String), left(String), list([String])
    case muted(String), unmuted(String)
    case paused(String), resumed(String)
    case handRaised(String), handLowered(String), hands([String])
    case sharing(String), notSharing(String)
    case recording(String), notRecording(String)
    case dominant(String), nobodyDominant
    case reconnecting(String), reconnected(String)
    case status(String)

    // The own device.
    case ownMuted, ownUnmuted
    case ownPaused, ownResumed
    case ownSharing, ownNotSharing
    case ownRecording, ownNotRecording
    case audioMode(AudioMode), camera(CameraFacing)

    // The own screen.
    case layout(LayoutType), listVisible, listHidden, pictureInPicture, noPictureInPicture
    case clicked(CallButton)

    /// Whether it ends a session.
    var isTerminal: Bool { [.sessionLeft, .sessionTimedOut, .connectionClosed].contains(self) }

    /// The person that it is about; nil when it is not about one.
    var uid: String? {
        switch self {
        case .joined(let uid), .left(let uid), .muted(let uid), .unmuted(let uid), .paused(let uid), .resumed(let uid),
            .handRaised(let uid), .handLowered(let uid), .sharing(let uid), .notSharing(let uid), .recording(let uid),
            .notRecording(let uid), .dominant(let uid), .reconnecting(let uid), .reconnected(let uid), .status(let uid):
            uid
        default: nil
        }
    }
}

/// A callback, whom it was about, and what the session's model said while it ran.
struct Hearing: Sendable {
    let heard: Heard
    /// The people that were handed over, as they were.
    let people: [Participant]
    /// What every query of the session answered inside the callback.
    let view: View
    /// The status before, of ``Heard/status(_:)``.
    var oldStatus: ParticipantStatus?

    /// The person that was handed over.
    var participant: Participant? { people.first }
}
