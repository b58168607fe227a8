extension WireTree {
    /// The tree for programs, with the names of `rollcall.proto`: bytes and digests in hexadecimal.
    var json: JSONValue {
        switch self {
        case .number(let number): .number(number)
        case .flag(let flag): .bool(flag)
        case .name(let name): .string(name)
        case .text(let text): .string(text)
        case .bytes(let bytes): .string(hexText(bytes))
        case .bits(let bits): .string(hexText(bits, digits: 16))
        case .message(let members): .object(members.map { .init(key: $0.name, value: $0.value.json) })
        case .list(let values): .array(values.map(\.json))
        }
    }

    /// The tree on one line: `{uid: "ben", hand: {version: 3}}`.
    var text: String {
        switch self {
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .name(let name): name
        case .text(let text): Self.quoted(text)
        case .bytes(let bytes): "0x" + hexText(bytes)
        case .bits(let bits): "0x" + hexText(bits, digits: 16)
        case .message(let members): "{" + members.map(Self.text).joined(separator: ", ") + "}"
        case .list(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        }
    }

    /// The members of a frame's body as lines: what is short on the first, each message of a list on one of its own.
    var lines: [String] {
        guard case .message(let members) = self else { return [text] }
        var first: [String] = []
        var rest: [String] = []
        for member in members {
            if case .list(let values) = member.value, case .message? = values.first {
                rest += values.map { "\(member.name) \($0.text)" }
            } else {
                first.append(Self.text(member))
            }
        }
        return [first.joined(separator: ", ")] + rest
    }

    private static func text(_ member: Member) -> String { "\(member.name): \(member.value.text)" }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
