/// One connection of one person, as a trace names it.
///
/// Traces hold ASCII only (the reader refuses anything else), so equality of strings is equality of bytes.
public struct TraceDevice: Hashable, Sendable, CustomStringConvertible {
    /// The person.
    public let uid: String
    /// The connection; unique per person.
    public let device: String

    /// Names a connection.
    public init(uid: String, device: String) {
        self.uid = uid
        self.device = device
    }

    /// The form `uid/device`.
    public var description: String { "\(uid)/\(device)" }
}

/// What happened, with the fields that the event has beside the person and the device.
public enum TraceEvent: Hashable, Sendable {
    /// A connection came.
    case join(role: String?, audioMuted: Bool?, videoPaused: Bool?)
    /// A connection went, and said so.
    case leave(reason: String?)
    /// A connection went without saying so.
    case drop(reason: String?)
    /// An operator cut the connection.
    case kicked
    /// The chat device goes by another name, and maybe belongs to another uid.
    case nickChanged(to: TraceDevice)
    /// "present+" was typed in the chat.
    case present
    /// The audio leg began, muted or not.
    case audioJoined(muted: Bool?)
    /// The audio leg ended.
    case audioLeft
    /// The microphone was muted (true) or unmuted.
    case audioMuted(Bool)
    /// A camera went off (true) or on.
    case videoPaused(Bool, stream: String?)
    /// A screen share started (true) or stopped.
    case screenShare(Bool)
    /// A hand went up (true) or down, maybe by the doing of another uid.
    case handRaised(Bool, by: String?)
    /// The recording was started (true) or stopped by a person.
    case recording(Bool)
    /// The server's audio file was started (true) or ended.
    case mediaRecording(Bool)
    /// The transcription started.
    case transcriptionStarted
    /// The person became the presenter.
    case presenterAssigned
    /// Speech began (true) or ended.
    case speech(Bool)
    /// The person became the dominant speaker, by a rule (derived) or as the source said.
    case dominantSpeaker(derived: Bool)
    /// The session started.
    case sessionStarted
    /// The session ended.
    case sessionEnded
    /// What the source's own server said the state was.
    case check(TraceCheck)
    /// An event that this reader does not know, by its name.
    case unknown(String)
}

/// A statement of the source's own server about the state at that moment.
public struct TraceCheck: Hashable, Sendable {
    /// What the statement is about.
    public enum Statement: Hashable, Sendable {
        /// Numbers of connections, open microphones and running cameras; nil where not said.
        case counts(joined: Int?, audioOn: Int?, videoOn: Int?)
        /// The hands, first to last. A source's queue can hold one person twice.
        case queue([String])
        /// The telephone lines (`sip-` devices), in no order.
        case participants([TraceDevice])
    }

    /// What the server said.
    public let statement: Statement
    /// Whether a replay of the trace gives just that.
    public let agrees: Bool
    /// Whether the order of a queue agrees too.
    public let agreesInOrder: Bool
}

extension TraceEvent {
    /// The name that the trace has for it.
    public var name: String {
        switch self {
        case .join: "join"
        case .leave: "leave"
        case .drop: "drop"
        case .kicked: "kicked"
        case .nickChanged: "nickChanged"
        case .present: "present"
        case .audioJoined: "audioJoined"
        case .audioLeft: "audioLeft"
        case .audioMuted(let muted): muted ? "audioMuted" : "audioUnmuted"
        case .videoPaused(let paused, _): paused ? "videoPaused" : "videoResumed"
        case .screenShare(let on): on ? "screenShareStarted" : "screenShareStopped"
        case .handRaised(let up, _): up ? "handRaised" : "handLowered"
        case .recording(let on): on ? "recordingStarted" : "recordingStopped"
        case .mediaRecording(let on): on ? "mediaRecordingStarted" : "mediaRecordingStopped"
        case .transcriptionStarted: "transcriptionStarted"
        case .presenterAssigned: "presenterAssigned"
        case .speech(let on): on ? "speechStarted" : "speechStopped"
        case .dominantSpeaker: "dominantSpeaker"
        case .sessionStarted: "sessionStarted"
        case .sessionEnded: "sessionEnded"
        case .check: "check"
        case .unknown(let name): name
        }
    }
}
