import CallState
import RollcallProtocol
import Traces

/// Who sends a command.
enum CommandSender: Hashable {
    /// A device of the trace.
    case device(TraceDevice)
    /// The client that may act for others.
    case bot
}

extension PlanAction {
    /// The command of a step and who sends it; nil for steps that are no command.
    var command: (sender: CommandSender, setting: Setting)? {
        switch self {
        case .setAudioMuted(let device, let muted): (.device(device), Setting(.audioMuted(muted)))
        case .setVideoPaused(let device, let paused): (.device(device), Setting(.videoPaused(paused)))
        case .setPresenting(let device, let presenting): (.device(device), Setting(.presenting(presenting)))
        case .raiseHand(let via): (.device(via), Setting(.handRaised(true)))
        case .lowerHand(let uid, let via):
            (.device(via), Setting(target: uid == via.uid ? nil : Target(uid: ByteString(uid)), .handRaised(false)))
        case .setRecording(let on, let via): (.device(via), Setting(.recording(on)))
        case .rename(let name, let via): (.device(via), Setting(.name(ByteString(name))))
        case .setCallAttribute(let key, let value, let via):
            (
                via.map { .device($0) } ?? .bot,
                Setting(.callAttribute(Attribute(key: ByteString(key), value: value.map { Array($0.utf8) })))
            )
        case .stateDominantSpeaker(let uid): (.bot, Setting(.dominantSpeaker(ByteString(uid ?? ""))))
        case .join, .leave, .lost, .setSpeaking, .check: nil
        }
    }
}

extension TracePlan {
    /// Whether some step needs a client that may act for others.
    var needsBot: Bool { steps.contains { $0.action.command?.sender == .bot } }
}
