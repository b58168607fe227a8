/// What a person's devices come to: the status that is shown for the person.
public struct Aggregate: Hashable, Sendable {
    /// Every device that has not left is muted.
    public var isAudioMuted: Bool
    /// Every device that has not left has its camera off.
    public var isVideoPaused: Bool
    /// Any device shares its screen.
    public var isPresenting: Bool
    /// Reconnecting when every device is; else active.
    public var link: LinkState

    /// The aggregate of a person's devices.
    public init(_ devices: some Sequence<Device>) {
        isAudioMuted = true
        isVideoPaused = true
        isPresenting = false
        link = .reconnecting
        for device in devices {
            isAudioMuted = isAudioMuted && device.isAudioMuted
            isVideoPaused = isVideoPaused && device.isVideoPaused
            isPresenting = isPresenting || device.isPresenting
            if device.link != .reconnecting { link = .active }
        }
    }
}

extension Person {
    /// What the person's devices come to.
    public var aggregate: Aggregate { Aggregate(devices) }
}
