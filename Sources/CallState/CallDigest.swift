/// The hash behind ``CallState/digest``: FNV-1a of 64 bits with a final mix.
///
/// The digest of a state is the wrapping sum of the hashes of its live fields. It tells two copies apart after
/// accidents; it is no protection against somebody who makes collisions.
public enum CallDigest {
    /// The part of one live field in the digest.
    ///
    /// Hashed are, in this order: slot, field number and the key's length, four bytes each, big-endian; the key; the
    /// canonical value bytes (the protobuf payload without tag and length).
    public static func hash(slot: Slot, field: UInt32, key: ByteString, value: FieldValue) -> UInt64 {
        var hasher = FNV1a()
        hasher.append(bigEndian: slot)
        hasher.append(bigEndian: field)
        hasher.append(bigEndian: UInt32(truncatingIfNeeded: key.count))
        hasher.append(contentsOf: key)
        hasher.appendCanonical(value)
        return mix(hasher.state)
    }

    /// Spreads every bit of `hash` over the whole number; FNV alone changes its high bits too little.
    static func mix(_ hash: UInt64) -> UInt64 {
        var x = hash
        x ^= x >> 33
        x &*= 0xff51_afd7_ed55_8ccd
        x ^= x >> 33
        x &*= 0xc4ce_b9fe_1a85_ec53
        x ^= x >> 33
        return x
    }
}

/// The running hash FNV-1a of 64 bits.
struct FNV1a: ByteSink {
    var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func append(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    mutating func append(contentsOf bytes: [UInt8]) {
        var state = state
        let span = bytes.span
        for index in span.indices { state = (state ^ UInt64(span[index])) &* 0x0000_0100_0000_01b3 }
        self.state = state
    }

    mutating func append(bigEndian value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 24))
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }
}
