import CallState

/// Writing protobuf at the end of a byte array. Fields are to be written in ascending order.
///
/// `put` leaves out what is zero or empty (implicit presence); `write` writes whatever the value is.
extension [UInt8] {
    /// A number, whatever it is.
    mutating func write(_ field: UInt32, _ value: UInt64) {
        append(addingCapacity: 16) { out in out.write(field, value) }
    }

    /// A number unless it is 0.
    mutating func put(_ field: UInt32, _ value: UInt64) {
        if value != 0 { write(field, value) }
    }

    /// A number unless it is 0.
    mutating func put(_ field: UInt32, _ value: UInt32) {
        put(field, UInt64(value))
    }

    /// A boolean, whatever it is.
    mutating func write(_ field: UInt32, _ value: Bool) {
        write(field, value ? 1 : 0 as UInt64)
    }

    /// A boolean unless it is false.
    mutating func put(_ field: UInt32, _ value: Bool) {
        if value { write(field, true) }
    }

    /// Eight bytes, little-endian, whatever they are.
    mutating func writeFixed(_ field: UInt32, _ value: UInt64) {
        appendField(field, fixed64: value)
    }

    /// Bytes, whatever they are.
    mutating func write(_ field: UInt32, _ value: [UInt8]) {
        appendField(field, bytes: value)
    }

    /// Bytes unless there are none.
    mutating func put(_ field: UInt32, _ value: [UInt8]) {
        if !value.isEmpty { write(field, value) }
    }

    /// Text, whatever it is.
    mutating func write(_ field: UInt32, _ value: ByteString) {
        appendField(field, text: value)
    }

    /// Text unless it is empty.
    mutating func put(_ field: UInt32, _ value: ByteString) {
        if !value.isEmpty { write(field, value) }
    }

    /// Text unless it is empty.
    mutating func put(_ field: UInt32, _ value: String) {
        let text = value.utf8
        if text.isEmpty { return }
        appendTag(field, WireType.lengthDelimited)
        appendVarint(UInt64(text.count))
        append(contentsOf: text)
    }

    /// Begins a nested message; what is appended until ``endMessage(_:)`` is its content.
    mutating func beginMessage(_ field: UInt32) -> MessageMark {
        append(addingCapacity: 16) { out in out.append(field, length: 0) }
        return MessageMark(content: count)
    }

    /// Ends the message begun last: puts its length before it.
    ///
    /// Most messages are shorter than 128 bytes and fit into the byte kept for that; others move up by the one or two
    /// bytes that their length needs.
    mutating func endMessage(_ mark: MessageMark) {
        var rest = UInt64(count - mark.content)
        var place = mark.content - 1
        while rest >= 0x80 {
            self[place] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            place += 1
            insert(0, at: place)
        }
        self[place] = UInt8(truncatingIfNeeded: rest)
    }

    /// Begins a frame: keeps room for its length.
    mutating func beginFrame() -> FrameMark {
        append(addingCapacity: 4) { out in out.append(bigEndian: 0) }
        return FrameMark(content: count)
    }

    /// Ends the frame: its length, big-endian, before it.
    mutating func endFrame(_ mark: FrameMark) {
        let length = UInt32(count - mark.content)
        self[mark.content - 4] = UInt8(truncatingIfNeeded: length >> 24)
        self[mark.content - 3] = UInt8(truncatingIfNeeded: length >> 16)
        self[mark.content - 2] = UInt8(truncatingIfNeeded: length >> 8)
        self[mark.content - 1] = UInt8(truncatingIfNeeded: length)
    }

    /// A position, also (0, 0).
    mutating func write(_ field: UInt32, _ position: Position) {
        let mark = beginMessage(field)
        put(1, position.epoch)
        put(2, position.seq)
        endMessage(mark)
    }

    /// A position unless it is (0, 0).
    mutating func put(_ field: UInt32, _ position: Position) {
        if position != .zero { write(field, position) }
    }
}

/// Where the content of a nested message begins.
struct MessageMark {
    /// The index of its first byte.
    let content: Int
}

/// Where the content of a frame begins.
struct FrameMark {
    /// The index of its first byte.
    let content: Int
}
