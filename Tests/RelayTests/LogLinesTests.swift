import CallState
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

extension RelayProcessTests {
    /// The log of a running relay: every line is whole, whatever peers call themselves.
    @Suite struct LogLinesTests {
        /// Names that try to break out of a line, of its quotes, or of the terminal.
        private static let hostile = [
            "a\nb", "\r\n2026 error fake", "\" , \"level\":\"error", "\\", "\u{1b}[2J", "\u{85}\u{2028}\u{2029}",
            "\u{202e}txt.exe", "x=1 y=2", "{}", "\u{0}\u{7f}", "Zoë 🙂", "",
        ]

        /// Lets clients with hostile names join, leave, be refused and send rubbish, then stops the relay.
        private func busyRun(_ format: String) async throws -> [String] {
            let relay = try await RelayProcess("--log-format=\(format)", "--log-level=debug", "--max-frame=1KiB")
            for name in Self.hostile {
                let client = try BareSocket(relay.address)
                client.greet()
                client.send(.joining(ByteString("s \(name)"), ByteString(name)))
                client.send(.leave(LeaveReason(rawValue: 1)))
                while try client.receive() != nil {}
                client.close()
            }
            let twice = try BareSocket(relay.address)
            twice.greet()
            twice.send(.greeting)
            let rubbish = try BareSocket(relay.address)
            rubbish.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            let tooLong = try BareSocket(relay.address)
            tooLong.send(FrameSplitter.preface + [0xff, 0xff, 0xff, 0xff])
            for (client, code) in [(twice, Code.outOfOrder), (rubbish, .badPreface), (tooLong, .badFrame)] {
                #expect(try client.closed()?.code == code)
                client.close()
            }
            relay.send(SIGUSR1)
            #expect(await relay.log.next(with: "counters") != nil)
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            return await relay.log.toTheEnd()
        }

        @Test func everyLineOfABusyRunIsOneJSONObject() async throws {
            let lines = try await busyRun("json")
            var events: [String: Int] = [:]
            var uids: Set<[UInt8]> = []
            for line in lines {
                let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
                let object = try #require(parsed as? [String: Any], "\(line)")
                let event = try #require(object["event"] as? String)
                let level = try #require(object["level"] as? String)
                #expect(["debug", "info", "warning", "error"].contains(level))
                #expect((object["time"] as? String)?.hasSuffix("Z") == true)
                events[event, default: 0] += 1
                if let uid = object["uid"] as? String { uids.insert(Array(uid.utf8)) }
                #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
            }
            // What was logged is what the peers said. The empty uid is refused.
            #expect(uids == Set(Self.hostile.filter { !$0.isEmpty }.map { Array($0.utf8) }))
            for (event, count) in ["listening": 1, "ready": 1, "counters": 1, "stopping": 1, "stopped": 1] {
                #expect(events[event] == count, "\(event)")
            }
            let joined = Self.hostile.count - 1
            #expect(events["joined"] == joined && events["left"] == joined)
            #expect(events["meeting-began"] == joined && events["meeting-ended"] == joined)
            #expect(events["connected"] == Self.hostile.count + 3)
            #expect(events["refused"] == 4)
        }

        @Test func everyLineOfABusyRunIsTimeLevelEventAndFacts() async throws {
            for line in try await busyRun("text") {
                let shape =
                    /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (debug|info|warning|error) [a-z-]+( [a-z-]+=([!#-<>-~]+|"([^"\\]|\\.)*"))*/
                #expect(line.wholeMatch(of: shape) != nil, "\(line)")
            }
        }

        @Test func theLevelDecides() async throws {
            let relay = try await RelayProcess("--log-level=warning")
            let call = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ana", device: "d"))
            await call.leave()
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            #expect(await relay.log.toTheEnd().filter { !$0.contains(" warning descriptor-limit ") } == [])
        }
    }
}
