import CallState
import Foundation
import RollcallProtocol
import Testing

/// Every file of `Protocol/vectors` against this codec.
struct VectorTests {
    @Test(
        "R-6, R-41, R-43, R-44: every vector decodes to its JSON and encodes to its bytes",
        arguments: Vectors.messages
    )
    func vectors(file: String) throws {
        for vector in try Vectors.load(file) {
            let json = try #require(vector.members["json"] as? NSDictionary)
            if vector.direction == "client" {
                let frame = try ClientFrame.decode(vector.message.span)
                #expect(frame.message.hex == vector.message.hex, "\(vector.name)")
                #expect(NSDictionary(dictionary: frame.json) == json, "\(vector.name)")
                #expect(throws: Never.self, "\(vector.name)") { try frame.check() }
            } else {
                let frame = try ServerFrame.decode(vector.message.span)
                #expect(frame.message.hex == vector.message.hex, "\(vector.name)")
                #expect(NSDictionary(dictionary: frame.json) == json, "\(vector.name)")
            }
        }
    }

    @Test("R-2: a vector's frame is its length and its message")
    func lengths() throws {
        for vector in try Vectors.all() {
            var bytes: [UInt8] = []
            if vector.direction == "client" {
                try ClientFrame.decode(vector.message.span).encode(into: &bytes)
            } else {
                try ServerFrame.decode(vector.message.span).encode(into: &bytes)
            }
            #expect(bytes.hex == vector.text("hex"), "\(vector.name)")
        }
    }

    @Test("R-7, R-46, R-109: what a later version says is kept in records and ignored elsewhere")
    func later() throws {
        for vector in try Vectors.load("later") {
            let json = try #require(vector.members["json"] as? NSDictionary)
            if vector.direction == "client" {
                guard case .command(let command) = try ClientFrame.decode(vector.message.span) else {
                    Issue.record("\(vector.name) is no command")
                    continue
                }
                #expect(command.fault == nil)
                #expect(command.settings.contains { $0.change == nil }, "\(vector.name)")
                #expect(NSDictionary(dictionary: ClientFrame.command(command).json) == json, "\(vector.name)")
                continue
            }
            let frame = try ServerFrame.decode(vector.message.span)
            if vector.flag("kept") { #expect(frame.message.hex == vector.message.hex, "\(vector.name)") }
            #expect(NSDictionary(dictionary: frame.json) == json, "\(vector.name)")
        }
        #expect(try ServerFrame.decode([0x72, 0x00].span) == .unknown(14))
        #expect(ServerFrame.unknown(14).message == [0x72, 0x00])
    }

    @Test("R-3, R-5, R-6, R-7, R-11, R-16, R-36, R-47: every invalid frame is refused, with its code, field and offset")
    func invalid() throws {
        for vector in try Vectors.load("invalid") where vector.text("answer").isEmpty {
            let error = refusal(of: vector.message, from: vector.direction)
            #expect(error?.code.rawValue == vector.text("code"), "\(vector.name): \(String(describing: error))")
            #expect(error?.field == vector.text("field"), "\(vector.name)")
            #expect(error?.offset == vector.number("offset"), "\(vector.name)")
            #expect(error?.description.isEmpty == false)
        }
    }

    @Test("R-69, R-74, R-76, R-80: a command that breaks a limit can be read and says what breaks it")
    func faults() throws {
        for vector in try Vectors.load("invalid") where vector.text("answer") == "ack" {
            let frame = try ClientFrame.decode(vector.message.span)
            guard case .command(let command) = frame, let fault = command.fault else {
                Issue.record("\(vector.name) has no fault")
                continue
            }
            #expect(fault.code.rawValue == vector.text("code"), "\(vector.name): \(fault)")
            #expect(fault.field == vector.text("field"), "\(vector.name)")
            #expect(fault.offset == vector.number("offset"), "\(vector.name)")
            #expect(command.op != 0)
        }
    }

    @Test("R-64, R-65, R-66: terms and digests are those of the table")
    func digests() throws {
        let file = try #require(try Vectors.json("digest") as? [String: [[String: Any]]])
        for members in try #require(file["terms"]) {
            let vector = Vectors.Vector(file: "digest", members: members)
            let term = CallDigest.hash(
                slot: Slot(vector.number("slot")),
                field: UInt32(vector.number("field")),
                key: ByteString(vector.text("key")),
                value: .bytes([UInt8](hex: vector.text("value")))
            )
            #expect(term == UInt64(vector.text("term"), radix: 16), "\(members)")
        }
        for members in try #require(file["snapshots"]) {
            let vector = Vectors.Vector(file: "digest", members: members)
            guard case .part(let part) = try ServerFrame.decode(vector.message.span) else {
                Issue.record("\(vector.name) is no part")
                continue
            }
            #expect(part.end?.digest == UInt64(vector.text("digest"), radix: 16))
            var sum: UInt64 = 0
            var live = 0
            for record in part.records.records where record.removal == nil {
                live += 1
                for field in part.records.fields[record.fields] {
                    guard let value = field.value else { continue }
                    sum &+= CallDigest.hash(slot: record.slot, field: field.number, key: field.key, value: value)
                }
            }
            #expect(sum == part.end?.digest, "\(vector.name)")
            #expect(live == vector.number("live_records"), "\(vector.name)")
        }
    }
}

/// What the decoder has against a message; nil when it accepts it.
func refusal(of message: [UInt8], from direction: String) -> WireError? {
    do {
        _ = try recoded(message, from: direction)
        return nil
    } catch {
        return error
    }
}
