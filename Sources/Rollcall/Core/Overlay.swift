import CallState
import RollcallProtocol

/// What a client has asked for its own device and person and has no answer to yet; nil is nothing.
struct Overlay: Hashable, Sendable {
    var audioMuted: Bool?
    var videoPaused: Bool?
    var presenting: Bool?
    var handRaised: Bool?
    var name: ByteString?
    var avatar: ByteString?
    /// Attributes by key; nil removes.
    var attributes: [ByteString: [UInt8]?] = [:]

    /// Lays one more setting over; one that is about somebody else, or not optimistic, changes nothing.
    mutating func add(_ setting: Setting, own: OwnIdentity) {
        guard own.isTarget(of: setting) else { return }
        switch setting.change {
        case .audioMuted(let value): audioMuted = value
        case .videoPaused(let value): videoPaused = value
        case .presenting(let value): presenting = value
        case .handRaised(let value): handRaised = value
        case .name(let value): name = value
        case .avatar(let value): avatar = value
        case .attribute(let value): attributes[value.key] = .some(value.value)
        default: break
        }
    }

    /// The attributes with the changes, by key.
    func applied(to values: [AttributeValue]) -> [AttributeValue] {
        if attributes.isEmpty { return values }
        var result = values.filter { !attributes.keys.contains($0.key) }
        for (key, value) in attributes {
            if let value { result.append(AttributeValue(key: key, value: value)) }
        }
        return result.sorted { $0.key < $1.key }
    }
}

/// Which person and device a client is, by name.
struct OwnIdentity: Hashable, Sendable {
    var uid: ByteString
    var device: ByteString
    /// An observer has no device and person of its own.
    var isObserver: Bool

    /// Whether a setting is about the client's own device, or person where it is a person's.
    func isTarget(of setting: Setting) -> Bool {
        if isObserver { return false }
        guard let target = setting.target else { return true }
        if target.everyone || target.uid != uid { return false }
        return target.device == device || (target.device.isEmpty && !setting.isDeviceFact)
    }
}
