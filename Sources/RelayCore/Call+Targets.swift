import CallState
import RollcallProtocol

/// Whom a kind of setting can be about.
private enum Scope {
    /// A device, all devices of a person, or everyone's.
    case device
    /// A person or everyone.
    case people
    /// A person.
    case person
    /// A person; the setting looks for them before it asks anything else.
    case described
    /// The call: no target. Who acts for others may name the person who records.
    case call(namesPerson: Bool)
    /// A device that need not be in, or a person; the setting itself looks.
    case outsider

    init(_ change: Setting.Change) {
        switch change {
        case .audioMuted, .videoPaused, .presenting: self = .device
        case .handRaised: self = .people
        case .name, .avatar, .attribute: self = .described
        case .role, .audioLocked, .videoLocked, .unmuteRequest: self = .person
        case .recording: self = .call(namesPerson: true)
        case .spotlight, .title, .callAttribute, .callLocked, .moderation, .standingMute, .standingCameraOff,
            .handsEnabled, .presenters, .grace, .idle, .dominantSpeaker:
            self = .call(namesPerson: false)
        case .removed, .bringIn, .takeOut: self = .outsider
        }
    }
}

// Whom a setting is about.
//
// What is done for each command is `mutating` even where it only looks, since the call is then read where it is; else
// all of it is copied.
extension Call {
    /// Refuses a target that a setting can't have, before anything else is asked: a wrong target must never be taken
    /// for another one.
    mutating func check(_ target: Target?, of change: Setting.Change) throws(CommandRefusal) {
        switch change {
        case .role(let role): try check(role)
        case .bringIn(let facts): try check(facts.role)
        default: break
        }
        guard let target else { return }
        let scope = Scope(change)
        if target.everyone {
            guard target.uid.isEmpty, target.device.isEmpty else {
                throw CommandRefusal(code: .invalid, text: "a target that is everyone names no uid and no device")
            }
            switch scope {
            case .device, .people: return
            case .person, .described, .outsider:
                throw CommandRefusal(code: .invalid, text: "this setting can't be about everyone: name a uid")
            case .call: throw aboutTheCall
            }
        }
        if case .call(false) = scope { throw aboutTheCall }
        guard !target.uid.isEmpty else {
            throw CommandRefusal(code: .invalid, text: "the target names no uid: leave it out for your own")
        }
        switch scope {
        case .outsider:
            if case .removed = change, !target.device.isEmpty {
                throw CommandRefusal(code: .invalid, text: "a person is removed, not a device: leave the device out")
            }
        case .described: break
        case .device, .people, .person, .call:
            _ = try known(target)
        }
    }

    private var aboutTheCall: CommandRefusal {
        CommandRefusal(code: .invalid, text: "this setting is about the call: leave the target out")
    }

    /// Refuses a role that nobody can have.
    func check(_ role: Role?) throws(CommandRefusal) {
        guard let role, role != .participant, role != .moderator else { return }
        throw CommandRefusal(code: .invalid, text: "there is no role \(role.rawValue): 0 is participant, 1 moderator")
    }

    /// The devices that a checked target of a setting is about, ascending.
    mutating func devices(_ target: Target?, _ sender: Sender) throws(CommandRefusal) -> [Slot] {
        guard let target else {
            guard let device = sender.device else { throw noTarget(sender) }
            return [device]
        }
        if target.everyone {
            return state.deviceSlots.filter { sender.person == nil || state.owner(of: $0) != sender.person }
        }
        let known = try known(target)
        return known.device.map { [$0] } ?? state.deviceSlots(of: known.person)
    }

    /// The person that a checked target of a setting is about.
    mutating func person(_ target: Target?, _ sender: Sender) throws(CommandRefusal) -> Slot {
        guard let target else {
            guard let person = sender.person else { throw noTarget(sender) }
            return person
        }
        return try known(target).person
    }

    /// The person, and the device if it names one, of a target that names a uid.
    private mutating func known(_ target: Target) throws(CommandRefusal) -> (person: Slot, device: Slot?) {
        guard let person = state.personSlot(uid: target.uid) else {
            throw CommandRefusal(code: .noSuchTarget, text: "\(target.uid) is not in this call")
        }
        if target.device.isEmpty { return (person, nil) }
        guard let device = state.deviceSlot(of: person, id: target.device) else {
            throw CommandRefusal(
                code: .noSuchTarget,
                text: "\(target.uid) has no device \(target.device) in this call"
            )
        }
        return (person, device)
    }

    private func noTarget(_ sender: Sender) -> CommandRefusal {
        CommandRefusal(
            code: .noSuchTarget,
            text: "\(sender.name) is not in the call itself: the setting needs a target"
        )
    }
}
