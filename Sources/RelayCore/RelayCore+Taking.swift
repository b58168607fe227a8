import CallState

// Handing output over: nearly all of it is frames of a call that nobody has missed, the same slice of its log for each
// reader, and costs no more than finding that out.
extension RelayCore {
    /// Takes what the relay hands over as one piece: bytes of this connection, then bytes that others are given too,
    /// then those that follow them, if any; each may be empty.
    ///
    /// It must keep what it can't send at once.
    public typealias Taker = (
        _ own: Span<UInt8>, _ shared: Span<UInt8>, _ following: Span<UInt8>, _ sharing: Sharing
    ) -> Taken

    /// What holds for shared bytes besides.
    public enum Sharing: Hashable, Sendable {
        /// They may be gone when the taker returns.
        case passing
        /// The taker may leave their end instead of keeping it, if it keeps at least one byte, and with it all that
        /// follows: it gets them again once it has sent what it keeps.
        case leavable
        /// They are of a call's frames, which stay as they are, where they are, until the next ``endTurn(at:into:)`` or
        /// ``apply(_:at:into:)``: what else is resting there until then, of the same length, is the same bytes.
        case resting
    }

    /// What became of bytes that were handed over.
    public struct Taken: Hashable, Sendable {
        /// So many could not be sent at once and are kept by the taker.
        public var kept: Int
        /// So many at the end of the shared ones were neither sent nor kept; what follows them is not counted, and is
        /// left where this is not 0.
        public var left: Int

        /// Bytes that were handed over, most of which were sent.
        public init(kept: Int, left: Int = 0) {
            self.kept = kept
            self.left = left
        }

        /// All were sent.
        public static let sent = Taken(kept: 0)
    }

    /// The next connection whose output is to be taken before the loop sleeps; nil when there is none.
    ///
    /// One may be named twice, and have nothing the second time.
    public mutating func nextOutput() -> ConnectionID? {
        while let index = outputs.popFirst() {
            guard connections[index].inFlight == 0 else { continue }
            switch connections[index].phase {
            case .free, .gone: continue
            case .opened, .greeted, .attached, .closing: return name(index)
            }
        }
        return nil
    }

    /// Whether there is output that was not taken, or that another ``endTurn(at:into:)`` will name.
    public var isOutputWaiting: Bool { !outputs.isEmpty || !turn.outputs.isEmpty }

    /// Hands the connection's waiting bytes over, piece by piece, until none are left or the taker is full.
    ///
    /// When `take` had to keep something, nothing more is handed over until ``Input/drained(_:)``.
    public mutating func takeOutput(
        of connection: ConnectionID,
        at now: Now,
        into effects: inout [Effect],
        _ take: Taker
    ) {
        guard let index = index(of: connection), connections[index].inFlight == 0,
            connections[index].phase != .gone
        else { return }
        self.now.monotonic = max(self.now.monotonic, now.monotonic)
        self.now.wall = now.wall
        if handOverSlice(index, take) { return }
        swap(&self.effects, &effects)
        handOverAll(index, take)
        swap(&self.effects, &effects)
    }

    /// The same for something that has room for so many bytes, and keeps what is too much, but no more than `most`
    /// where it may leave the rest.
    ///
    /// What is handed over as two is put together for it. Gives how many of the bytes that `take` got are kept.
    @discardableResult
    public mutating func takeOutput(
        of connection: ConnectionID,
        at now: Now,
        into effects: inout [Effect],
        room: Int,
        keepingAtMost most: Int = .max,
        _ take: (Span<UInt8>) -> Void
    ) -> Int {
        precondition(most > 0, "who leaves something keeps at least one byte")
        var room = room
        var kept = 0
        takeOutput(of: connection, at: now, into: &effects) { own, shared, following, sharing in
            let sent = min(room, own.count + shared.count + following.count)
            room -= sent
            let unsent = own.count + shared.count - sent
            let left = sharing == .leavable ? max(0, unsent - max(most, own.count - sent)) : 0
            let taken = shared.extracting(first: shared.count - left)
            let behind = left > 0 ? Span() : following
            if own.isEmpty, behind.isEmpty {
                take(taken)
            } else {
                var bytes: [UInt8] = []
                for index in own.indices { bytes.append(own[index]) }
                for index in taken.indices { bytes.append(taken[index]) }
                for index in behind.indices { bytes.append(behind[index]) }
                take(bytes.span)
            }
            let unsentNow = own.count + taken.count + behind.count - sent
            kept += unsentNow
            return Taken(kept: unsentNow, left: left)
        }
        return kept
    }

    /// Hands the frames over that a reader lacks to which nothing else is to be said, and which has missed no turn.
    ///
    /// False when that is not all that there may be to do; nothing is done then.
    private mutating func handOverSlice(_ index: Int, _ take: Taker) -> Bool {
        let cursor = connections[index].cursor
        guard connections[index].takesFramesAlone, let call = call(of: index),
            let given = calls[call]!.giveSlice(from: cursor, to: take)
        else { return false }
        if given.end == cursor.seq { return true }
        connections[index].hasTaken(framesTo: given.end, in: turnNumber)
        if given.kept > 0 { keeps(given.kept, index) }
        return true
    }

    /// Hands over whatever waits for a connection.
    private mutating func handOverAll(_ index: Int, _ take: Taker) {
        var writer = Writer(gathered: [])
        swap(&writer.gathered, &scratch)
        if !connections[index].output.isEmpty { noteHeld(index) }
        handOver(index, to: &writer, take)
        writer.flush(take)
        if writer.kept > 0 { keeps(writer.kept, index) }
        if writer.hasWritten { connections[index].countWrite(in: turnNumber) }
        writer.gathered.removeAll(keepingCapacity: writer.gathered.capacity <= Self.keptScratch)
        swap(&writer.gathered, &scratch)
        hasHandedOver(index)
    }

    /// Scratch memory above this is given back.
    private static let keptScratch = 256 * 1024

    /// The taker of a connection had to keep so many bytes.
    private mutating func keeps(_ bytes: Int, _ index: Int) {
        isInFlight(index, bytes)
        noteHeld(index)
    }
}

extension Connection {
    /// Whether frames of its call are all that there is to be said and done: most readers, nearly always.
    // Inlined, since all of a connection is copied to be asked else.
    @inline(__always)
    fileprivate var takesFramesAlone: Bool {
        phase == .attached && isReader && isUnsentLimited && !isLagging && !isPaused && inFlight == 0
            && output.answers == 0 && output.isEmpty
    }

    /// It was given frames up to `seq`, in the turn of that number.
    fileprivate mutating func hasTaken(framesTo seq: UInt64, in turn: UInt32) {
        cursor.seq = seq
        countWrite(in: turn)
    }
}

extension Call {
    /// Gives the slice of the log that takes a receiver from `cursor` to the end, unless it is there: which seq the end
    /// is at, and how many bytes the taker had to keep.
    ///
    /// Nil when the receiver has missed a turn, or the log does not reach back so far.
    ///
    /// `mutating`, since the log is then read where it is; else it is copied for each receiver.
    fileprivate mutating func giveSlice(from cursor: Position, to take: RelayCore.Taker) -> (end: UInt64, kept: Int)? {
        guard cursor.epoch == ringEpoch, cursor.seq >= turnBegin, let slice = ring.range(from: cursor.seq) else {
            return nil
        }
        return (ring.end, slice.isEmpty ? 0 : take(Span(), ring.bytes.span.extracting(slice), Span(), .resting).kept)
    }
}
