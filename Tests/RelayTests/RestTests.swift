import CallState
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

extension RelayProcessTests {
    /// What the relay does when there is nothing to do, and when it can't do what it should.
    @Suite struct RestTests {
        @Test func withoutClientsNothingWakesIt() async throws {
            let relay = try await RelayProcess("--loops=1")
            let first = try await relay.counters()
            // No deadline: it sleeps until something comes from outside. Only our own questions have woken it since.
            #expect(first["next-deadline"] == nil)
            var last = first
            for _ in 0..<20 { last = try await relay.counters() }
            #expect(last["turns"]! - first["turns"]! <= 40)
            #expect(last["next-deadline"] == nil)
            guard let status = try? String(contentsOfFile: "/proc/\(relay.pid)/status", encoding: .utf8) else { return }
            func kibibytes(_ name: String) -> Int {
                let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
                return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
            }
            print("relay at rest: \(kibibytes("RssAnon:")) KiB of its own, \(kibibytes("VmRSS:")) KiB with libraries")
            #expect((1...4_096).contains(kibibytes("RssAnon:")))
        }

        @Test func afterTheLastClientItComesToRestAgain() async throws {
            let relay = try await RelayProcess(
                "--loops=1",
                "--ping-interval=20ms",
                "--dead-after=60ms",
                "--grace=10ms",
                "--hello-timeout=50ms"
            )
            let call = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ana", device: "d"))
            #expect(try await relay.counters()["next-deadline"] != nil)
            try await call.raiseHand()
            await call.leave()
            let rest = try await relay.counters { $0["connections"] == 0 && $0["next-deadline"] == nil }
            let later = try await relay.counters()
            #expect(later["turns"]! - rest["turns"]! <= 2)
            #expect(later["writes"] == rest["writes"])
        }

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit"), "needs prlimit"))
        func withoutDescriptorsItGoesOnAndAcceptsAgainLater() async throws {
            let relay = try await RelayProcess("--hello-timeout=1m")
            // From outside, since a relay that runs as root would raise its limit again at the start.
            let limiting = try await ChildProcess.run("/usr/bin/prlimit", ["--pid", "\(relay.pid)", "--nofile=24:24"])
            #expect(limiting.status == 0)

            let client = RollcallClient(relay.address)
            let call = try await client.join("standup", as: Identity(uid: "ana", device: "d"))
            var sockets: [BareSocket] = []
            for _ in 0..<60 { sockets.append(try BareSocket(relay.address)) }
            // All of them are either accepted or sent away; none is left waiting without a word.
            let full = try await relay.counters { $0["accepted"]! + $0["refused"]! >= 61 }
            #expect(full["refused"]! >= 30)
            #expect(full["connections"]! < 24)
            // Who is in goes on.
            try await call.raiseHand()
            #expect(call.state.raisedHands.map(\.uid) == ["ana"])
            for socket in sockets { socket.close() }
            _ = try await relay.counters { $0["connections"] == 1 }
            _ = try await client.ping()
            await call.leave()
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)

            let warnings = await relay.log.toTheEnd().filter { $0.contains(" warning accept-failed ") }
            #expect(!warnings.isEmpty)
            #expect(warnings.allSatisfy { $0.contains("EMFILE") && $0.contains("refused=") })
            // Once a second at most, by the lines' own times.
            #expect(warnings.count < full["refused"]!)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let seconds = warnings.compactMap { try? style.parse(String($0.prefix(24))) }
            #expect(seconds.count == warnings.count)
            for (one, next) in zip(seconds, seconds.dropFirst()) { #expect(next.timeIntervalSince(one) > 0.9) }
        }

        @Test func aLimitBelowWhatWasAskedForIsTold() async throws {
            let wanted = 1_000_000
            let relay = try await RelayProcess("--max-connections=\(wanted)")
            let limit = try? String(contentsOfFile: "/proc/\(relay.pid)/limits", encoding: .utf8)
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            let warned = await relay.log.toTheEnd().filter {
                $0.contains(" warning descriptor-limit wanted=1000064 granted=")
            }
            guard let limit, let line = limit.split(separator: "\n").first(where: { $0.hasPrefix("Max open files") }),
                let soft = line.split(separator: " ").compactMap({ Int($0) }).first
            else { return }
            #expect(warned.count == (soft < wanted + 64 ? 1 : 0))
            if soft < wanted + 64 { #expect(warned.first?.hasSuffix("granted=\(soft)") == true) }
        }
    }
}
