/// A message taken apart by its schema, as far as its bytes allow: for showing, not for judging.
///
/// What is wrong with a message is the codec's to say; this shows as much of a broken one as can be read.
indirect enum WireTree: Hashable, Sendable {
    case number(UInt64)
    case flag(Bool)
    /// A value of an enumeration, by its name.
    case name(String)
    case text(String)
    case bytes([UInt8])
    /// 64 bits that are no count: a digest.
    case bits(UInt64)
    case message([Member])
    case list([WireTree])

    /// A field of a message.
    struct Member: Hashable, Sendable {
        var name: String
        var value: WireTree
    }

    /// Takes a message apart.
    static func read(_ bytes: ArraySlice<UInt8>, as message: String) -> WireTree {
        // Deeper than any legal frame; a broken one must not take the stack.
        read(bytes, as: message, depth: 8)
    }

    private static func read(_ bytes: ArraySlice<UInt8>, as message: String, depth: Int) -> WireTree {
        let fields = WireSchema.definitions[message]?.fields ?? [:]
        var members: [Member] = []
        var reader = Reader(bytes: bytes)
        while let (number, raw) = reader.next() {
            let field = fields[number]
            let name = field?.name ?? "field_\(number)"
            for value in values(of: raw, field, depth: depth) {
                if field?.isRepeated ?? false {
                    append(value, to: name, in: &members)
                } else {
                    members.append(Member(name: name, value: value))
                }
            }
        }
        return .message(members)
    }

    private static func append(_ value: WireTree, to name: String, in members: inout [Member]) {
        if let index = members.lastIndex(where: { $0.name == name }), case .list(let before) = members[index].value {
            members[index].value = .list(before + [value])
        } else {
            members.append(Member(name: name, value: .list([value])))
        }
    }

    /// The value, or the values of a packed list.
    private static func values(of raw: Raw, _ field: WireSchema.Field?, depth: Int) -> [WireTree] {
        switch raw {
        case .varint(let number): [scalar(number, field?.type ?? "")]
        case .fixed64(let bits): [.bits(bits)]
        case .fixed32(let bits): [.bits(UInt64(bits))]
        case .bytes(let bytes): content(bytes, field, depth: depth)
        }
    }

    private static func scalar(_ number: UInt64, _ type: String) -> WireTree {
        if type == "bool", number <= 1 { return .flag(number == 1) }
        if let definition = WireSchema.definitions[type], definition.isEnumeration,
            let name = UInt32(exactly: number).flatMap({ definition.fields[$0]?.name })
        {
            return .name(name)
        }
        return .number(number)
    }

    private static func content(_ bytes: ArraySlice<UInt8>, _ field: WireSchema.Field?, depth: Int) -> [WireTree] {
        guard let field else { return [.bytes(Array(bytes))] }
        if field.type == "string" {
            return [String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(Array(bytes))]
        }
        if let definition = WireSchema.definitions[field.type], !definition.isEnumeration, depth > 0 {
            return [read(bytes, as: field.type, depth: depth - 1)]
        }
        if field.isRepeated, field.type != "bytes" {
            var reader = Reader(bytes: bytes)
            var numbers: [WireTree] = []
            while let number = reader.varint() { numbers.append(scalar(number, field.type)) }
            return numbers
        }
        return [.bytes(Array(bytes))]
    }

    // MARK: Protobuf

    private enum Raw {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes(ArraySlice<UInt8>)
    }

    /// Reads fields until the bytes end or make no sense.
    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func next() -> (UInt32, Raw)? {
            guard let tag = varint(), let number = UInt32(exactly: tag >> 3), number > 0 else { return nil }
            switch tag & 7 {
            case 0: return varint().map { (number, .varint($0)) }
            case 1: return fixed(8).map { (number, .fixed64($0)) }
            case 2:
                guard let length = varint(), length <= UInt64(bytes.count) else { return nil }
                let content = bytes.prefix(Int(length))
                bytes = bytes.dropFirst(Int(length))
                return (number, .bytes(content))
            case 5: return fixed(4).map { (number, .fixed32(UInt32(truncatingIfNeeded: $0))) }
            default: return nil
            }
        }

        mutating func varint() -> UInt64? {
            var value: UInt64 = 0
            for index in 0..<10 {
                guard let byte = bytes.popFirst() else { return nil }
                value |= UInt64(byte & 0x7F) << UInt64(7 * index)
                if byte < 0x80 { return value }
            }
            return nil
        }

        private mutating func fixed(_ count: Int) -> UInt64? {
            guard bytes.count >= count else { return nil }
            let value = bytes.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            bytes = bytes.dropFirst(count)
            return value
        }
    }
}
