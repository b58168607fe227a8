import CallState
import RollcallProtocol

// Whom a setting is about.
extension Call {
    /// The devices that a setting is about, ascending.
    func devices(_ target: Target?, _ sender: Sender) throws(CommandRefusal) -> [Slot] {
        guard let target else {
            guard let device = sender.device else { throw noTarget(sender) }
            return [device]
        }
        if target.everyone {
            return state.deviceSlots.filter { sender.person == nil || state.owner(of: $0) != sender.person }
        }
        let person = try self.person(target, sender)
        if target.device.isEmpty { return state.deviceSlots(of: person) }
        guard let device = state.deviceSlot(of: person, id: target.device) else {
            throw CommandRefusal(
                code: .noSuchTarget,
                text: "\(target.uid) has no device \(target.device) in this call"
            )
        }
        return [device]
    }

    /// The person that a setting is about.
    func person(_ target: Target?, _ sender: Sender) throws(CommandRefusal) -> Slot {
        guard let target else {
            guard let person = sender.person else { throw noTarget(sender) }
            return person
        }
        guard !target.everyone else {
            throw CommandRefusal(code: .invalid, text: "this setting can't be about everyone: name a uid")
        }
        guard !target.uid.isEmpty else {
            throw CommandRefusal(code: .invalid, text: "the target names no uid: leave it out for your own")
        }
        guard let person = state.personSlot(uid: target.uid) else {
            throw CommandRefusal(code: .noSuchTarget, text: "\(target.uid) is not in this call")
        }
        return person
    }

    private func noTarget(_ sender: Sender) -> CommandRefusal {
        CommandRefusal(
            code: .noSuchTarget,
            text: "\(sender.name) is not in the call itself: the setting needs a target"
        )
    }
}
