public import CallState

// What a connection is told of its own, each put together in one piece.
extension ServerFrame {
    /// Appends the answer to a command that was done, which nearly all are: one piece of at most 41 bytes.
    public static func encodeDone(_ op: UInt64, at position: Position, into bytes: inout [UInt8]) {
        let place = innerLength(position)
        let body = putLength(op) + putLength(inner: place)
        bytes.append(addingCapacity: 41) { out in
            out.append(bigEndian: UInt32(fieldLength(body)))
            out.append(6, length: body)
            out.put(1, op)
            out.put(3, position, inner: place)
        }
    }

    /// Appends the answer to a Join as one piece: fewer than 128 bytes and the secret.
    public static func encode(_ joined: Joined, into bytes: inout [UInt8]) {
        let secret = joined.secret.count
        let place = innerLength(joined.position)
        let body =
            putLength(UInt64(joined.outcome.rawValue)) + putLength(joined.incarnation) + putLength(joined.attachment)
            + putLength(inner: secret) + putLength(joined.lastOp)
            + putLength(UInt64(joined.rights.rawValue)) + putLength(UInt64(joined.person))
            + putLength(UInt64(joined.device)) + putLength(inner: place)
            + putLength(UInt64(joined.follows.rawValue)) + putLength(UInt64(joined.view))
        bytes.append(addingCapacity: 128 + secret) { out in
            out.append(bigEndian: UInt32(fieldLength(body)))
            out.append(2, length: body)
            out.put(1, UInt64(joined.outcome.rawValue))
            out.put(2, joined.incarnation)
            out.put(3, joined.attachment)
            if secret > 0 {
                out.append(4, length: secret)
                out.append(all: joined.secret)
            }
            out.put(5, joined.lastOp)
            out.put(6, UInt64(joined.rights.rawValue))
            out.put(7, UInt64(joined.person))
            out.put(8, UInt64(joined.device))
            out.put(9, joined.position, inner: place)
            out.put(10, UInt64(joined.follows.rawValue))
            out.put(11, UInt64(joined.view))
        }
    }

    /// Appends part 0 of a snapshot as one piece of at most 47 bytes.
    public static func encode(_ head: SnapshotHead, into bytes: inout [UInt8]) {
        let reason = UInt64(head.reason.rawValue)
        let place = innerLength(head.position)
        let body = putLength(inner: place) + putLength(reason) + putLength(head.request)
        bytes.append(addingCapacity: 47) { out in
            out.append(bigEndian: UInt32(fieldLength(body)))
            out.append(3, length: body)
            out.put(1, head.position, inner: place)
            out.put(2, reason)
            out.put(3, head.request)
        }
    }
}

/// The number of bytes in a position, 0 for (0, 0).
@inline(__always)
private func innerLength(_ position: Position) -> Int { putLength(position.epoch) + putLength(position.seq) }

/// The number of bytes of a field with so many in it and a number below 16, 0 for one that is left out.
@inline(__always)
private func putLength(inner: Int) -> Int { inner == 0 ? 0 : fieldLength(inner) }

extension OutputSpan<UInt8> {
    /// Writes a position with so many bytes in it, unless these are none.
    @inline(__always)
    fileprivate mutating func put(_ field: UInt32, _ position: Position, inner: Int) {
        if inner == 0 { return }
        append(field, length: inner)
        put(1, position.epoch)
        put(2, position.seq)
    }
}
