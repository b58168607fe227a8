/// Bytes that stand for text: an identity, a name, a key.
///
/// Identities compare as UTF-8 bytes and never by Unicode equivalence, as `String` does: two uids that look alike are
/// two people. Whoever needs text for people asks for ``string``.
///
/// Up to 15 bytes are kept in the value itself: a call is full of short names, and a copy of one or a key that a
/// command brings takes no memory of its own.
public struct ByteString: Sendable {
    /// Where the bytes are.
    ///
    /// What fits in place is always there, so that equal texts are kept alike.
    @usableFromInline
    enum Storage: Sendable {
        /// The bytes from the highest one of `first` on, then zeros; the lowest byte of `second` is their number.
        case short(first: UInt64, second: UInt64)
        /// More than ``mostShort``.
        case long([UInt8])
    }

    @usableFromInline let storage: Storage

    /// The most bytes that are kept in the value itself.
    @usableFromInline static let mostShort = 15

    @usableFromInline
    init(storage: Storage) {
        self.storage = storage
    }

    /// Wraps bytes; they are not checked to be UTF-8.
    public init(_ bytes: [UInt8]) {
        storage = bytes.count > Self.mostShort ? .long(bytes) : Self.pack(bytes.span)
    }

    /// Copies bytes; they are not checked to be UTF-8.
    public init(_ bytes: Span<UInt8>) {
        guard bytes.count > Self.mostShort else {
            storage = Self.pack(bytes)
            return
        }
        storage = unsafe bytes.withUnsafeBufferPointer { unsafe .long(Array($0)) }
    }

    /// The UTF-8 bytes of `string`.
    public init(_ string: String) {
        self.init(Array(string.utf8))
    }

    /// At most ``mostShort`` bytes.
    private static func pack(_ bytes: Span<UInt8>) -> Storage {
        let count = bytes.count
        var first: UInt64 = 0
        for index in 0..<min(count, 8) { first = first &<< 8 | UInt64(bytes[index]) }
        if count < 8 { first <<= UInt64(64 - 8 * count) }
        var second: UInt64 = 0
        for index in 8..<max(count, 8) { second = second &<< 8 | UInt64(bytes[index]) }
        second <<= UInt64(128 - 8 * max(count, 8))
        return .short(first: first, second: second | UInt64(count))
    }

    /// No bytes.
    @inlinable
    public static var empty: ByteString { ByteString(storage: .short(first: 0, second: 0)) }

    /// Whether there are no bytes.
    @inlinable
    public var isEmpty: Bool {
        if case .short(_, let second) = storage { second == 0 } else { false }
    }

    /// Whether these are so few bytes that they are kept in the value itself, and all of them ASCII.
    ///
    /// O(1).
    @inlinable
    package var isShortASCII: Bool {
        // The lowest byte of `second` is the number, which is below 16.
        if case .short(let first, let second) = storage { (first | second) & 0x8080_8080_8080_8080 == 0 } else { false }
    }

    /// The number of bytes.
    @inlinable
    public var count: Int {
        switch storage {
        case .short(_, let second): Int(truncatingIfNeeded: second & 0xFF)
        case .long(let bytes): bytes.count
        }
    }

    /// The UTF-8 bytes, in memory of their own.
    public var bytes: [UInt8] {
        switch storage {
        case .short:
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count)
            bytes.append(contentsOf: self)
            return bytes
        case .long(let bytes): return bytes
        }
    }

    /// The text for people; bytes that are not UTF-8 show as U+FFFD.
    public var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether these are the bytes.
    func holds(_ bytes: [UInt8]) -> Bool {
        switch storage {
        case .long(let own): return own == bytes
        case .short(let first, let second):
            guard bytes.count <= Self.mostShort, case .short(let other, let rest) = Self.pack(bytes.span) else {
                return false
            }
            return first == other && second == rest
        }
    }

    /// The bytes that the text takes outside of its value.
    var blockCount: Int {
        if case .long(let bytes) = storage { bytes.count } else { 0 }
    }
}

extension ByteSink {
    /// Takes the bytes of a text.
    @inlinable
    public mutating func append(contentsOf text: ByteString) {
        switch text.storage {
        case .long(let bytes): append(contentsOf: bytes)
        case .short(var first, var second):
            let count = Int(truncatingIfNeeded: second & 0xFF)
            for _ in 0..<min(count, 8) {
                append(UInt8(truncatingIfNeeded: first >> 56))
                first <<= 8
            }
            for _ in 8..<max(count, 8) {
                append(UInt8(truncatingIfNeeded: second >> 56))
                second <<= 8
            }
        }
    }

    /// Writes a length-delimited field with a text, whatever it is.
    @inlinable
    public mutating func appendField(_ number: UInt32, text: ByteString) {
        appendTag(number, WireType.lengthDelimited)
        appendVarint(UInt64(text.count))
        append(contentsOf: text)
    }
}

extension ByteString: Hashable {
    /// Byte-wise equality.
    @inlinable
    public static func == (left: ByteString, right: ByteString) -> Bool {
        switch (left.storage, right.storage) {
        case (.short(let first, let second), .short(let otherFirst, let otherSecond)):
            first == otherFirst && second == otherSecond
        case (.long(let bytes), .long(let others)): bytes == others
        case (.short, .long), (.long, .short): false
        }
    }

    /// Hashes all bytes at once; one by one costs several times as much.
    ///
    /// With the length: texts that follow each other in a key must not hash like others with the same bytes in all.
    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .short(let first, let second):
            hasher.combine(first)
            hasher.combine(second)
        case .long(let bytes):
            hasher.combine(bytes.count)
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }
}

extension ByteString: ExpressibleByStringLiteral {
    /// The UTF-8 bytes of a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension ByteString: Comparable {
    /// Byte-wise order, the same in every language.
    public static func < (left: ByteString, right: ByteString) -> Bool {
        switch (left.storage, right.storage) {
        case (.short(let first, let second), .short(let otherFirst, let otherSecond)):
            // The zeros behind a shorter text come before every byte, and its number of bytes parts it from zeros of
            // its own.
            (first, second) < (otherFirst, otherSecond)
        default: left.bytes.lexicographicallyPrecedes(right.bytes)
        }
    }
}

extension ByteString: CustomStringConvertible {
    /// The text for people.
    public var description: String { string }
}
