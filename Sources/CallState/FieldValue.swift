/// The value of a field, in the two shapes that a record field can have on the wire.
///
/// Booleans, numbers and enumerations are `number`; strings, byte strings and messages are `bytes`, which for a message
/// are its canonical protobuf encoding. This is what lets a copy keep, digest and pass on a field that it does not
/// know.
public enum FieldValue: Hashable, Sendable {
    /// Wire type varint.
    case number(UInt64)
    /// Wire type length-delimited.
    case bytes([UInt8])
}

/// The number of a record inside its call: 0 the call, 1 the policy, from 2 persons and devices in order of joining.
///
/// Given at each appearance and never used again while the call lives.
public typealias Slot = UInt32

extension Slot {
    /// The record of the call itself; always there.
    public static let call: Slot = 0
    /// The record of the call's policy; always there.
    public static let policy: Slot = 1
    /// The first slot that a person or device can have.
    public static let firstFree: Slot = 2
}
