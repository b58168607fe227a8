import CallState
import RollcallProtocol

// The call itself and its policy.
extension Call {
    mutating func setCall(
        _ change: Setting.Change,
        _ target: Target?,
        _ sender: Sender,
        _ context: CommandContext
    ) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        switch change {
        case .recording(let records):
            try setRecording(records, target, sender)
        case .spotlight(let uids):
            try sender.mustModerate(to: "set the spotlight")
            state.setSpotlight(try spotlight(of: uids, sender))
        case .title(let title):
            try sender.mustModerate(to: "set the title of the call")
            try mustFit("the title", title.count, in: WireLimits.title)
            state.setTitle(title)
        case .callAttribute(let attribute):
            try sender.mustModerate(to: "set an attribute of the call")
            try mustHold(attribute, field: CallField.attributes, of: .call, context.limits)
            state.setCallAttribute(attribute.key, to: attribute.value)
        case .callLocked(let locked):
            try sender.mustModerate(to: "lock or unlock the call")
            state.setCallLocked(locked)
        default:
            break
        }
    }

    /// The call's own recording; who acts for others may say who started it.
    private mutating func setRecording(
        _ records: Bool,
        _ target: Target?,
        _ sender: Sender
    ) throws(CommandRefusal) {
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

    private func spotlight(of uids: [ByteString], _ sender: Sender) throws(CommandRefusal) -> [Slot] {
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

    mutating func setPolicy(_ change: Setting.Change, _ sender: Sender) throws(CommandRefusal) {
        try mustBeOccupied(sender)
        try sender.mustModerate(to: "change the policy of the call")
        switch change {
        case .moderation(let moderation):
            guard [.everyone, .moderators].contains(moderation) else {
                throw unknownValue("who may moderate", moderation.rawValue)
            }
            state.setModeration(moderation)
        case .standingMute(let on):
            state.setStandingMute(on)
        case .standingCameraOff(let on):
            state.setStandingCameraOff(on)
        case .handsEnabled(let enabled):
            state.setHandsEnabled(enabled)
        case .presenters(let presenters):
            guard [.many, .one].contains(presenters) else {
                throw unknownValue("how many may present", presenters.rawValue)
            }
            state.setPresenters(presenters)
        case .grace(let grace):
            guard grace <= WireLimits.grace else {
                throw CommandRefusal(code: .invalid, text: "the grace is at most \(WireLimits.grace) ms, not \(grace)")
            }
            state.setGrace(grace)
        case .idle(let idle):
            guard idle <= WireLimits.position else {
                throw CommandRefusal(
                    code: .invalid,
                    text: "the idle period is at most \(WireLimits.position) ms, not \(idle)"
                )
            }
            state.setIdle(idle)
        default:
            break
        }
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
