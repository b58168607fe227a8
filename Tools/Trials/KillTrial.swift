import CallState
import Foundation
import Processes
import Randomness
import Rollcall

/// The relay is killed again and again under load: everybody comes back, copies are equal, and what was acknowledged is
/// there, as far as the durability promises it.
package struct KillTrial: Sendable {
    /// How many clients there are.
    package var clients = 200
    /// How many calls they are in.
    package var calls = 4
    /// How often the relay is killed.
    package var kills = 200
    /// none, async or sync.
    package var durability = "sync"
    /// Clients that never come back after the first kill.
    package var deserters = 10
    /// Whether the end waits for the grace of the last start, and looks for ghosts.
    package var waitsForGhosts = true
    /// The pause of each client between two commands, in ms.
    package var pause = 100...500
    /// What moments and pauses are drawn from.
    package var seed: UInt64 = 1

    /// The trial as the figures want it.
    package init() {}

    /// Holds it.
    package func run(_ report: TrialReport) async throws {
        let scratch = try Scratch()
        let store = durability == "none" ? [] : ["--store", scratch.path + "/store.db", "--durability", durability]
        let options = store + ["--grace", "60s"]
        var relay = try await RelayProcess(options: options, scratch: scratch)
        let book = FrameBook()
        var client = ClientOptions()
        client.reconnect.base = .milliseconds(250)
        client.reconnect.cap = .milliseconds(500)
        report.figure(
            "kill -9",
            "\(kills) times under \(clients) clients in \(calls) calls, durability \(durability), seed \(seed)"
        )
        let crowd = try await Crowd.join(clients, calls: calls, at: relay.address, options: client, book)
        let gone = try await desert(at: relay.address)
        book.open()

        let ledger = Ledger(count: clients)
        let load = Task { await work(crowd, ledger) }
        var random = SplitMix64(seed: seed)
        var lost = 0
        var longest = Duration.zero
        for kill in 1...kills {
            // After some answers, and then at any moment of the next ones.
            try await ledger.wait(forMore: 1 + random.below(clients))
            try await Task.sleep(for: .microseconds(random.below(20_000)))
            let joins = crowd.members.indices.map { book.joins(of: $0) }
            relay.send(SIGKILL)
            _ = await relay.end()
            let killed = ContinuousClock.now
            relay = try await RelayProcess(options: options, scratch: scratch)
            try await crowd.waitUntilBack(book, since: joins)
            longest = max(longest, .now - killed)
            lost += try await ledger.lost(crowd, at: relay.address)
            if kill % 20 == 0 || kill == kills {
                report.figure("after \(kill) kills", "\(ledger.total) acknowledged, \(lost) lost")
            }
        }
        load.cancel()
        await load.value
        let different = try await crowd.settle(1)
        lost += try await ledger.lost(crowd, at: relay.address)
        let counts = book.now
        report.figure("commands acknowledged", "\(ledger.total)")
        report.figure("joins after kills", "\(counts.resumed) resumed, \(counts.otherOutcomes) anew")
        report.figure("snapshots", "\(counts.snapshots)")
        report.figure("longest until all were back", RestartTrial.seconds(longest))
        if durability == "sync" {
            report.require("acknowledged commands lost", lost, is: 0)
        } else {
            report.figure("acknowledged commands lost, which \(durability) may", "\(lost)")
        }
        report.require("copies repaired for their digest", counts.repairs, is: 0)
        report.require("replicas that differ", different, is: 0)
        if waitsForGhosts { try await lookForGhosts(crowd, report) }
        withExtendedLifetime(gone) {}
        await crowd.leave()
        relay.send(SIGTERM)
        _ = await relay.end()
    }

    /// Clients that join and do not come back once their link is lost.
    private func desert(at address: Address) async throws -> [Call] {
        var options = ClientOptions()
        options.reconnect = .never
        var calls: [Call] = []
        for number in 0..<deserters {
            let client = RollcallClient(address, options: options)
            calls.append(try await client.join("call-0", as: Identity(uid: "deserter-\(number)")))
        }
        return calls
    }

    /// Each client sets a number that rises, again and again.
    private func work(_ crowd: Crowd, _ ledger: Ledger) async {
        await withTaskGroup { group in
            for (index, member) in crowd.members.enumerated() {
                var random = SplitMix64(seed: seed &+ UInt64(index) &* 7_919)
                let pause = pause
                group.addTask {
                    var number = 0
                    while !Task.isCancelled {
                        let wait = pause.lowerBound + random.below(pause.count)
                        guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
                        number += 1
                        let value = Array("\(number)".utf8)
                        // What is refused or not answered was never promised.
                        if (try? await member.call.setAttribute("n", value)) != nil {
                            ledger.acknowledge(number, index)
                        }
                    }
                }
            }
        }
    }

    /// After the grace of the last start nobody is in who is not there.
    private func lookForGhosts(_ crowd: Crowd, _ report: TrialReport) async throws {
        let living = Set(crowd.members.map(\.uid))
        let seers = crowd.sessions.compactMap { session in crowd.members.first { $0.session == session }?.call }
        @Sendable func ghosts(_ state: CallSnapshot) -> Int { state.people.count { !living.contains($0.uid) } }
        let begun = ContinuousClock.now
        await withTaskGroup(of: Bool.self) { group in
            for call in seers {
                group.addTask {
                    for await update in call.updates where ghosts(update.state) == 0 { break }
                    return true
                }
            }
            // The grace after a restart is 60 s; whoever is still in after that is a ghost.
            group.addTask {
                try? await Task.sleep(for: .seconds(75))
                return false
            }
            var waiting = seers.count
            while waiting > 0, await group.next() == true { waiting -= 1 }
            group.cancelAll()
        }
        report.figure("the last of \(deserters) deserters was gone after", RestartTrial.seconds(.now - begun))
        report.require("ghosts after grace", seers.reduce(0) { $0 + ghosts($1.state) }, is: 0)
        let people = seers.reduce(0) { $0 + $1.state.peopleCount }
        report.require("people in the calls", people, is: crowd.members.count)
    }
}
