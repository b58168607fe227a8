import CallState
import RollcallProtocol

// Name, picture, attributes, role, locks, requests and removal.
extension Call {
    mutating func setName(_ name: ByteString, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        let person = try describedPerson(target, sender)
        try mustFit("the name", name.count, in: WireLimits.name)
        state.setName(name, of: person)
    }

    mutating func setAvatar(_ avatar: ByteString, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        let person = try describedPerson(target, sender)
        try mustFit("the avatar", avatar.count, in: WireLimits.avatar)
        state.setAvatar(avatar, of: person)
    }

    mutating func setAttribute(
        _ attribute: Attribute,
        _ target: Target?,
        _ sender: Sender,
        _ limits: Limits
    ) throws(CommandRefusal) {
        let person = try describedPerson(target, sender)
        try attribute.mustKeep(limits)
        let limit = Int(clamping: limits.attributes)
        if state.setAttribute(attribute.key, of: person, to: attribute.value, atMost: limit) == .full {
            throw attribute.oneTooMany(limits)
        }
    }

    /// The person whose name, picture or attributes the sender may change.
    private mutating func describedPerson(_ target: Target?, _ sender: Sender) throws(CommandRefusal) -> Slot {
        let person = try self.person(target, sender)
        if person == sender.person {
            try sender.mustParticipate(to: "describe itself")
        } else {
            try sender.mustAct(to: "change another's name, picture or attributes")
        }
        return person
    }

    mutating func setRole(_ role: Role, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        try sender.mustModerate(to: "set a role")
        let person = try self.person(target, sender)
        if role != .moderator, isModeratorsOnly, !sender.rights.contains(.actForOthers), isModerator(person),
            !hasModerator(besides: person)
        {
            throw CommandRefusal(
                code: .heldDown,
                text: "only moderators may moderate, and there is no other one: make another one first, or let everyone"
            )
        }
        state.setRole(role, of: person)
    }

    mutating func setAudioLocked(_ locked: Bool, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        try sender.mustModerate(to: "lock somebody's audio")
        state.setAudioLocked(locked, of: try person(target, sender))
    }

    mutating func setVideoLocked(_ locked: Bool, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        try sender.mustModerate(to: "lock somebody's video")
        state.setVideoLocked(locked, of: try person(target, sender))
    }

    /// The longest time for which one can ask somebody to unmute: an hour.
    static let longestUnmuteRequest: UInt64 = 3_600_000

    mutating func requestUnmute(
        _ period: UInt64,
        _ target: Target?,
        _ sender: Sender,
        _ consequences: inout CommandConsequences
    ) throws(CommandRefusal) {
        let person = try self.person(target, sender)
        guard period > 0 else {
            if person != sender.person { try sender.mustModerate(to: "withdraw a request to unmute") }
            state.withdrawUnmuteRequest(of: person)
            return
        }
        try sender.mustModerate(to: "ask somebody to unmute")
        guard period <= Self.longestUnmuteRequest else {
            throw CommandRefusal(
                code: .invalid,
                text: "a request to unmute lasts at most \(Self.longestUnmuteRequest) ms, not \(period)"
            )
        }
        let until = clock + period
        if state.requestUnmute(of: person, byUID: sender.uid, until: until) {
            consequences.requests.append((person, period))
        }
    }

    mutating func setRemoved(
        _ removes: Bool,
        _ target: Target?,
        _ sender: Sender,
        _ limits: Limits,
        _ consequences: inout CommandConsequences
    ) throws(CommandRefusal) {
        try sender.mustModerate(to: removes ? "remove somebody" : "let somebody in again")
        guard let target else {
            throw CommandRefusal(code: .invalid, text: "removing needs the uid of a person as target")
        }
        guard removes else {
            guard removed.contains(target.uid) else { return }
            consequences.noteRemoved(removed)
            removed.remove(target.uid)
            return
        }
        if removed.contains(target.uid) { return }
        let person = try self.person(target, sender)
        guard person != sender.person else {
            throw CommandRefusal(code: .invalid, text: "\(sender.name) can't remove itself: leave instead")
        }
        // Who is removed takes memory until the meeting ends, and their place in the call is free for another.
        guard UInt64(removed.count) < limits.people else {
            throw CommandRefusal(
                code: .full,
                text: "\(limits.people) people are kept out already: let somebody in again first"
            )
        }
        consequences.noteRemoved(removed)
        removed.insert(target.uid)
        for device in state.deviceSlots(of: person) { consequences.takenOut.append(departed(device, .removed)) }
        state.removePerson(person, at: clock, reason: .removed)
    }
}

extension Attribute {
    /// Refuses an attribute that is too long.
    func mustKeep(_ limits: Limits) throws(CommandRefusal) {
        try mustFit("the key of the attribute", key.count, in: WireLimits.key)
        let longest = Int(clamping: limits.attributeValue)
        if let value { try mustFit("attribute \(key)", value.count, in: 0...longest) }
    }

    /// Why an attribute is refused that would be one more than there may be.
    func oneTooMany(_ limits: Limits) -> CommandRefusal {
        CommandRefusal(
            code: .full,
            text: "there are \(limits.attributes) attributes already: remove one before adding \(key)"
        )
    }
}
