import CallState
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

/// Each command of the probe against a relay in a process of its own.
@Suite(.timeLimit(.minutes(2)))
struct ProbeRelayTests {
    /// A relay on a socket in a folder of its own.
    private final class Relay {
        let folder: Scratch
        let address: String
        let program: ChildProcess
        let client: RollcallClient

        init() async throws {
            folder = try Scratch()
            let path = folder.path + "/relay.sock"
            address = "unix:\(path)"
            client = RollcallClient(.unix(path))
            program = try await Self.start(address)
        }

        /// Starts a relay and waits until it listens.
        private static func start(_ address: String) async throws -> ChildProcess {
            let program = try ChildProcess(built: "rollcall-relay", ["--listen", address, "--ping-interval", "50ms"])
            while let line = await program.output.next() {
                if line.contains("listening on \(address)") { break }
            }
            return program
        }

        /// Starts another relay at the same address.
        func startAgain() async throws -> ChildProcess { try await Self.start(address) }

        deinit { program.send(SIGTERM) }

        func probe(_ arguments: String...) async throws -> ChildProcess.Ending {
            try await runProbe(arguments, environment: ["ROLLCALL_CONNECT": address, "TZ": "UTC"])
        }

        func start(_ arguments: String...) throws -> ChildProcess {
            try ChildProcess(
                built: "rollcall-probe",
                arguments,
                environment: ["ROLLCALL_CONNECT": address, "TZ": "UTC"]
            )
        }

        /// Waits until so many observe the call.
        func waitForObservers(_ count: UInt64, in session: String) async throws {
            while try await client.calls().first(where: { $0.session.string == session })?.observers != count {}
        }

        /// A call of ana, who presents, and ben, who has his hand up.
        func standup() async throws -> (ana: Call, ben: Call) {
            let ana = try await client.join(
                "standup",
                as: Identity(uid: "ana", device: "laptop"),
                status: Status(audio: .on, video: .on, isPresenting: true)
            )
            let ben = try await client.join("standup", as: Identity(uid: "ben", device: "phone"))
            try await ben.raiseHand()
            try await ana.startRecording()
            return (ana, ben)
        }
    }

