import CallState
import RollcallProtocol

/// What a connection has to be told besides the frames of its call.
struct Output {
    /// Something to hand over before the frames of the call.
    enum Piece {
        case bytes([UInt8])
        case snapshot(PendingSnapshot)

        var isSnapshot: Bool { if case .snapshot = self { true } else { false } }

        /// Bytes that are this piece's alone.
        var byteCount: Int { if case .bytes(let bytes) = self { bytes.count } else { 0 } }
    }

    /// Something that waits for the store.
    struct Held {
        /// Something that is told.
        enum What {
            /// Before the frames of the call.
            case leading(Piece)
            /// After them.
            case trailing([UInt8])
        }

        var what: What
        /// The number of the call's batch that must be kept.
        var needs: UInt64
    }

    /// In this order, before anything else.
    var pieces: [Piece] = []
    /// After the frames of the call: a receiver of these bytes is at the head.
    var trailing: [UInt8] = []
    /// Whether a Ping goes after that.
    var isPingDue = false
    /// What may leave once the store has kept what it tells, in this order.
    private(set) var held: [Held] = []
    /// Answers that wait, in units of an answer; long ones count as several.
    var answers = 0

    /// Whether there is nothing.
    var isEmpty: Bool { pieces.isEmpty && trailing.isEmpty && held.isEmpty && !isPingDue }

    /// Whether the frames of the call have to wait: something that goes before them does.
    var isLeadHeld: Bool {
        held.contains { entry in
            if case .leading = entry.what { true } else { false }
        }
    }

    /// Whether a snapshot for the receiver's copy waits, whose first byte has not been handed over.
    var holdsSnapshot: Bool {
        held.contains { entry in
            if case .leading(.snapshot(let pending)) = entry.what { pending.request == 0 } else { false }
        }
    }

    /// What waits, when that is nothing but bytes which may leave; else nil.
    var plainBytes: [UInt8]? {
        guard trailing.isEmpty, held.isEmpty, !isPingDue else { return nil }
        var all: [UInt8] = []
        for piece in pieces {
            guard case .bytes(let bytes) = piece else { return nil }
            all += bytes
        }
        return all
    }

    /// Bytes that wait here and are nobody else's: without snapshots, whose parts are shared.
    var byteCount: Int {
        var count = trailing.count
        for piece in pieces { count += piece.byteCount }
        for entry in held {
            switch entry.what {
            case .leading(let piece): count += piece.byteCount
            case .trailing(let bytes): count += bytes.count
            }
        }
        return count
    }

    /// Snapshots that wait here, begun or not.
    var snapshotCount: Int {
        pieces.count(where: \.isSnapshot)
            + held.count { entry in
                if case .leading(let piece) = entry.what { piece.isSnapshot } else { false }
            }
    }

    /// Takes the first piece out, of which there must be one; an empty list owns no memory.
    mutating func takeFirstPiece() -> Piece {
        let first = pieces.removeFirst()
        if pieces.isEmpty { pieces = [] }
        return first
    }

    /// Makes a piece that was taken out, or what is left of it, the first one again.
    mutating func putBack(_ piece: Piece) { pieces.insert(piece, at: 0) }

    /// Adds something that waits until the batch `needs` is kept.
    mutating func hold(_ what: Held.What, needs: UInt64) {
        if case .trailing(let more) = what, case .trailing(let bytes)? = held.last?.what, held.last?.needs == needs {
            held[held.count - 1].what = .trailing(bytes + more)
        } else {
            held.append(Held(what: what, needs: needs))
        }
    }

    /// Lets out what waits for nothing more than the batch `kept`; true when that was something.
    mutating func release(through kept: UInt64) -> Bool {
        let ready = held.prefix { $0.needs <= kept }
        guard !ready.isEmpty else { return false }
        held.removeFirst(ready.count)
        for entry in ready {
            switch entry.what {
            case .leading(let piece): lead(piece)
            case .trailing(let bytes): trailing += bytes
            }
        }
        return true
    }

    /// Nothing that waits will ever be kept.
    mutating func dropHeld() { held = [] }

    /// The receiver gets no more frames of its call: everything that waits goes one after the other, once `needs` is
    /// kept; `bridge` first, which takes it from its position to where the answers were given.
    mutating func holdAll(needs: UInt64, bridge: Piece?) {
        // A snapshot that has not begun shows what is kept by then.
        var waiting: [Piece] = []
        pieces.removeAll { piece in
            guard case .snapshot(let pending) = piece, pending.encoded == nil, pending.request == 0 else {
                return false
            }
            waiting.append(piece)
            return true
        }
        let before = held
        held = []
        for piece in waiting { hold(.leading(piece), needs: needs) }
        for case .leading(let piece) in before.map(\.what) { hold(.leading(piece), needs: needs) }
        if let bridge { hold(.leading(bridge), needs: needs) }
        if !trailing.isEmpty { hold(.leading(.bytes(trailing)), needs: needs) }
        trailing = []
        for case .trailing(let bytes) in before.map(\.what) { hold(.leading(.bytes(bytes)), needs: needs) }
    }

    /// Adds a piece before the frames of the call; bytes go together with those before them.
    mutating func lead(_ piece: Piece) {
        if case .bytes(let bytes) = piece { lead { $0 += bytes } } else { pieces.append(piece) }
    }

    /// What is said to who joins, Welcome and Joined, has room in so many bytes.
    private static let leadRoom = 192

    /// Adds bytes before the frames of the call; gives how many.
    @discardableResult
    mutating func lead(_ append: (inout [UInt8]) -> Void) -> Int {
        var bytes: [UInt8] = []
        // Taken out of the list first, so that the array is not copied.
        if case .bytes(let last)? = pieces.last {
            pieces.removeLast()
            bytes = last
        } else {
            bytes.reserveCapacity(Self.leadRoom)
            // The snapshot comes behind it.
            if pieces.isEmpty { pieces.reserveCapacity(2) }
        }
        let before = bytes.count
        append(&bytes)
        pieces.append(.bytes(bytes))
        return bytes.count - before
    }
}

/// A snapshot for one receiver.
///
/// What it shows is decided when its first byte is handed over, so that all who join in one turn share one.
struct PendingSnapshot {
    /// The call that it shows.
    var call: CallID
    /// Why the receiver gets it.
    var reason: SnapshotReason
    /// The Peek that it answers; 0 is none.
    var request: UInt64 = 0
    /// Where the receiver's copy is: in that epoch it is not shown anything below.
    var least = Position.zero
    /// What it shows; nil until its first byte is handed over, or its receiver is about to get no more frames.
    var encoded: EncodedSnapshot?
    /// Whether its head was handed over.
    var hasBegun = false
    /// Where in its bytes what was not handed over begins: anywhere in a part, since nothing else comes between.
    var offset = 0
}
