import Foundation
import Rollcall
import TestSupport
import Testing

/// The call logs as the client in Python reads them, against those of the client library.
@Suite(.enabled(if: Places.hasProtobuf, "needs python3-protobuf and protobuf-compiler; Tools/setup installs them"))
struct CallLogTests {
    /// What call_logs.py prints for a meeting.
    struct Line: Decodable {
        var session: String
        var meeting: String
        var ended: Bool
        var duration: UInt64
        var people: [String]
        var devices: [[String]]
        var recordings: Int
        var findings: [String]
    }

    @Test("R-111 R-113 R-114 R-115: a client in Python reads the same call logs", .timeLimit(.minutes(3)))
    func sameLogs() async throws {
        let scratch = try Scratch()
        let socket = "\(scratch.path)/relay.sock"
        let relay = try await RelayProcess(
            options: ["--listen", "unix:\(socket)", "--log-level", "warning"],
            scratch: scratch
        )
        let client = RollcallClient(.unix(socket))
        for number in 0..<7 {
            let session = "call \(number % 3)"
            let ana = try await client.join(session, as: Identity(uid: "ana", device: "laptop"))
            let phone = try await client.join(
                session,
                as: Identity(uid: "ana", name: "Ana", device: "phone"),
                status: Status(audio: .on, video: .on)
            )
            let ben = try await client.join(session, as: Identity(uid: "ben \(number)", device: "desk"))
            if number == 4 { try await ana.startRecording() }
            await ana.leave()
            await ben.leave()
            await phone.leave()
        }
        // A meeting that needs several frames: each name and picture as long as they may be.
        let host = try await client.join("large", as: Identity(uid: "host", device: "d"))
        let long = String(repeating: "x", count: 2_000)
        for number in 0..<60 {
            let name = String(repeating: "n", count: 250)
            let guest = try await client.join(
                "large",
                as: Identity(uid: "guest \(number)", name: name, avatar: long, device: "d")
            )
            await guest.leave()
        }
        await host.leave()

        let page = try await client.attendance(limit: 100)
        #expect(page.meetings.count == 8 && page.meetings[0].participants.count == 61)
        for options in [[], ["--limit", "3"], ["--session", "call 1"], ["--uid", "ben 5"]] {
            let lines = try await read(socket, options)
            let expected = page.meetings.filter { meeting in
                switch options.first {
                case "--session": meeting.session == options[1]
                case "--uid": meeting.participants.contains { $0.uid == options[1] }
                default: true
                }
            }
            #expect(!lines.isEmpty && lines.map(\.meeting) == expected.map(\.meeting))
            for (line, meeting) in zip(lines, expected) {
                #expect(line.findings.isEmpty && line.ended && line.session == meeting.session)
                #expect(line.people == meeting.participants.map(\.uid))
                #expect(line.devices == meeting.participants.map { $0.devices.map(\.deviceID) })
                #expect(line.duration == meeting.time.duration && line.recordings == meeting.recordings.count)
            }
        }
        relay.send(SIGTERM)
        #expect(await relay.end() == 0)
    }

    private func read(_ socket: String, _ options: [String]) async throws -> [Line] {
        let script = Places.file("Tests/Interop/call_logs.py")
        let program = try ChildProcess(Places.python, ["-B", script, "--connect", "unix:\(socket)"] + options)
        let ending = await program.ending()
        #expect(ending.status == 0, "\(ending.errors)")
        return try ending.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }
}
