import CallState
import Foundation
import RollcallProtocol
import Testing
import ToolSupport

struct CaptureTests {
    private func framed(_ frames: [ClientFrame]) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames { frame.encode(into: &bytes) }
        return bytes
    }

    private func framed(_ frames: [ServerFrame]) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames { frame.encode(into: &bytes) }
        return bytes
    }

    private let hello = ClientFrame.hello(Hello(clientName: "test", instance: Array(1...8)))
    private let command = ClientFrame.command(
        Command(op: 7, settings: [Setting(.handRaised(true)), Setting(target: Target(uid: "ben"), .audioMuted(true))])
    )

    @Test func `A client's stream is known by its preface`() {
        let capture = Capture(FrameSplitter.preface + framed([hello, command]))
        #expect(capture.frames.map(\.kind) == ["preface", "hello", "command"])
        #expect(capture.frames.allSatisfy { $0.sender == .client && $0.problem == nil })
        #expect(
            capture.frames[1].lines(colors: false) == [
                "4       client  hello (22 bytes)  min_version: 1, max_version: 1, client_name: \"test\", "
                    + "instance: 0x0102030405060708"
            ]
        )
        #expect(
            capture.frames[2].lines(colors: false) == [
                "30      client  command (19 bytes)  op: 7", "                settings {hand_raised: true}",
                "                settings {target: {uid: \"ben\"}, audio_muted: true}",
            ]
        )
    }

    @Test func `A relay's stream shows records by name`() {
        var diff = Diff()
        diff.fields = [Diff.Field(number: 3, value: .number(1)), Diff.Field(number: 4, value: .number(0))]
        diff.records = [Diff.Record(slot: 5, kind: .device, fields: 0..<2)]
        var delta = Delta(toSeq: 44, records: diff)
        delta.actor = 0
        let capture = Capture(
            framed([.ping(Ping(position: Position(epoch: 1, seq: 43), time: 9, digest: 255)), .delta(delta)])
        )
        #expect(capture.frames.allSatisfy { $0.sender == .relay && $0.problem == nil })
        #expect(
            capture.frames[0].json.text
                == #"{"offset":0,"length":19,"from":"relay","frame":"ping","message":{"position":{"epoch":1,"seq":43},"#
                + #""time":9,"digest":"00000000000000ff"},"error":null}"#
        )
        #expect(capture.frames[1].lines(colors: false)[0].hasSuffix("to_seq: 44, actor: 0"))
        #expect(
            capture.frames[1].lines(colors: false)[1].hasSuffix(
                "records {slot: 5, device: {connection: reconnecting, audio_muted: false}}"
            )
        )
    }

    @Test func `Both directions in one capture are told apart`() {
        let bytes =
            FrameSplitter.preface + framed([hello]) + framed([ServerFrame.welcome(Welcome())]) + framed([command])
        let capture = Capture(bytes)
        #expect(capture.frames.map(\.sender) == [.client, .client, .relay, .client])
        #expect(!capture.hasProblems)
    }

    @Test func `A wrong frame says where, and the next one is read`() {
        var bad = framed([hello])
        bad[5] = 0x7F
        let capture = Capture(bad + framed([command]), sender: .client)
        #expect(capture.frames.count == 2)
        #expect(capture.frames[0].problem?.hasPrefix("byte ") == true)
        #expect(capture.frames[1].problem == nil)
        #expect(capture.hasProblems)
    }

    @Test func `The input may end anywhere`() {
        let bytes = FrameSplitter.preface + framed([hello, command])
        for count in 1..<bytes.count {
            let capture = Capture(Array(bytes[..<count]))
            let last = capture.frames.last
            let isWhole = [4, 30].contains(count)
            #expect((last?.problem == nil) == isWhole, "\(count) bytes")
        }
        #expect(Capture([]).frames.isEmpty)
    }

    @Test func `A claimed length is never believed`() {
        let capture = Capture([0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3])
        #expect(capture.frames.count == 1)
        #expect(capture.frames[0].problem?.contains("4294967295") == true)
        #expect(Capture([0, 0, 0, 0]).hasProblems)
    }

    @Test func `Random bytes are shown or refused and never trap`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let message = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let bytes = [0, 0, 0, UInt8(message.count)] + message
            for sender in Capture.Sender.allCases {
                let capture = Capture(bytes, sender: sender)
                #expect(capture.frames.count == 1, "\(bytes)")
                #expect(!capture.frames[0].lines(colors: false).isEmpty)
                #expect(!capture.frames[0].json.text.isEmpty)
            }
        }
    }

    @Test func `Hexadecimal may be spaced and commented`() {
        #expect(bytesOfHex(Array("# hello\n52 43\n4c31 # more\n 0a".utf8)) == [0x52, 0x43, 0x4C, 0x31, 0x0A])
        #expect(bytesOfHex(Array("RCL1".utf8)) == nil)
        #expect(bytesOfHex(Array("123".utf8)) == nil)
        #expect(bytesOfHex([]) == nil)
    }

    @Test func `Every golden frame is shown with its fields`() throws {
        let folder = Self.repository.appendingPathComponent("Protocol/vectors")
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".json") {
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            let vectors = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
            for vector in vectors {
                guard let hex = vector["hex"] as? String, let message = vector["json"] as? [String: Any],
                    let bytes = bytesOfHex(Array(hex.utf8)), let kind = message.keys.first
                else { continue }
                count += 1
                let sender: Capture.Sender = vector["direction"] as? String == "client" ? .client : .relay
                let frames = Capture(bytes, sender: sender).frames
                #expect(frames.map(\.problem) == [nil], "\(name): \(vector["name"] ?? "")")
                #expect(frames.first?.kind == kind, "\(name): \(vector["name"] ?? "")")
                // The official runtime leaves out fields at zero; all others are shown.
                let shown = try #require(
                    JSONSerialization.jsonObject(with: Data(frames[0].json.text.utf8)) as? [String: Any]
                )
                let fields = (shown["message"] as? [String: Any])?.keys.map(Self.camelCase) ?? []
                for field in (message[kind] as? [String: Any] ?? [:]).keys {
                    #expect(fields.contains(field), "\(name): \(vector["name"] ?? "")")
                }
            }
        }
        #expect(count > 50)
    }

    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words[0])) { $0 + $1.capitalized }
    }

    @Test func `The table of fields is that of rollcall.proto`() throws {
        let text = try String(
            contentsOf: Self.repository.appendingPathComponent("Protocol/rollcall.proto"),
            encoding: .utf8
        )
        let lines = text.split(separator: "\n").map { $0.prefix(while: { $0 != "/" }) }
        var current = ""
        var count = 0
        for line in lines {
            if let match = line.firstMatch(of: /^(?:message|enum) (\w+) \{/) { current = String(match.1) }
            if let match = line.firstMatch(of: /^\s+(?:(optional|repeated) )?([\w.]+) (\w+) = (\d+);/) {
                count += 1
                let number = try #require(UInt32(match.4))
                let field = "\(match.3): \(match.1 == "repeated" ? "repeated " : "")\(match.2)"
                #expect(wireField(number, of: current) == field, "\(current).\(number)")
            } else if let match = line.firstMatch(of: /^\s+([A-Z0-9_]+) = (\d+);/) {
                count += 1
                let number = try #require(UInt32(match.2))
                let name = try #require(wireField(number, of: current), "\(current).\(number)")
                #expect(match.1.lowercased().hasSuffix("_" + name))
            }
        }
        #expect(count == wireFieldCount)
        #expect(count > 200)
    }
}
