/// Why a device left.
///
/// Open: an unknown number is kept.
public struct LeaveReason: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The reason with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Not said.
    public static let unspecified = LeaveReason(rawValue: 0)
    /// By its own will.
    public static let left = LeaveReason(rawValue: 1)
    /// Its link was lost and the grace ran out.
    public static let lost = LeaveReason(rawValue: 2)
    /// A moderator removed the person.
    public static let removed = LeaveReason(rawValue: 3)
    /// The meeting ended.
    public static let ended = LeaveReason(rawValue: 4)
    /// A fresh join of the same device replaced what a bad resume could not take over.
    public static let expired = LeaveReason(rawValue: 5)
}

/// What a person is in the call.
///
/// Open: an unknown number is kept.
public struct Role: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The role with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// An ordinary participant.
    public static let participant = Role(rawValue: 0)
    /// May moderate when only moderators may.
    public static let moderator = Role(rawValue: 1)
}

/// The link of a device.
///
/// Open: an unknown number is kept.
public struct LinkState: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The state with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Its link lives.
    public static let active = LinkState(rawValue: 0)
    /// Its link is lost; it may come back within the grace.
    public static let reconnecting = LinkState(rawValue: 1)
}

/// Who may moderate.
///
/// Open: an unknown number is kept.
public struct Moderation: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The policy with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Every participant.
    public static let everyone = Moderation(rawValue: 0)
    /// Persons with the role of a moderator.
    public static let moderators = Moderation(rawValue: 1)
}

/// How many may present at once.
///
/// Open: an unknown number is kept.
public struct Presenters: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The policy with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Any number.
    public static let many = Presenters(rawValue: 0)
    /// A new one stops the one before, in the same commit.
    public static let one = Presenters(rawValue: 1)
}
