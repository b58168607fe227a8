import CallState
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

/// Processes that are killed, stopped, and without descriptors.
@Suite(.timeLimit(.minutes(5)))
struct SignalTests {
    private func wait(on call: Call, _ isSo: @escaping (CallSnapshot) -> Bool) async {
        if isSo(call.state) { return }
        for await update in call.updates where isSo(update.state) { return }
    }

    /// A program of its own that is in the call as `uid`.
    private func member(_ uid: String, of relay: RelayProcess) throws -> ChildProcess {
        try ChildProcess(
            built: "rollcall-probe",
            [
                "set", "standup", "name=\(uid)", "--as", uid, "--stay", "1h", "--create", "--connect",
                "\(relay.address)",
            ]
        )
    }

    @Test("R-102: a client that is killed is reconnecting at once")
    func killedClient() async throws {
        let relay = try await RelayProcess("--grace", "2m")
        let ana = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ana"))
        let ben = try member("ben", of: relay)
        await wait(on: ana) { $0.person(uid: "ben")?.name == "ben" }
        ben.send(SIGKILL)
        #expect(await ben.end() == -SIGKILL)
        await wait(on: ana) { $0.person(uid: "ben")?.isReconnecting == true }
        #expect(ana.state.person(uid: "ben")?.isReconnecting == true)
        await ana.leave()
    }

    @Test("R-102: a client that is killed is gone as lost after its grace")
    func graceOfKilledClient() async throws {
        let relay = try await RelayProcess("--grace", "300ms")
        let ana = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ana"))
        let ben = try member("ben", of: relay)
        await wait(on: ana) { $0.person(uid: "ben")?.name == "ben" }
        // What comes after is told as one sum to whoever reads it late, and that ends with the same event.
        let before = ana.state
        ben.send(SIGKILL)
        var reasons: [LeaveReason] = []
        updates: for await update in ana.updates(since: before) {
            for case .left(let person, let reason) in update.events where person.uid == "ben" {
                reasons.append(reason)
                break updates
            }
        }
        #expect(reasons == [.lost])
        #expect(await ben.end() == -SIGKILL)
        await ana.leave()
    }

    @Test("R-101: a relay that stands still longer than anybody is silent makes nobody leave")
    func stoppedRelay() async throws {
        let relay = try await RelayProcess("--ping-interval", "50ms", "--dead-after", "1s", "--grace", "60s")
        let ana = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ana"))
        let ben = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ben"))
        relay.send(SIGSTOP)
        // Both find the relay silent, and try again until it runs.
        for await state in ana.connectionUpdates { if case .reconnecting = state { break } }
        for await state in ben.connectionUpdates { if case .reconnecting = state { break } }
        relay.send(SIGCONT)
        for call in [ana, ben] { for await state in call.connectionUpdates where state.isLive { break } }
        _ = try await ben.raiseHand()
        await wait(on: ana) { $0.person(uid: "ben")?.hand != nil }
        #expect(ana.joined.outcome == .resumed && ben.joined.outcome == .resumed)
        #expect(ana.state.peopleCount == 2)
        await ana.leave()
        await ben.leave()
    }

    @Test("R-104: a client that stands still is closed as lagged, the others notice nothing, and it comes back")
    func stoppedClient() async throws {
        let relay = try await RelayProcess("--stall-timeout", "300ms", "--socket-buffer", "4KiB")
        let ana = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ana"))
        let watcher = try ChildProcess(
            built: "rollcall-probe",
            ["watch", "standup", "--json", "--connect", "\(relay.address)"]
        )
        while try await RollcallClient(relay.address).calls().first?.observers != 1 {}
        _ = try await ana.setAttribute("n", [0])
        #expect(await watcher.output.next(with: "attribute") != nil)
        watcher.send(SIGSTOP)
        var number: UInt8 = 0
        // More than its buffers hold: it is closed once none of its bytes has left for so long.
        while try await RollcallClient(relay.address).calls().first?.observers != 0 {
            number &+= 1
            _ = try await ana.setAttribute("k\(number % 16)", [UInt8](repeating: number, count: 1_000))
        }
        watcher.send(SIGCONT)
        _ = try await ana.raiseHand()
        #expect(await watcher.output.next(with: #""field":"hand""#) != nil)
        #expect(ana.connection.isLive)
        watcher.send(SIGTERM)
        await ana.leave()
    }

    @Test("a relay without descriptors serves who is there, refuses who comes, and takes them once there are some")
    func noDescriptors() async throws {
        let scratch = try Scratch()
        let address = Address.unix(scratch.path + "/relay.sock")
        let command = "ulimit -n 40; exec \(Places.program("rollcall-relay")) --listen \(address) --idle 0"
        let relay = try ChildProcess("/bin/sh", ["-c", command])
        try #require(await relay.output.next(with: "rollcall-relay: ready") != nil)
        let ana = try await RollcallClient(address).join("standup", as: Identity(uid: "ana"))
        var options = ClientOptions()
        options.reconnect = .never
        var crowd: [Call] = []
        var refused = 0
        for number in 0..<60 {
            do {
                let client = RollcallClient(address, options: options)
                crowd.append(try await client.join("standup", as: Identity(uid: "u\(number)", device: "d")))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 20 && crowd.count > 10, "\(refused) refused, \(crowd.count) in")
        _ = try await ana.raiseHand()
        let last = try #require(crowd.last)
        await wait(on: last) { $0.person(uid: "ana")?.hand != nil }
        for call in crowd { await call.leave() }
        let late = try await RollcallClient(address).join("standup", as: Identity(uid: "late"))
        #expect(late.state.person(uid: "ana")?.hand != nil)
        await late.leave()
        await ana.leave()
        relay.send(SIGTERM)
        #expect(await relay.end() == 0)
    }
}
