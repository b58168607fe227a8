import CallState
import RollcallProtocol

// What is private to a device or to an observer that acts for others, as bytes: the message
//
//     message KeptAttachment {
//       uint64 incarnation = 1;
//       bytes secret = 2;                // absent when it can't be resumed
//       bytes instance = 3;              // of the last attachment
//       uint64 attempt = 4;
//       uint64 brought_by = 5;           // the incarnation of the observer that brought the device in; absent without
//       repeated uint32 brought = 6;     // of an observer: the slots of the devices that it brought in, in that order
//       uint64 last_op = 7;
//       repeated KeptAnswer answers = 8; // to the last operations, oldest first
//     }
//     message KeptAnswer {
//       uint64 op = 1;
//       uint32 code = 2;
//       uint64 epoch = 3;
//       uint64 seq = 4;
//       string text = 5;
//       uint64 after_ms = 6;
//     }
//
// Fields that are 0 or empty are absent, and all are written in ascending order.

extension PrivateRecord {
    /// The record as a store keeps it.
    var kept: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + secret.count + instance.count + 32 * operations.count)
        bytes.appendNonzero(1, incarnation)
        if !secret.isEmpty { bytes.appendField(2, bytes: secret) }
        if !instance.isEmpty { bytes.appendField(3, bytes: instance) }
        bytes.appendNonzero(4, attempt)
        bytes.appendNonzero(5, broughtBy ?? 0)
        for slot in brought { bytes.appendField(6, varint: UInt64(slot)) }
        bytes.appendNonzero(7, operations.last)
        operations.forEach { bytes.append($0) }
        return bytes
    }

    /// Reads what a store has kept; a store is believed no more than a peer.
    init(kept bytes: [UInt8], of owner: PrivateKey) throws(KeptError) {
        self.init(incarnation: 0, secret: [])
        var last: UInt64 = 0
        var answers: [Ack] = []
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .number(let number)): incarnation = number
            case (2, .bytes(let range)): secret = Array(bytes[range])
            case (3, .bytes(let range)): instance = Array(bytes[range])
            case (4, .number(let number)): attempt = number
            case (5, .number(let number)): broughtBy = number
            case (6, .number(let number)):
                guard let slot = Slot(exactly: number) else { throw owner.fault("\(number) is no slot") }
                brought.append(slot)
            case (7, .number(let number)): last = number
            case (8, .bytes(let range)): answers.append(try Ack(kept: Array(bytes[range]), of: owner))
            default: throw owner.fault("field \(number) of what is private is not known")
            }
        }
        if reader.failed { throw owner.fault("what is private can't be read") }
        guard incarnation > 0 else { throw owner.fault("what is private has no incarnation") }
        guard let operations = OperationWindow(last: last, answers: answers) else {
            throw owner.fault("the answers to operations are not in order")
        }
        self.operations = operations
    }
}

extension PrivateKey {
    /// A fault of what is kept under this name.
    func fault(_ reason: String) -> KeptError {
        switch self {
        case .device(let slot): KeptError(slot: slot, reason)
        case .actor(let incarnation): KeptError("the observer of incarnation \(incarnation): \(reason)")
        case .removed: KeptError("the list of those who stay out: \(reason)")
        case .replaced: KeptError("the list of replaced secrets: \(reason)")
        }
    }
}

extension Ack {
    fileprivate init(kept bytes: [UInt8], of owner: PrivateKey) throws(KeptError) {
        self.init(op: 0, position: .zero)
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .number(let number)): op = number
            case (2, .number(let number)):
                guard let code = UInt32(exactly: number) else { throw owner.fault("\(number) is no code") }
                self.code = Code(rawValue: code)
            case (3, .number(let number)): position.epoch = number
            case (4, .number(let number)): position.seq = number
            case (5, .bytes(let range)): text = String(decoding: bytes[range], as: UTF8.self)
            case (6, .number(let number)): after = number
            default: throw owner.fault("field \(number) of an answer is not known")
            }
        }
        if reader.failed { throw owner.fault("an answer can't be read") }
    }
}

extension [UInt8] {
    /// Writes a number unless it is 0.
    mutating func appendNonzero(_ number: UInt32, _ value: UInt64) {
        if value != 0 { appendField(number, varint: value) }
    }

    /// Writes an answer to an operation.
    fileprivate mutating func append(_ answer: Ack) {
        func length(_ value: UInt64) -> Int { value == 0 ? 0 : 1 + varintLength(value) }
        let text = answer.text.utf8.count
        let position = length(answer.position.epoch) + length(answer.position.seq)
        let body =
            length(answer.op) + length(UInt64(answer.code.rawValue)) + position
            + (text == 0 ? 0 : 1 + varintLength(UInt64(text)) + text) + length(answer.after)
        appendTag(8, WireType.lengthDelimited)
        appendVarint(UInt64(body))
        appendNonzero(1, answer.op)
        appendNonzero(2, UInt64(answer.code.rawValue))
        appendNonzero(3, answer.position.epoch)
        appendNonzero(4, answer.position.seq)
        if text > 0 { appendField(5, bytes: Array(answer.text.utf8)) }
        appendNonzero(6, answer.after)
    }
}
