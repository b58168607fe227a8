/// Bytes that stand for text: an identity, a name, a key.
///
/// Identities compare as UTF-8 bytes and never by Unicode equivalence, as `String` does: two uids that look alike are
/// two people. Whoever needs text for people asks for ``string``.
public struct ByteString: Hashable, Sendable {
    /// The UTF-8 bytes.
    public var bytes: [UInt8]

    /// Wraps bytes; they are not checked to be UTF-8.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The UTF-8 bytes of `string`.
    public init(_ string: String) {
        self.bytes = Array(string.utf8)
    }

    /// No bytes.
    public static let empty = ByteString([])

    /// Whether there are no bytes.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// The text for people; bytes that are not UTF-8 show as U+FFFD.
    public var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension ByteString {
    /// Hashes all bytes at once; one by one costs several times as much.
    ///
    /// The length goes first: texts that follow each other in a key must not hash like others with the same bytes in all.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
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
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ByteString: CustomStringConvertible {
    /// The text for people.
    public var description: String { string }
}
