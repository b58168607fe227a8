/// The kind of a record: the number of its body in `Record` of `rollcall.proto`.
///
/// Open on purpose: a copy keeps records of a kind that it does not know.
public struct RecordKind: RawRepresentable, Hashable, Sendable {
    /// The number of the body.
    public var rawValue: UInt32

    /// The kind with the body number `rawValue`.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The call itself.
    public static let call = RecordKind(rawValue: 2)
    /// The policy of the call.
    public static let policy = RecordKind(rawValue: 3)
    /// A person.
    public static let person = RecordKind(rawValue: 4)
    /// A device of a person.
    public static let device = RecordKind(rawValue: 5)
    /// The body number of a tombstone, which is no kind of live record.
    public static let removed = RecordKind(rawValue: 14)
    /// The body numbers that later kinds of records may have.
    public static let later: ClosedRange<UInt32> = 6...13
}