    private func object(_ line: String?) throws -> [String: Any] {
        let objects = try json(try #require(line))
        return try #require(objects.first)
    }

    private func json(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `An empty relay has no calls, and an unknown session ends with 66`() async throws {
        let relay = try await Relay()
        #expect(try await relay.probe("calls").output == "no calls\n")
        #expect(try await relay.probe("calls", "--json").output == "")
        for command in ["snapshot", "watch", "verify"] {
            let ending = try await relay.probe(command, "standup")
            #expect(ending.status == 66, "\(command)")
            #expect(ending.errors.contains("nobody is in a call \"standup\""), "\(command)")
        }
        let set = try await relay.probe("set", "standup", "--as", "ana", "hand=up")
        #expect(set.status == 66)
        #expect(try await relay.client.calls().isEmpty)
    }

    @Test func `Attendance shows who was there, as a table, as JSON and as CSV`() async throws {
        let relay = try await Relay()
        #expect(try await relay.probe("attendance").output == "no meetings\n")
        let (ana, ben) = try await relay.standup()
        try await ben.setName("=1+1")
        let phone = try await relay.client.join("standup", as: Identity(uid: "ana", device: "phone"))
        await ben.leave()

        let table = try await relay.probe("attendance", "standup")
        #expect(table.status == 0 && table.errors.isEmpty)
        #expect(table.output.contains("2 people, 3 devices") && table.output.contains("recorded"))
        #expect(table.output.contains("  ana     -     2 devices  "))
        #expect(table.output.contains("  ben     =1+1  phone      "))
        #expect(try await relay.probe("attendance", "--devices").output.split(separator: "\n").count == 3 + 1 + 2 + 3)

        let meeting = try object(try await relay.probe("attendance", "--json").output)
        #expect(meeting["session"] as? String == "standup" && meeting["endedAt"] is NSNull)
        let people = try #require(meeting["participants"] as? [[String: Any]])
        #expect(people.map { $0["uid"] as? String } == ["ana", "ben"] && people[0]["leftAt"] is NSNull)
        #expect((people[0]["devices"] as? [[String: Any]])?.map { $0["device"] as? String } == ["laptop", "phone"])

        let csv = try await relay.probe("attendance", "--csv", "--uid", "ben").output
        let rows = csv.split(separator: "\r\n")
        #expect(rows.count == 2 && rows[0].hasPrefix("session,meeting,title,") && rows[1].contains(",ben,'=1+1,1,"))
        #expect(try await relay.probe("attendance", "--csv", "--devices").output.split(separator: "\r\n").count == 4)

        await phone.leave()
        await ana.leave()
        #expect(try await relay.probe("attendance", "--only", "running").output == "no meetings\n")
        #expect(
            try await relay.probe("attendance", "--only", "running", "--csv").output.split(separator: "\r\n").count == 1
        )
        #expect(try await relay.probe("attendance", "standup", "--until", "2020-01-01").output == "no meetings\n")
        #expect(try await relay.probe("attendance", "--recording", "with", "--since", "1h").output.contains("standup"))
        let unknown = try await relay.probe("attendance", "standpu")
        #expect(unknown.status == 66 && unknown.errors.contains("Did you mean standup?"))
    }

    @Test func `Attendance is paged through to the limit`() async throws {
        let relay = try await Relay()
        for number in 0..<5 {
            await (try await relay.client.join("call-\(number)", as: Identity(uid: "ana", device: "d"))).leave()
        }
        let all = try json(try await relay.probe("attendance", "--json").output)
        #expect(all.map { $0["session"] as? String } == (0..<5).reversed().map { "call-\($0)" })
        let two = try json(try await relay.probe("attendance", "--json", "--limit", "2").output)
        #expect(two.map { $0["session"] as? String } == ["call-4", "call-3"])
    }

    @Test func `Calls, snapshot and conns show the call`() async throws {
        let relay = try await Relay()
        let (ana, ben) = try await relay.standup()

        let calls = try await relay.probe("calls")
        #expect(calls.output.split(separator: "\n").count == 2)
        #expect(calls.output.contains("standup       2          0      1  on"))
        let call = try object(try await relay.probe("calls", "--json").output)
        #expect(call["session"] as? String == "standup")
        #expect(call["people"] as? Int == 2)

        let snapshot = try await relay.probe("snapshot", "standup")
        #expect(snapshot.status == 0)
        #expect(snapshot.output.contains("  1  ana     on     on   yes    -"))
        #expect(snapshot.output.contains("  2  ben     muted  off  -      1st"))
        #expect(snapshot.output.contains("recording since"))
        #expect(!snapshot.output.contains("\u{1B}"))
        #expect(try await relay.probe("snapshot", "standup", "--color", "always").output.contains("\u{1B}[32mon"))
        let state = try object(try await relay.probe("snapshot", "standup", "--json").output)
        #expect(state["digest"] as? String == String(format: "%016lx", ana.digest))
        #expect((state["people"] as? [[String: Any]])?.map { $0["uid"] as? String } == ["ana", "ben"])

        let near = try await relay.probe("snapshot", "standpu")
        #expect(near.status == 66)
        #expect(near.errors.contains("Did you mean standup?"))

        let connections = try json(try await relay.probe("conns", "--json").output)
        #expect(connections.count { $0["session"] as? String == "standup" } == 2)
        #expect(connections.allSatisfy { $0["lag"] as? Int == 0 })
        #expect(try await relay.probe("conns").output.contains("standup  ben  phone"))
        #expect(try await relay.probe("completions", "sessions").output == "standup\n")
        await ben.leave()
        await ana.leave()
    }

    @Test func `Watch tells each change and who caused it, and ends on a signal`() async throws {
        let relay = try await Relay()
        let (ana, ben) = try await relay.standup()
        let watch = try relay.start("watch", "standup", "--json")
        let hands = try relay.start("watch", "standup", "--field", "hand")
        try await relay.waitForObservers(2, in: "standup")
        try await ana.lowerHand("ben")
        try await ben.setAudio(.on)

        let lowered = try object(await watch.output.next())
        #expect(lowered["uid"] as? String == "ben")
        #expect(lowered["field"] as? String == "hand")
        #expect(lowered["old"] as? String == "1st")
        #expect(lowered["new"] as? String == "down")
        #expect(lowered["by"] as? String == "ana")
        let unmuted = try object(await watch.output.next())
        #expect(unmuted["field"] as? String == "mic")
        #expect(unmuted["cause"] as? String == "self")

        let line = try #require(await hands.output.next())
        #expect(line.contains("  ben       hand      1st -> down       (by ana)"))
        watch.send(SIGINT)
        hands.send(SIGTERM)
        #expect(await watch.ending().status == 0)
        let end = await hands.ending()
        #expect(end.status == 0)
        #expect(end.output == "")
        try await relay.waitForObservers(0, in: "standup")
        await ben.leave()
        await ana.leave()
    }

    @Test func `Watch ends after its time, and when nobody reads any more`() async throws {
        let relay = try await Relay()
        let (ana, ben) = try await relay.standup()
        #expect(try await relay.probe("watch", "standup", "--for", "50ms").status == 0)
        let pipe = Pipe()
        let watch = try ChildProcess(
            built: "rollcall-probe",
            ["watch", "standup", "--connect", relay.address],
            standardOutput: pipe.fileHandleForWriting
        )
        try pipe.fileHandleForWriting.close()
        try await relay.waitForObservers(1, in: "standup")
        try pipe.fileHandleForReading.close()
        let ending = await watch.ending()
        #expect(ending.status == 0)
        #expect(ending.errors == "")
        await ben.leave()
        await ana.leave()
    }

    @Test func `Watch may wait for a call to begin`() async throws {
        let relay = try await Relay()
        let watch = try relay.start("watch", "later", "--wait", "--json", "--field", "presence")
        // An observer creates no call, so that nothing lists it; the first who joins may come before it.
        let ana = try await relay.client.join("later", as: Identity(uid: "ana"))
        try await relay.waitForObservers(1, in: "later")
        let ben = try await relay.client.join("later", as: Identity(uid: "ben"))
        var seen: [String] = []
        while !seen.contains("ben"), let line = await watch.output.next() {
            seen.append(try #require(try object(line)["uid"] as? String))
        }
        #expect(seen == ["ana", "ben"] || seen == ["ben"])
        watch.send(SIGINT)
        #expect(await watch.ending().status == 0)
        await ben.leave()
        await ana.leave()
    }

    @Test func `Set joins, changes and leaves`() async throws {
        let relay = try await Relay()
        let (ana, ben) = try await relay.standup()
        let ending = try await relay.probe("set", "standup", "--as", "ana", "lower=ben", "title=Daily", "--json")
        #expect(ending.status == 0, "\(ending.errors)")
        let seq = try #require((try object(ending.output)["position"] as? [String: Any])?["seq"] as? UInt64)
        // One commit for the join, one for the settings, one for leaving.
        for await update in ana.updates where update.state.position.seq > seq { break }
        #expect(ana.state.title == "Daily")
        #expect(ana.state.raisedHands.isEmpty)
        #expect(ana.state.person(uid: "ana")?.devices.map(\.deviceID) == ["laptop"])

        #expect(try await relay.probe("set", "standup", "--as", "ana", "lock-mic=nobody").status == 66)
        let denied = try await relay.probe("set", "standup", "--as", "dan", "speaker=ana")
        #expect(denied.status == 77)
        #expect(denied.errors.contains("act for others"))
        #expect(try await relay.probe("set", "standup", "--as", "bot", "--bot", "speaker=ana").status == 0)
        #expect(try await relay.client.peek("standup").dominantSpeaker?.uid == "ana")
        #expect(try await relay.probe("set", "other", "--as", "ana", "--create", "hand=up").status == 0)
        await ben.leave()
        await ana.leave()
    }

    @Test func `Set stays as long as it is told to`() async throws {
        let relay = try await Relay()
        let set = try relay.start(
            "set",
            "standup",
            "--as",
            "ana",
            "--device",
            "tv",
            "--create",
            "hand=up",
            "--stay",
            "1h"
        )
        #expect(try #require(await set.output.next()).hasSuffix(": hand=up"))
        #expect(try await relay.client.peek("standup").person(uid: "ana")?.devices.map(\.deviceID) == ["tv"])
        set.send(SIGINT)
        #expect(await set.ending().status == 0)
        let calls = try await relay.client.calls()
        #expect(calls.allSatisfy { $0.people == 0 })
    }

    @Test func `Verify compares with the relay's digests`() async throws {
        let relay = try await Relay()
        let (ana, ben) = try await relay.standup()
        let verify = try relay.start("verify", "standup", "--for", "1h", "--json")
        try await relay.waitForObservers(1, in: "standup")
        for _ in 0..<5 {
            try await ben.setAudio(.on)
            try await ben.setAudio(.muted)
        }
        var lines: [[String: Any]] = []
        while (lines.last?["position"] as? [String: Any])?["seq"] as? UInt64 != ben.position.seq {
            lines += try json(try #require(await verify.output.next()))
        }
        verify.send(SIGINT)
        let ending = await verify.ending()
        #expect(ending.status == 0, "\(ending.errors)")
        lines += try json(ending.output)
        #expect(lines.dropLast().allSatisfy { $0["equal"] as? Bool == true })
        let verdict = try #require(lines.last)
        #expect(verdict["equal"] as? Bool == true)
        let updates = try #require(verdict["updates"] as? Int)
        #expect(updates > 0)
        let end = try #require(verdict["position"] as? [String: Any])
        #expect(end["seq"] as? UInt64 == ben.position.seq)
        #expect(lines.contains { $0["source"] as? String == "peek" })
        let text = try await relay.probe("verify", "standup", "--for", "100ms")
        #expect(text.output.hasPrefix("digest equal at "))
        #expect(text.output.contains("\(ana.position)"), "\(text.output)")
        await ben.leave()
        await ana.leave()
    }

    @Test func `Ping measures`() async throws {
        let relay = try await Relay()
        let ping = try await relay.probe("ping", "--count", "2", "--interval", "0")
        #expect(ping.status == 0)
        let lines = ping.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[2].hasPrefix("2 answers: least "))
        let one = try json(try await relay.probe("ping", "--count", "1", "--json").output)
        #expect(one.count == 1)
        #expect(one[0].keys.sorted() == ["ping", "roundTripMs"])
    }

    @Test func `Watch goes on when a relay that has stopped is back`() async throws {
        let relay = try await Relay()
        let (ana, ben) = try await relay.standup()
        let watch = try relay.start("watch", "standup", "--json", "--field", "presence")
        try await relay.waitForObservers(1, in: "standup")
        relay.program.send(SIGTERM)
        #expect(await relay.program.ending().status == 0)

        let again = try await relay.startAgain()
        let chloe = try await relay.client.join("standup", as: Identity(uid: "chloe"))
        try await relay.waitForObservers(1, in: "standup")
        let dan = try await relay.client.join("standup", as: Identity(uid: "dan"))
        while let line = await watch.output.next() {
            if try object(line)["uid"] as? String == "dan" { break }
        }
        watch.send(SIGINT)
        let ending = await watch.ending()
        #expect(ending.status == 0)
        #expect(ending.errors.contains("connecting again"))
        for call in [ana, ben, chloe, dan] { await call.leave() }
        again.send(SIGTERM)
        #expect(await again.ending().status == 0)
    }
}
