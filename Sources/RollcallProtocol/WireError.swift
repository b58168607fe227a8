/// Why bytes are no legal frame: what, where, and what was found.
public struct WireError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// The connection did not begin with RCL1.
        case badPreface
        /// A frame claims more bytes than the limit, or none.
        case frameLength
        /// The bytes end inside a field.
        case truncated
        /// A varint of more than 10 bytes, above 64 bits, or longer than needed.
        case badVarint
        /// A field has another wire type than the schema says.
        case wrongWireType
        /// A field, body or enumeration value that this side does not know and must.
        case unknownField
        /// A string that is not UTF-8.
        case badUTF8
        /// A value or count outside its limits.
        case limit
        /// A frame without a body, or a message without what it needs.
        case missing
    }

    /// What is wrong.
    public var code: Code
    /// The field, as a path from the frame: `Join.uid`.
    public var field: String
    /// Offset in bytes from the begin of the frame's message.
    public var offset: Int
    /// What was found and what is allowed, for people.
    public var detail: String

    /// An error.
    public init(code: Code, field: String, offset: Int, detail: String) {
        self.code = code
        self.field = field
        self.offset = offset
        self.detail = detail
    }
}
