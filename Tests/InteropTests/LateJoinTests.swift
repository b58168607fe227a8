import CallState
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

/// The client in Python, written from Protocol/ alone, against the real relay and the client library.
@Suite(.enabled(if: Places.hasProtobuf, "needs python3-protobuf and protobuf-compiler; Tools/setup installs them"))
struct LateJoinTests {
    /// What join_late.py prints.
    struct Report: Decodable {
        var epoch: UInt64
        var seq: UInt64
        var digest: String
        var whole: Bool?
        var people: [String]
        var snapshots: Int
        var deltas: Int
        var resyncs: Int
    }

    @Test("A client in Python joins late and agrees by digest after 5,000 commits", .timeLimit(.minutes(5)))
    func pythonJoinsLateAndAgrees() async throws {
        let seed =
            ProcessInfo.processInfo.environment["ROLLCALL_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        print("interop: ROLLCALL_SEED=\(seed)")
        let scratch = try Scratch()
        let socket = "\(scratch.path)/relay.sock"
        let relay = try await RelayProcess(
            options: ["--listen", "unix:\(socket)", "--listen", "tcp:127.0.0.1:0", "--log-level", "warning"],
            scratch: scratch
        )

        let client = RollcallClient(.unix(socket))
        let observer = try await client.observe("history")
        var history = RandomHistory(client, session: "history", seed: seed)
        try await history.run(untilSeq: 2_500)

        // Two join in the middle, by either transport, and follow while the history goes on.
        let late = try relay.addresses.map { address in
            try ChildProcess(
                Places.python,
                [
                    "-B", Places.file("Tests/Interop/join_late.py"),
                    "--connect", "\(address)", "--session", "history", "--announce", "--until", "-", "--for", "240",
                ] + (address == relay.address ? [] : ["--uid", "py"])
            )
        }
        for program in late {
            let joined = try report(try #require(await program.output.next(), "the Python client did not join"))
            #expect(joined.snapshots == 1)
            #expect(joined.seq >= 2_500 && joined.seq < 5_000)
        }
        try await history.run(untilSeq: 5_000)

        let end = history.position
        for await update in observer.updates where update.state.position >= end { break }
        #expect(observer.position == end)
        let digest = String(observer.digest, radix: 16)
        let expected = String(repeating: "0", count: 16 - digest.count) + digest
        for program in late {
            program.write("\(end.epoch).\(end.seq)")
            let last = try report(try #require(await program.output.next(), "the Python client did not reach \(end)"))
            #expect(await program.end() == 0)
            #expect(Position(epoch: last.epoch, seq: last.seq) == end)
            #expect(last.digest == expected)
            #expect(last.people == observer.state.people.map(\.uid))
            #expect(last.whole == true && last.snapshots == 1 && last.resyncs == 0 && last.deltas > 0)
        }
        await history.end()
        await observer.leave()
        relay.send(SIGTERM)
        #expect(await relay.end() == 0)
    }

    private func report(_ line: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }
}
