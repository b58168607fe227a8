import CallState
import RollcallProtocol

/// Who may do what: the one place where rights come from.
///
/// Without tokens a relay is open: every participant speaks for itself and moderates as the call's policy lets it. The
/// right to act for others belongs to observers with the admin right. Tokens will be one more input of this rule.
struct RightsRule {
    /// Who is at the other end.
    var peer: Peer
    /// Whether every peer has the admin right.
    var isAdminOpen: Bool

    /// Whether the peer may inspect the relay.
    var isAdmin: Bool { peer.isTrusted || isAdminOpen }

    /// The rights of a participant with `role` under a call's policy.
    func participant(role: Role, moderation: Moderation) -> Rights {
        var rights: Rights = .participate
        if moderation == .everyone || role == .moderator { rights.insert(.moderate) }
        if isAdmin { rights.insert(.admin) }
        return rights
    }

    /// The rights of an observer.
    var observer: Rights { isAdmin ? [.moderate, .actForOthers, .admin] : [] }
}

extension Call {
    /// Completes what is known about a sender with a device of its own.
    mutating func describe(_ sender: inout Sender, _ device: Slot, by rule: RightsRule) {
        guard let person = state.owner(of: device) else { return }
        sender.device = device
        sender.person = person
        sender.rights = rights(of: person, by: rule)
        sender.moderatorsOnly = isModeratorsOnly
    }

    /// Whether only moderators may moderate.
    var isModeratorsOnly: Bool {
        state.number(PolicyField.moderation, of: .policy) == UInt64(Moderation.moderators.rawValue)
    }

    /// The rights of the person in `slot`, as they are now.
    func rights(of person: Slot, by rule: RightsRule) -> Rights {
        rule.participant(
            role: Role(rawValue: UInt32(truncatingIfNeeded: state.number(PersonField.role, of: person) ?? 0)),
            moderation: Moderation(
                rawValue: UInt32(truncatingIfNeeded: state.number(PolicyField.moderation, of: .policy) ?? 0)
            )
        )
    }
}
