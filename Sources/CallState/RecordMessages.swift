// The message-valued fields of records. A field holds the canonical encoding: ascending fields, minimal varints,
// fields at zero left out. Reading skips fields that are not known, so that a later relay can add some.

extension Hand {
    /// The canonical protobuf bytes.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20)
        if version != 0 { bytes.appendField(1, varint: version) }
        if at != 0 { bytes.appendField(2, varint: at) }
        return bytes
    }

    /// The hand in protobuf bytes; nil when they are none.
    public init?(encoded bytes: [UInt8]) {
        self.init(version: 0, at: 0)
        var reader = MessageReader(bytes)
        while let field = reader.next() {
            switch (field.number, field.value) {
            case (1, .number(let number)): version = number
            case (2, .number(let number)): at = number
            case (1...2, _): return nil
            default: continue
            }
        }
        if reader.failed { return nil }
    }
}

extension Recording {
    /// The canonical protobuf bytes.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        if !byUID.isEmpty { bytes.appendField(1, text: byUID) }
        if !byName.isEmpty { bytes.appendField(2, text: byName) }
        if since != 0 { bytes.appendField(3, varint: since) }
        return bytes
    }

    /// The recording in protobuf bytes; nil when they are none.
    public init?(encoded bytes: [UInt8]) {
        self.init(byUID: .empty, byName: .empty, since: 0)
        var reader = MessageReader(bytes)
        while let field = reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): byUID = ByteString(bytes.span.extracting(range))
            case (2, .bytes(let range)): byName = ByteString(bytes.span.extracting(range))
            case (3, .number(let number)): since = number
            case (1...3, _): return nil
            default: continue
            }
        }
        if reader.failed { return nil }
    }
}

extension UnmuteRequest {
    /// The canonical protobuf bytes.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        if !byUID.isEmpty { bytes.appendField(1, text: byUID) }
        if until != 0 { bytes.appendField(2, varint: until) }
        return bytes
    }

    /// The request in protobuf bytes; nil when they are none.
    public init?(encoded bytes: [UInt8]) {
        self.init(byUID: .empty, until: 0)
        var reader = MessageReader(bytes)
        while let field = reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let range)): byUID = ByteString(bytes.span.extracting(range))
            case (2, .number(let number)): until = number
            case (1...2, _): return nil
            default: continue
            }
        }
        if reader.failed { return nil }
    }
}

/// An ordered list of slots, as the spotlight holds it.
public struct SlotList: Hashable, Sendable {
    /// The slots in order.
    public var slots: [Slot]

    /// A list of slots.
    public init(_ slots: [Slot]) {
        self.slots = slots
    }

    /// The canonical protobuf bytes: packed, and nothing at all for an empty list.
    public var encoded: [UInt8] {
        var packed: [UInt8] = []
        for slot in slots { packed.appendVarint(UInt64(slot)) }
        var bytes: [UInt8] = []
        if !packed.isEmpty { bytes.appendField(1, bytes: packed) }
        return bytes
    }

    /// The list in protobuf bytes, packed or not; nil when they are none.
    public init?(encoded bytes: [UInt8]) {
        slots = []
        var reader = MessageReader(bytes)
        while let field = reader.next() {
            switch (field.number, field.value) {
            case (1, .number(let number)):
                guard let slot = Slot(exactly: number) else { return nil }
                slots.append(slot)
            case (1, .bytes(let range)):
                var packed = MessageReader(Array(bytes[range]))
                while packed.offset < range.count {
                    guard let number = packed.varint(), let slot = Slot(exactly: number) else { return nil }
                    slots.append(slot)
                }
            default: continue
            }
        }
        if reader.failed { return nil }
    }
}
