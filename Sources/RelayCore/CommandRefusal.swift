import CallState
import RollcallProtocol

/// Why a command is refused: a code, and a sentence that says who may not do what and why.
struct CommandRefusal: Error, Hashable {
    var code: Code
    var text: String
}

/// Who sends a command, and what they may do.
struct Sender {
    /// What they may do now.
    var rights: Rights
    /// Their device; nil for an observer.
    var device: Slot?
    /// Their person; nil for an observer.
    var person: Slot?
    /// Their uid; may be empty for an observer.
    var uid: ByteString
    /// Their incarnation.
    var incarnation: UInt64
    /// Whether only moderators may moderate in the call.
    var moderatorsOnly: Bool

    /// How a sentence names them.
    var name: String {
        if !uid.isEmpty { return uid.string }
        return device == nil ? "an observer" : "somebody"
    }

    /// Refuses unless the sender may speak for itself.
    func mustParticipate(to act: @autoclosure () -> String) throws(CommandRefusal) {
        if rights.contains(.participate) || rights.contains(.actForOthers) { return }
        throw CommandRefusal(code: .denied, text: "\(name) may not \(act()): it lacks the right to speak for itself")
    }

    /// Refuses unless the sender may moderate.
    func mustModerate(to act: @autoclosure () -> String) throws(CommandRefusal) {
        if rights.contains(.moderate) { return }
        let why = moderatorsOnly ? "this call lets only moderators do so" : "it lacks the right to moderate"
        throw CommandRefusal(code: .denied, text: "\(name) may not \(act()): \(why)")
    }

    /// Refuses unless the sender may act for others.
    func mustAct(to act: @autoclosure () -> String, _ hint: String = "") throws(CommandRefusal) {
        if rights.contains(.actForOthers) { return }
        let why = "it lacks the right to act for others"
        throw CommandRefusal(code: .denied, text: "\(name) may not \(act()): \(why)\(hint)")
    }
}
