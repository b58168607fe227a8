import CallState
import RollcallProtocol

/// The limits that decide who gets in.
struct AdmissionLimits {
    var people: UInt64
    var devices: Int
}

/// Whether somebody gets in.
enum Admission {
    /// As a device that is not in yet.
    case new
    /// As a device that is in: its person's slot and its own.
    case present(person: Slot, device: Slot)
    /// Not at all.
    case refused(Code, String)
}

extension Call {
    /// Whether a device of a person gets in, as the call is now.
    func admission(of uid: ByteString, device: ByteString, within limits: AdmissionLimits) -> Admission {
        if removed.contains(uid) {
            return .refused(.removed, "\(uid) was removed from this call and stays out until the meeting ends")
        }
        if let person = state.personSlot(uid: uid) {
            if let device = state.deviceSlot(of: person, id: device) { return .present(person: person, device: device) }
            if state.deviceSlots(of: person).count >= limits.devices {
                return .refused(.limit, "\(uid) is in this call with \(limits.devices) devices, which is the limit")
            }
            return .new
        }
        if state.flag(CallField.locked, of: .call) {
            return .refused(.locked, "the call is locked: \(uid) is not in it and can't come in")
        }
        if UInt64(state.peopleCount) >= limits.people {
            return .refused(.limit, "the call has \(limits.people) people, which is the limit")
        }
        return .new
    }
}
