import CallState
import Foundation
import Options
import Rollcall
import RollcallProtocol
import ToolSupport

extension Probe {
    static func verify(_ context: ProbeContext) async throws {
        let session = context.settings[ProbeOptions.session]
        let time = Duration.milliseconds(context.settings[ProbeOptions.verifyFor])
        let follower = try await CallFollower(session, context, until: time)
        if follower.call.state.meeting == nil {
            await follower.end()
            throw try await context.unknown(session)
        }
        context.remark("verifying \(safeText(session)) from \(follower.start); Ctrl-C ends")

        var verification = DigestVerification()
        do {
            try await follow(follower, &verification, context)
            try await compareWithPeek(session, follower, &verification, context)
        } catch {
            await follower.end()
            throw error
        }
        await follower.end()
        if context.isJSON {
            try context.output.json(verification.json(session: session))
        } else {
            try context.output.line(verification.summary)
        }
        if let failure = verification.failure {
            throw ToolError(.dataError, failure, advice: "Keep the relay's log and a capture: this must never happen.")
        }
    }

    /// Compares until a signal comes.
    private static func follow(
        _ follower: CallFollower,
        _ verification: inout DigestVerification,
        _ context: ProbeContext
    ) async throws {
        for await event in follower.events {
            switch event {
            case .frame(let trace):
                try report(verification.take(trace.frame, before: trace.before, after: trace.after), context)
            case .connection(let state): try tell(state, context)
            case .signal: return
            }
        }
    }

    /// Asks for another snapshot, so that the comparison has an end even if no ping came.
    private static func compareWithPeek(
        _ session: String,
        _ follower: CallFollower,
        _ verification: inout DigestVerification,
        _ context: ProbeContext
    ) async throws {
        let peeked: CallSnapshot
        do throws(RollcallError) {
            peeked = try await context.client().peek(session)
        } catch {
            // The call may have ended meanwhile; then there is nothing to compare with.
            if error.code == .noSuchCall { return }
            throw ToolError(error, address: context.address)
        }
        // The copy may be a few frames behind; it gets two seconds.
        let deadline = TimeText.monotonic + 2000
        while follower.call.position < peeked.position, TimeText.monotonic < deadline {
            try? await Task.sleep(for: .milliseconds(5))
        }
        let own = follower.call.state.confirmed
        if own.position == peeked.position {
            try report(verification.compare(own, with: peeked.digest, source: .peek), context)
        }
    }

    private static func report(_ check: DigestVerification.Check?, _ context: ProbeContext) throws {
        if let check, context.isJSON { try context.output.json(check.json(time: TimeText.now)) }
    }
}
