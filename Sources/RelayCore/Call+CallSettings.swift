import CallState
import RollcallProtocol

// The call itself and its policy.
extension Call {
    /// The call's own recording; who acts for others may say who started it.
    mutating func setRecording(
        _ records: Bool,
        _ target: Target?,
        _ sender: Sender
    ) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        try sender.mustParticipate(to: "start or stop the recording")
        guard records else {
            state.stopRecording()
            return
        }
        if let target {
            let person = try self.person(target, sender)
            if person != sender.person { try sender.mustAct(to: "start the recording in another's name") }
            state.startRecording(by: person, at: clock)
        } else if let person = sender.person {
            state.startRecording(by: person, at: clock)
        } else {
            state.startRecording(byUID: sender.uid, byName: .empty, at: clock)
        }
    }

    mutating func setSpotlight(_ uids: [ByteString], _ sender: Sender) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        try sender.mustModerate(to: "set the spotlight")
        state.setSpotlight(try spotlight(of: uids, sender))
    }

    private mutating func spotlight(of uids: [ByteString], _ sender: Sender) throws(CommandRefusal) -> [Slot] {
        guard uids.count <= WireLimits.spotlight else {
            throw CommandRefusal(
                code: .invalid,
                text: "the spotlight holds \(WireLimits.spotlight) persons, not \(uids.count)"
            )
        }
        var people: [Slot] = []
        for uid in uids {
            let person = try self.person(Target(uid: uid), sender)
            guard !people.contains(person) else {
                throw CommandRefusal(code: .invalid, text: "\(uid) is twice in the spotlight")
            }
            people.append(person)
        }
        return people
    }

    mutating func setTitle(_ title: ByteString, _ sender: Sender) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        try sender.mustModerate(to: "set the title of the call")
        try mustFit("the title", title.count, in: WireLimits.title)
        state.setTitle(title)
    }

    mutating func setCallAttribute(
        _ attribute: Attribute,
        _ sender: Sender,
        _ limits: Limits
    ) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        try sender.mustModerate(to: "set an attribute of the call")
        try attribute.mustKeep(limits)
        let limit = Int(clamping: limits.attributes)
        if state.setCallAttribute(attribute.key, to: attribute.value, atMost: limit) == .full {
            throw attribute.oneTooMany(limits)
        }
    }

    mutating func setCallLocked(_ locked: Bool, _ sender: Sender) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        try sender.mustModerate(to: "lock or unlock the call")
        state.setCallLocked(locked)
    }

    // MARK: Policy

    mutating func setModeration(_ moderation: Moderation, _ sender: Sender) throws(CommandRefusal) {
        try mustRule(sender)
        guard [.everyone, .moderators].contains(moderation) else {
            throw unknownValue("who may moderate", moderation.rawValue)
        }
        if moderation == .moderators, !sender.rights.contains(.actForOthers), !hasModerator() {
            throw CommandRefusal(
                code: .invalid,
                text: "nobody in this call is a moderator, so nobody could undo it: make somebody one first"
            )
        }
        state.setModeration(moderation)
    }

    /// Whether somebody in the call besides `person` is a moderator.
    func hasModerator(besides person: Slot = 0) -> Bool {
        state.personSlots.contains { $0 != person && isModerator($0) }
    }

    /// Whether the person in `slot` has the role of a moderator.
    func isModerator(_ person: Slot) -> Bool {
        state.number(PersonField.role, of: person) == UInt64(Role.moderator.rawValue)
    }

    mutating func setStandingMute(_ on: Bool, _ sender: Sender) throws(CommandRefusal) {
        try mustRule(sender)
        state.setStandingMute(on)
    }

    mutating func setStandingCameraOff(_ on: Bool, _ sender: Sender) throws(CommandRefusal) {
        try mustRule(sender)
        state.setStandingCameraOff(on)
    }

    mutating func setHandsEnabled(_ enabled: Bool, _ sender: Sender) throws(CommandRefusal) {
        try mustRule(sender)
        state.setHandsEnabled(enabled)
    }

    mutating func setPresenters(_ presenters: Presenters, _ sender: Sender) throws(CommandRefusal) {
        try mustRule(sender)
        guard [.many, .one].contains(presenters) else {
            throw unknownValue("how many may present", presenters.rawValue)
        }
        state.setPresenters(presenters)
    }

    mutating func setGrace(_ grace: UInt64, _ sender: Sender) throws(CommandRefusal) {
        try mustRule(sender)
        guard grace <= WireLimits.grace else {
            throw CommandRefusal(code: .invalid, text: "the grace is at most \(WireLimits.grace) ms, not \(grace)")
        }
        state.setGrace(grace)
    }

    mutating func setIdle(_ idle: UInt64, _ sender: Sender) throws(CommandRefusal) {
        try mustRule(sender)
        guard idle <= WireLimits.position else {
            throw CommandRefusal(
                code: .invalid,
                text: "the idle period is at most \(WireLimits.position) ms, not \(idle)"
            )
        }
        state.setIdle(idle)
    }

    private func mustRule(_ sender: Sender) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        try sender.mustModerate(to: "change the policy of the call")
    }

    private func unknownValue(_ what: String, _ number: UInt32) -> CommandRefusal {
        CommandRefusal(code: .invalid, text: "\(number) is no value that this relay knows for \(what)")
    }

    /// Without a meeting the call has no field, whoever asks.
    func mustBeOccupied(_ sender: Sender) throws(CommandRefusal) {
        guard isOccupied else {
            throw CommandRefusal(code: .noSuchTarget, text: "nobody is in this call: there is nothing to set")
        }
    }
}
