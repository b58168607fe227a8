import CallState
package import RollcallProtocol
package import Traces

/// Who sends a command.
package enum CommandSender: Hashable, Sendable {
    /// A device of the trace.
    case device(TraceDevice)
    /// The client that may act for others.
    case bot
}

extension PlanAction {
    /// The command of a step and who sends it; nil for steps that are no command.
    package var command: (sender: CommandSender, setting: Setting)? {
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

    /// The setting with which a client that may act for others makes the step happen, whoever makes it in the trace;
    /// nil for a step that sets nothing.
    package var settingByBot: Setting? {
        switch self {
        case .join(let device, let facts):
            var newcomer = BringIn()
            newcomer.audioMuted = facts.audioMuted
            newcomer.videoPaused = facts.videoPaused
            return Setting(target: Target(device), .bringIn(newcomer))
        case .leave(let device, _): return Setting(target: Target(device), .takeOut(.left))
        case .lost(let device, _): return Setting(target: Target(device), .takeOut(.lost))
        case .setSpeaking, .check: return nil
        default: break
        }
        guard let (sender, setting) = command else { return nil }
        guard case .device(let device) = sender, setting.target == nil else { return setting }
        switch setting.change {
        case .audioMuted, .videoPaused, .presenting: return Setting(target: Target(device), setting.change)
        case .callAttribute: return setting
        default: return Setting(target: Target(uid: ByteString(device.uid)), setting.change)
        }
    }
}

extension Target {
    /// A device of a trace.
    fileprivate init(_ device: TraceDevice) {
        self.init(uid: ByteString(device.uid), device: ByteString(device.device))
    }
}

extension TracePlan {
    /// Whether some step needs a client that may act for others.
    package var needsBot: Bool { steps.contains { $0.action.command?.sender == .bot } }
}
