import CallState
package import RollcallProtocol

extension SessionCommand {
    /// How long a request to unmute stands, in ms.
    private static let unmuteRequestTime: UInt64 = 30_000

    /// What the relay is asked for: one commit, or nothing.
    package var settings: [Setting] {
        switch self {
        case .muteAudio: [Setting(.audioMuted(true))]
        case .unmuteAudio: [Setting(.audioMuted(false))]
        case .pauseVideo: [Setting(.videoPaused(true))]
        case .resumeVideo: [Setting(.videoPaused(false))]
        case .startScreenSharing: [Setting(.presenting(true))]
        case .stopScreenSharing: [Setting(.presenting(false))]
        case .raiseHand: [Setting(.handRaised(true))]
        case .lowerHand: [Setting(.handRaised(false))]
        case .setDisplayName(let name): [Setting(.name(ByteString(name)))]
        case .setAttribute(let key, let value): [Setting(.attribute(Attribute(key: ByteString(key), value: value)))]
        case .declineUnmute: [Setting(.unmuteRequest(0))]
        case .muteParticipant(let uid): [about(uid, .audioMuted(true))]
        case .pauseParticipantVideo(let uid): [about(uid, .videoPaused(true))]
        case .stopParticipantScreenShare(let uid): [about(uid, .presenting(false))]
        case .lowerParticipantHand(let uid): [about(uid, .handRaised(false))]
        case .lowerAllHands: [Setting(target: .everyone, .handRaised(false)), Setting(.handRaised(false))]
        case .muteAll: [Setting(target: .everyone, .audioMuted(true))]
        case .requestUnmute(let uid): [about(uid, .unmuteRequest(Self.unmuteRequestTime))]
        case .lockAudio(let uid): [about(uid, .audioLocked(true))]
        case .unlockAudio(let uid): [about(uid, .audioLocked(false))]
        case .lockVideo(let uid): [about(uid, .videoLocked(true))]
        case .unlockVideo(let uid): [about(uid, .videoLocked(false))]
        case .spotlight(let uids): [Setting(.spotlight(uids.map { ByteString($0) }))]
        case .removeParticipant(let uid): [about(uid, .removed(true))]
        case .setModerator(let uid, let isModerator): [about(uid, .role(isModerator ? .moderator : .participant))]
        case .startRecording: [Setting(.recording(true))]
        case .stopRecording: [Setting(.recording(false))]
        case .setTitle(let title): [Setting(.title(ByteString(title)))]
        case .setStandingMute(let isOn): [Setting(.standingMute(isOn))]
        case .setHandsEnabled(let isOn): [Setting(.handsEnabled(isOn))]
        case .setModeratorsOnly(let isOn): [Setting(.moderation(isOn ? .moderators : .everyone))]
        case .lockCall(let isLocked): [Setting(.callLocked(isLocked))]
        }
    }

    private func about(_ uid: String, _ change: Setting.Change) -> Setting {
        Setting(target: Target(uid: ByteString(uid)), change)
    }
}
