import CallState

/// Why bytes are no legal frame: what is wrong, in which field, where, and what was found there.
public struct WireError: Error, Hashable, Sendable {
    /// What is wrong.
    ///
    /// The raw value is the name that `Protocol/vectors/invalid.json` uses.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The connection did not begin with RCL1.
        case badPreface
        /// A frame claims more bytes than the limit, or none.
        case frameLength
        /// The bytes end inside a field, or a length reaches beyond the message that holds it.
        case truncated
        /// A varint of more than 10 bytes, above 64 bits, or longer than needed.
        case badVarint
        /// A field number of 0 or above 2^29-1, or a wire type that protobuf does not have or has given up.
        case badTag
        /// A field has another wire type than the schema says.
        case wrongWireType
        /// A frame from a client without a body or with one that this side does not know.
        case unknownFrame
        /// A field from a client that this side does not know.
        case unknownField
        /// A field twice that may be there once, two members of a oneof, or one entry twice.
        case duplicate
        /// A message without what it needs.
        case missing
        /// What can't be there beside what else is there, as fields beside a tombstone.
        case misplaced
        /// A string that is not UTF-8.
        case badUTF8
        /// A value, length or count outside its limits.
        case limit
        /// Records that do not ascend by slot.
        case order
    }

    /// What is wrong.
    public var code: Code
    /// The field, as `Message.field` with the names of `rollcall.proto` (`Join.uid`).
    ///
    /// A number stands for a field without a name (`ClientFrame.12`), a message alone for what belongs to no field.
    public var field: String
    /// Offset in bytes from the begin of the frame's message of the tag, length or value that is wrong.
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

extension WireError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String { "\(field) at byte \(offset): \(detail)" }
}

extension WireError {
    /// The code with which a relay closes the connection that sent this.
    public var closeCode: RollcallProtocol.Code {
        switch code {
        case .badPreface: .badPreface
        case .unknownFrame: .unsupported
        case .limit: .badRequest
        case .frameLength, .truncated, .badVarint, .badTag, .wrongWireType, .unknownField, .duplicate, .missing,
            .misplaced, .badUTF8, .order:
            .badFrame
        }
    }
}

/// A field of a message, for errors: the names are literals, so that naming a field costs nothing until it is wrong.
struct FieldPath: ExpressibleByStringLiteral {
    /// `Message.field` or, with a number, `Message`.
    var name: StaticString
    /// The number of a field without a name.
    var number: UInt32?
    /// The kind of the record whose body the field is in: there, the field table knows the name.
    var kind: RecordKind?

    /// A field of `message` by its number.
    init(_ message: StaticString, _ number: UInt32? = nil) {
        self.name = message
        self.number = number
    }

    /// A field of a record by its number.
    init(_ kind: RecordKind, _ number: UInt32) {
        self.init(kind.message, number)
        self.kind = kind
    }

    init(stringLiteral value: StaticString) {
        self.init(value)
    }

    /// The text for an error.
    var text: String {
        guard let number else { return "\(name)" }
        if let kind, let known = FieldTable.descriptor(kind, number) { return "\(name).\(known.name)" }
        return "\(name).\(number)"
    }
}

extension WireError {
    /// An error about `path`; out of line, to keep the decoders small.
    @inline(never)
    init(_ code: Code, _ path: FieldPath, at offset: Int, _ detail: @autoclosure () -> String) {
        self.init(code: code, field: path.text, offset: offset, detail: detail())
    }
}

extension RecordKind {
    /// The message of the kind's body, for errors.
    var message: StaticString {
        switch self {
        case .call: "CallFields"
        case .policy: "PolicyFields"
        case .person: "PersonFields"
        case .device: "DeviceFields"
        default: "Record.body"
        }
    }
}
