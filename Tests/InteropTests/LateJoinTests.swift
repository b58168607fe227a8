import CallState
import Foundation
import Rollcall
import RollcallProtocol
import Testing

/// The client in Python, written from Protocol/ alone, against the real relay and the client library.
@Suite(.enabled(if: Places.hasPython, "needs python3-protobuf and protobuf-compiler; Tools/setup installs them"))
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
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("rollcall-interop-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let socket = directory.appendingPathComponent("relay.sock").path
        let relay = try Program(
            Places.products.appendingPathComponent("rollcall-relay").path,
            ["--listen", "unix:\(socket)", "--listen", "tcp:127.0.0.1:0", "--log-level", "warning"]
        )
        let tcp = "tcp:" + (try await relay.line(after: "rollcall-relay: listening on tcp:"))

        let client = RollcallClient(.unix(socket))
        let observer = try await client.observe("history")
        var history = RandomHistory(client, session: "history", seed: seed)
        try await history.run(untilSeq: 2_500)

        // Two join in the middle, by either transport, and follow while the history goes on.
        let late = try ["unix:\(socket)", tcp].map { address in
            try Program(
                Places.python,
                [
                    "-B", Places.repository.appendingPathComponent("Tests/Interop/join_late.py").path,
                    "--connect", address, "--session", "history", "--announce", "--until", "-", "--for", "240",
                ] + (address == tcp ? ["--uid", "py"] : [])
            )
        }
        for program in late {
            let joined = try report(try #require(await program.line(), "the Python client did not join"))
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
            let last = try report(try #require(await program.line(), "the Python client did not reach \(end)"))
            #expect(await program.status() == 0)
            #expect(Position(epoch: last.epoch, seq: last.seq) == end)
            #expect(last.digest == expected)
            #expect(last.people == observer.state.people.map(\.uid))
            #expect(last.whole == true && last.snapshots == 1 && last.resyncs == 0 && last.deltas > 0)
        }
        await history.end()
        await observer.leave()
        relay.terminate()
        #expect(await relay.status() == 0)
    }

    private func report(_ line: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }
}
