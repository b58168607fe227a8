import CallState

// What is private to a whole call, as bytes.
//
//     message KeptRules {               // in the header of every batch
//       uint64 epoch_start = 1;         // seq at which the running epoch began
//       uint64 idle_since = 2;          // since when at most one person is in, ms since 1970; absent: not counted
//       bool dominant_is_stated = 3;    // somebody states the dominant speaker: nobody is elected
//       uint64 history_start = 4;       // seq at which the first epoch of the header's history began
//     }
//     message KeptUIDs { repeated bytes uid = 1; }                // who stays out, ascending
//     message KeptSecrets { repeated KeptSecret secrets = 1; }    // replaced ones, oldest first
//     message KeptSecret { bytes secret = 1; bytes instance = 2; bytes next = 3; }    // next: what came in its place

/// What the rules need of a call besides its state and its lists; small, since every batch has it.
struct KeptRules: Hashable {
    /// seq at which the running epoch began.
    var epochStart: UInt64 = 0
    /// Since when at most one person has been in, ms since 1970; 0 is not counted.
    var idleSince: UInt64 = 0
    /// Whether somebody states the dominant speaker.
    var isSuspended = false
    /// seq at which the first epoch of the history began.
    var historyStart: UInt64 = 0

    /// The bytes in the header of a batch.
    var kept: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendNonzero(1, epochStart)
        bytes.appendNonzero(2, idleSince)
        bytes.appendNonzero(3, isSuspended ? 1 : 0)
        bytes.appendNonzero(4, historyStart)
        return bytes
    }

    /// Nothing is counted yet.
    init() {}

    /// Reads what a store has kept.
    init(kept bytes: [UInt8]) throws(KeptError) {
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .number(let seq)): epochStart = seq
            case (2, .number(let time)): idleSince = time
            case (3, .number(let flag)): isSuspended = flag != 0
            case (4, .number(let seq)): historyStart = seq
            default: throw KeptError("field \(number) of what the rules need is not known")
            }
        }
        if reader.failed { throw KeptError("what the rules need can't be read") }
    }
}

extension Call {
    /// Who stays out, as a store keeps it; nil is nobody.
    var keptRemoved: [UInt8]? {
        if removed.isEmpty { return nil }
        var bytes: [UInt8] = []
        for uid in removed.sorted() { bytes.appendField(1, text: uid) }
        return bytes
    }

    /// Reads who stays out.
    static func removed(kept bytes: [UInt8]) throws(KeptError) -> Set<ByteString> {
        var removed: Set<ByteString> = []
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            guard number == 1, case .bytes(let range) = value else {
                throw PrivateKey.removed.fault("field \(number) is not known")
            }
            removed.insert(ByteString(Array(bytes[range])))
        }
        if reader.failed { throw PrivateKey.removed.fault("it can't be read") }
        return removed
    }
}

extension ReplacedSecrets {
    /// The secrets as a store keeps them; nil is none.
    var kept: [UInt8]? {
        var bytes: [UInt8] = []
        forEach { secret, instance, next in
            var entry: [UInt8] = []
            entry.appendField(1, bytes: secret)
            entry.appendField(2, bytes: instance)
            entry.appendField(3, bytes: next)
            bytes.appendField(1, bytes: entry)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Reads what a store has kept.
    init(kept bytes: [UInt8]) throws(KeptError) {
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            guard number == 1, case .bytes(let range) = value else {
                throw PrivateKey.replaced.fault("field \(number) is not known")
            }
            try insert(kept: Array(bytes[range]))
        }
        if reader.failed { throw PrivateKey.replaced.fault("it can't be read") }
    }

    private mutating func insert(kept bytes: [UInt8]) throws(KeptError) {
        var secret: [UInt8] = []
        var instance: [UInt8] = []
        var next: [UInt8] = []
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .bytes(let range)): secret = Array(bytes[range])
            case (2, .bytes(let range)): instance = Array(bytes[range])
            case (3, .bytes(let range)): next = Array(bytes[range])
            default: throw PrivateKey.replaced.fault("field \(number) of a secret is not known")
            }
        }
        if reader.failed { throw PrivateKey.replaced.fault("a secret can't be read") }
        insert(secret, by: instance, with: next)
    }
}
