import Rollcall
import RollcallProtocol
import ToolSupport

/// A great many connections that say nothing, watched together.
struct HostileCrowd {
    let address: Address
    let count: Int
    /// How long an end may take after the last connection was made.
    let wait: Duration

    func run() throws -> HostileOutcome {
        var outcome = HostileOutcome()
        let wanted = count + 100
        let limit = ProcessSetup.raiseOpenFiles(to: UInt64(wanted))
        outcome.notes.append("descriptor limit \(limit)" + (limit < wanted ? ", \(wanted) were wanted" : ""))
        let start = ContinuousClock.now
        var sockets: [BareSocket] = []
        sockets.reserveCapacity(count)
        for index in 0..<count {
            do {
                sockets.append(try BareSocket(address))
            } catch {
                outcome.notes.append("connection \(index + 1) failed: \(error)")
                break
            }
        }
        outcome.notes.append("made in \(Self.text((ContinuousClock.now - start).inSeconds)) s")
        // They are read one after the other: each has its own deadline at the relay, and what it said stays in the
        // kernel.
        let deadline = ContinuousClock.Instant.in(wait)
        for socket in sockets {
            outcome.count(try HostileGenerator.end(of: BareConnection(socket), before: deadline))
            socket.close()
        }
        outcome.seconds = (ContinuousClock.now - start).inSeconds
        return outcome
    }

    private static func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
}
