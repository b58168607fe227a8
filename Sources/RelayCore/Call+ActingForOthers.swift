import CallState
import RollcallProtocol

// What only who acts for others may do: bring devices in and out, state the dominant speaker.
extension Call {
    /// Brings a device in, or takes over one whose link is lost or that somebody brought in.
    mutating func bringIn(
        _ facts: BringIn,
        _ target: Target?,
        _ sender: Sender,
        _ context: CommandContext,
        _ consequences: inout CommandConsequences
    ) throws(CommandRefusal) {
        try sender.mustAct(to: "bring a device in")
        guard let target else {
            throw CommandRefusal(code: .invalid, text: "bringing in needs the uid and the device as target")
        }
        try mustFit("the uid", target.uid.count, in: WireLimits.uid)
        try mustFit("the device", target.device.count, in: WireLimits.device)
        try mustFit("the name", facts.name?.count ?? 0, in: WireLimits.name)
        try mustFit("the avatar", facts.avatar?.count ?? 0, in: WireLimits.avatar)
        guard isOccupied || state.value(CallField.meetingID, of: .call) == nil else {
            throw CommandRefusal(
                code: .invalid,
                text: "the command has taken everybody out, which ends the meeting: bring in with another command"
            )
        }
        var newcomer = Newcomer(uid: target.uid, device: target.device)
        newcomer.name = facts.name
        newcomer.avatar = facts.avatar
        newcomer.role = facts.role
        newcomer.audioMuted = facts.audioMuted ?? true
        newcomer.videoPaused = facts.videoPaused ?? true
        newcomer.presenting = facts.presenting ?? false

        let limits = AdmissionLimits(people: context.limits.people, devices: context.maximumDevicesPerPerson)
        switch admission(of: target.uid, device: target.device, within: limits) {
        case .new:
            consequences.brought.append(add(newcomer, terms: context.terms))
        case .present(let person, let device):
            if let record = records[device], record.broughtBy == nil, record.connection != nil {
                throw CommandRefusal(
                    code: .invalid,
                    text: "device \(target.device) of \(target.uid) is in the call with a link of its own"
                )
            }
            takeOver(device, of: person, by: newcomer)
            consequences.brought.append(device)
        case .refused(.limit, let text):
            throw CommandRefusal(code: .full, text: text)
        case .refused(_, let text):
            throw CommandRefusal(code: .heldDown, text: text)
        }
    }

    mutating func takeOut(
        _ reason: LeaveReason,
        _ target: Target?,
        _ sender: Sender,
        _ consequences: inout CommandConsequences
    ) throws(CommandRefusal) {
        try sender.mustAct(to: "take a device out")
        guard let target else {
            throw CommandRefusal(code: .invalid, text: "taking out needs the uid as target")
        }
        guard [.unspecified, .left, .lost].contains(reason) else {
            throw CommandRefusal(code: .invalid, text: "who is taken out has left or is lost, not \(reason.rawValue)")
        }
        for device in try devices(target, sender) {
            let known: LeaveReason = reason == .unspecified ? .left : reason
            consequences.takenOut.append(departed(device, known))
            state.removeDevice(device, at: clock, reason: known)
        }
    }

    mutating func stateDominantSpeaker(
        _ uid: ByteString,
        _ sender: Sender,
        _ consequences: inout CommandConsequences
    ) throws(CommandRefusal) {
        try sender.mustAct(to: "state the dominant speaker")
        try mustBeOccupied(sender)
        let person = uid.isEmpty ? nil : try self.person(Target(uid: uid), sender)
        state.setDominantSpeaker(person)
        consequences.stated = .some(person)
    }
}
