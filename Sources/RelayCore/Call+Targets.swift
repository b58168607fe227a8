import CallState
import RollcallProtocol

/// Whom a kind of setting can be about.
private enum Scope {
    /// A device, all devices of a person, or everyone's; the setting looks for them before it asks anything else.
    case device
    /// A person or everyone; the same.
    case people
    /// A person.
    case person
    /// A person; the setting looks for them before it asks anything else.
    case described
    /// The call: no target. Who acts for others may name the person who records.
    case call(namesPerson: Bool)
    /// A device that need not be in, or a person; the setting itself looks.
    case outsider

    /// Whom `change` can be about.
    // No initializer: what one is given is copied.
    static func of(_ change: Setting.Change?) -> Scope {
        switch change {
        case .audioMuted?, .videoPaused?, .presenting?: .device
        case .handRaised?: .people
        case .name?, .avatar?, .attribute?: .described
        case .role?, .audioLocked?, .videoLocked?, .unmuteRequest?: .person
        case .recording?: .call(namesPerson: true)
        case .spotlight?, .title?, .callAttribute?, .callLocked?, .moderation?, .standingMute?, .standingCameraOff?,
            .handsEnabled?, .presenters?, .grace?, .idle?, .dominantSpeaker?:
            .call(namesPerson: false)
        case .removed?, .bringIn?, .takeOut?, nil: .outsider
        }
    }
}

/// The devices that a setting is about: nearly always one, which takes no memory of its own.
struct DeviceList: Sequence, IteratorProtocol {
    private var one: Slot?
    private var several: [Slot] = []
    private var place = 0

    /// One device.
    init(_ device: Slot) { one = device }

    /// Any number of devices.
    init(_ devices: [Slot]) { several = devices }

    /// The next device; nil behind the last one.
    mutating func next() -> Slot? {
        if let device = one {
            one = nil
            return device
        }
        guard place < several.count else { return nil }
        place += 1
        return several[place - 1]
    }
}

// Whom a setting is about.
//
// What is done for each command is `mutating` even where it only looks, since the call is then read where it is; else
// all of it is copied.
extension Call {
    /// Refuses a target that a setting can't have, before anything else is asked: a wrong target must never be taken
    /// for another one.
    mutating func check(_ target: Target?, of change: Setting.Change?) throws(CommandRefusal) {
        switch change {
        case .role(let role)?: try check(role)
        case .bringIn(let facts)?: try check(facts.role)
        default: break
        }
        guard let target else { return }
        let scope = Scope.of(change)
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
            if case .removed? = change, !target.device.isEmpty {
                throw CommandRefusal(code: .invalid, text: "a person is removed, not a device: leave the device out")
            }
        case .device, .people, .described: break
        case .person, .call: _ = try known(target)
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
    mutating func devices(_ target: Target?, _ sender: Sender) throws(CommandRefusal) -> DeviceList {
        guard let target else {
            guard let device = sender.device else { throw noTarget(sender) }
            return DeviceList(device)
        }
        if target.everyone { return DeviceList(others(than: sender)) }
        let known = try known(target)
        if let device = known.device { return DeviceList(device) }
        return DeviceList(state.deviceSlots(of: known.person))
    }

    /// The devices of everyone but the sender, ascending.
    private func others(than sender: Sender) -> [Slot] {
        return state.deviceSlots.filter { sender.person == nil || state.owner(of: $0) != sender.person }
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
