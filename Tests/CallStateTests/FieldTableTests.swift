import CallState
import Foundation
import Testing

@Suite struct FieldTableTests {
    @Test("R-47 R-109: the field table is rollcall.proto")
    func tableIsProto() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Protocol/rollcall.proto")
        let proto = try String(contentsOf: path.standardizedFileURL, encoding: .utf8)
        let enumerations = Set(proto.matches(of: /(?m)^enum (\w+)/).map { String($0.1) })
        let bodies: [(RecordKind, String)] = [
            (.call, "CallFields"), (.policy, "PolicyFields"), (.person, "PersonFields"), (.device, "DeviceFields"),
        ]
        var lines: [String] = []
        for (kind, message) in bodies {
            let start = try #require(proto.range(of: "message \(message) {"))
            let end = try #require(proto.range(of: "\n}", range: start.upperBound..<proto.endIndex))
            let body = proto[start.upperBound..<end.lowerBound]
            for match in body.matches(of: /(?m)^  optional (\w+) (\w+) = (\d+);/) {
                let type = enumerations.contains(String(match.1)) ? "enumeration" : String(match.1)
                lines.append("\(kind.rawValue) \(match.3) \(match.2) \(type)")
            }
            for match in body.matches(of: /\/\/ (\d+): (\w+), a keyed field/) {
                lines.append("\(kind.rawValue) \(match.1) \(match.2) keyed")
            }
        }
        #expect(lines == FieldTable.all.map(\.protoLine))
        #expect(lines.count == 34)
    }

    @Test("R-47: one rule says which numbers a field can hold")
    func highest() {
        for descriptor in FieldTable.all where descriptor.type.isNumber {
            let highest = descriptor.type.highest
            #expect(descriptor.type.accepts(.number(highest)), "\(descriptor.name)")
            if highest < .max { #expect(!descriptor.type.accepts(.number(highest + 1)), "\(descriptor.name)") }
            #expect(!descriptor.type.accepts(.bytes([])))
        }
        #expect(FieldType.enumeration.highest == UInt64(Int32.max))
        #expect(FieldType.slot.highest == UInt64(UInt32.max))
        #expect(FieldType.boolean.highest == 1 && FieldType.number.highest == .max)
    }

    @Test("look-up finds each field and nothing else")
    func lookUp() {
        for descriptor in FieldTable.all {
            #expect(FieldTable.descriptor(descriptor.kind, descriptor.number) == descriptor)
        }
        #expect(FieldTable.descriptor(.call, 0) == nil && FieldTable.descriptor(.call, 9) == nil)
        #expect(FieldTable.descriptor(.device, 10) == nil && FieldTable.descriptor(.removed, 1) == nil)
        #expect(FieldTable.descriptor(RecordKind(rawValue: 1), 1) == nil)
        #expect(FieldTable.descriptor(RecordKind(rawValue: 6), 1) == nil)
        let order = FieldTable.all.map { ($0.kind.rawValue, $0.number) }
        for (one, next) in zip(order, order.dropFirst()) { #expect(one < next) }
    }

    @Test("R-47: every type takes values of its own wire type only")
    func shapes() {
        for descriptor in FieldTable.all {
            #expect(descriptor.type.accepts(.number(1)) == descriptor.type.isNumber)
            #expect(descriptor.type.accepts(.bytes([])) != descriptor.type.isNumber)
        }
    }
}

extension FieldDescriptor {
    fileprivate var protoLine: String {
        let type =
            switch self.type {
            case .boolean: "bool"
            case .number: "uint64"
            case .slot: "uint32"
            case .enumeration: "enumeration"
            case .text: "string"
            case .bytes: "bytes"
            case .message(.hand): "Hand"
            case .message(.recording): "Recording"
            case .message(.unmuteRequest): "UnmuteRequest"
            case .message(.slotList): "SlotList"
            }
        return "\(kind.rawValue) \(number) \(name) \(isKeyed ? "keyed" : type)"
    }
}
