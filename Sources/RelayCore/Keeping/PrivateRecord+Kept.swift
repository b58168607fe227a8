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
//       uint32 more = 2;                 // so many operations right behind it were answered in the same way
//       uint32 code = 3;
//       string text = 4;
//       uint64 after_ms = 5;
//     }
//
// The positions of answers are not kept: where the call is kept they are all reached. So what most windows are, one run
// of commands that were done, takes a few bytes, since it is written again with every command. Fields that are 0 or
// empty are absent, and all are written in ascending order.

extension PrivateRecord {
    /// The record as a store keeps it.
    var kept: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + secret.count + instance.count)
        bytes.appendNonzero(1, incarnation)
        if !secret.isEmpty { bytes.appendField(2, bytes: secret) }
        if !instance.isEmpty { bytes.appendField(3, bytes: instance) }
        bytes.appendNonzero(4, attempt)
        bytes.appendNonzero(5, broughtBy ?? 0)
        for slot in brought { bytes.appendField(6, varint: UInt64(slot)) }
        bytes.appendNonzero(7, operations.last)
        var run: (answer: Ack, more: UInt64)?
        operations.forEach { answer in
            if let known = run, answer.op == known.answer.op + known.more + 1, answer.isSame(as: known.answer) {
                run?.more += 1
            } else {
                if let known = run { bytes.append(known.answer, more: known.more) }
                run = (answer, 0)
            }
        }
        if let run { bytes.append(run.answer, more: run.more) }
        return bytes
    }

    /// Reads what a store has kept; a store is believed no more than a peer.
    ///
    /// `position` is where the call is kept.
    init(kept bytes: [UInt8], of owner: PrivateKey, at position: Position) throws(KeptError) {
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
            case (8, .bytes(let range)):
                var (answer, more) = try Ack.kept(Array(bytes[range]), of: owner)
                answer.position = position
                guard more < OperationWindow.capacity, answer.op <= WireLimits.position else {
                    throw owner.fault("\(more) answers behind that to \(answer.op) are more than a window")
                }
                for op in answer.op...answer.op + more {
                    answer.op = op
                    answers.append(answer)
                }
            default: throw owner.fault("field \(number) of what is private is not known")
            }
        }
        if reader.failed { throw owner.fault("what is private can't be read") }
        guard (1...WireLimits.position).contains(incarnation), last <= WireLimits.position else {
            throw owner.fault("\(incarnation) is no incarnation, or \(last) no operation")
        }
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
    /// Whether it says the same of another operation.
    fileprivate func isSame(as other: Ack) -> Bool {
        code == other.code && text == other.text && after == other.after
    }

    /// An answer, and how many operations right behind it were answered in the same way.
    fileprivate static func kept(_ bytes: [UInt8], of owner: PrivateKey) throws(KeptError) -> (Ack, more: UInt64) {
        var answer = Ack(op: 0, position: .zero)
        var more: UInt64 = 0
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .number(let number)): answer.op = number
            case (2, .number(let number)): more = number
            case (3, .number(let number)):
                guard let code = UInt32(exactly: number) else { throw owner.fault("\(number) is no code") }
                answer.code = Code(rawValue: code)
            case (4, .bytes(let range)): answer.text = String(decoding: bytes[range], as: UTF8.self)
            case (5, .number(let number)): answer.after = number
            default: throw owner.fault("field \(number) of an answer is not known")
            }
        }
        if reader.failed { throw owner.fault("an answer can't be read") }
        return (answer, more)
    }
}

extension [UInt8] {
    /// Writes a number unless it is 0.
    mutating func appendNonzero(_ number: UInt32, _ value: UInt64) {
        if value != 0 { appendField(number, varint: value) }
    }

    /// Writes an answer to an operation, and to so many more.
    fileprivate mutating func append(_ answer: Ack, more: UInt64) {
        var entry: [UInt8] = []
        entry.appendNonzero(1, answer.op)
        entry.appendNonzero(2, more)
        entry.appendNonzero(3, UInt64(answer.code.rawValue))
        if !answer.text.isEmpty { entry.appendField(4, bytes: Array(answer.text.utf8)) }
        entry.appendNonzero(5, answer.after)
        appendField(8, bytes: entry)
    }
}
