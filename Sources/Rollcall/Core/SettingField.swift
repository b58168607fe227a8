import CallState
import RollcallProtocol

/// What a setting writes: two settings with the same field overwrite each other.
struct SettingField: Hashable, Sendable {
    var target: Target?
    /// The number of the change in `Setting` of `rollcall.proto`.
    var number: UInt8
    /// The key of an attribute.
    var key: ByteString = .empty
}

extension Setting {
    /// What the setting writes; nil for one whose order among others matters, so that it is never left out.
    var field: SettingField? {
        switch change {
        case .audioMuted: SettingField(target: target, number: 2)
        case .videoPaused: SettingField(target: target, number: 3)
        case .presenting: SettingField(target: target, number: 4)
        case .handRaised: SettingField(target: target, number: 5)
        case .name: SettingField(target: target, number: 6)
        case .avatar: SettingField(target: target, number: 7)
        case .attribute(let attribute): SettingField(target: target, number: 8, key: attribute.key)
        case .role: SettingField(target: target, number: 9)
        case .audioLocked: SettingField(target: target, number: 10)
        case .videoLocked: SettingField(target: target, number: 11)
        case .unmuteRequest: SettingField(target: target, number: 12)
        case .recording: SettingField(target: target, number: 14)
        case .spotlight: SettingField(target: target, number: 15)
        case .title: SettingField(target: target, number: 16)
        case .callAttribute(let attribute): SettingField(target: target, number: 17, key: attribute.key)
        case .callLocked: SettingField(target: target, number: 18)
        case .moderation: SettingField(target: target, number: 19)
        case .standingMute: SettingField(target: target, number: 20)
        case .standingCameraOff: SettingField(target: target, number: 21)
        case .handsEnabled: SettingField(target: target, number: 22)
        case .presenters: SettingField(target: target, number: 23)
        case .grace: SettingField(target: target, number: 24)
        case .idle: SettingField(target: target, number: 25)
        case .dominantSpeaker: SettingField(target: target, number: 28)
        // Coming and going: each is one event of a sequence.
        case .removed, .bringIn, .takeOut, .none: nil
        }
    }

    /// Whether it states a fact of a device, which a join states too.
    var isDeviceFact: Bool {
        switch change {
        case .audioMuted, .videoPaused, .presenting: true
        default: false
        }
    }
}
