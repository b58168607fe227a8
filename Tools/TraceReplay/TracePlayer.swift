package import CallState
package import Rollcall
import RollcallProtocol
package import Traces

/// Plays the steps of a plan through one client that may act for others, as fast as the relay answers.
///
/// The people of the trace need no connections of their own, so that a test has the machine for the clients it looks
/// at.
package struct TracePlayer: Sendable {
    /// The client that acts: an observer, whose state is the relay's record of the call.
    package let call: Call
    private let electsDominantSpeaker: Bool

    /// Watches `session` as the client that will act in it.
    ///
    /// - Parameters:
    ///   - electsDominantSpeaker: Whether the relay is told who speaks, and chooses; else speech is left out, since the
    ///     plan states the choice. A choice takes half a second of real time, which a fast replay does not give it.
    /// - Throws: ``RollcallError/Code/forbidden`` when the relay does not let this process act for others.
    package init(
        _ client: RollcallClient,
        session: String,
        electsDominantSpeaker: Bool = false
    ) async throws(RollcallError) {
        self.electsDominantSpeaker = electsDominantSpeaker
        call = try await client.observe(session, as: Identity(uid: "trace-player", device: "player"))
        guard call.rights.contains(.actForOthers) else {
            throw RollcallError(
                code: .forbidden,
                message: "the relay does not let this process act for others: connect over UNIX as the relay's user, "
                    + "or run the relay with --open-admin"
            )
        }
    }

    /// Plays `steps` in one commit, and returns when the relay has done so.
    ///
    /// - Returns: The position at which it was so; nil when none of the steps sets anything.
    /// - Throws: Why the relay refused; then none of the steps that set something has happened.
    package func play(_ steps: some Sequence<PlanStep>) async throws(RollcallError) -> Position? {
        var settings: [Setting] = []
        for step in steps {
            if let setting = step.action.settingByBot {
                settings.append(setting)
            } else if case .setSpeaking(let device, let speaks) = step.action, electsDominantSpeaker {
                call.speaking(speaks, for: device.uid, device: device.device)
            }
        }
        return settings.isEmpty ? nil : try await call.perform(settings)
    }
}
