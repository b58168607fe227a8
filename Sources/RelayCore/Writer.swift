import RollcallProtocol

/// Hands bytes over in as few pieces as it can: small ones are copied together, large ones go as they are.
///
/// Before each piece it is asked whether it ``admits(_:_:)`` it, since a taker that is full must get no more.
struct Writer {
    /// Pieces up to this many bytes are copied together.
    static let smallPiece = 16 * 1024

    /// What is gathered and not handed over yet.
    var gathered: [UInt8]
    /// Bytes that the taker had to keep; above 0 it gets no more.
    private(set) var kept = 0
    /// Whether anything was handed over.
    private(set) var hasWritten = false

    /// A writer that gathers in `gathered`, whose memory it reuses.
    init(gathered: [UInt8]) {
        self.gathered = gathered
    }

    /// Adds a small frame.
    mutating func gather(_ frame: ServerFrame) {
        frame.encode(into: &gathered)
    }

    /// Makes room for a piece of `count` bytes.
    ///
    /// False when the taker is full.
    mutating func admits(_ count: Int, _ take: RelayCore.Taker) -> Bool {
        if gathered.count + count > Self.smallPiece { flush(take) }
        return kept == 0
    }

    /// Makes room for a piece of `count` bytes that may be handed over together with what is gathered.
    ///
    /// False when the taker is full.
    mutating func admitsLarge(_ count: Int, _ take: RelayCore.Taker) -> Bool {
        count > Self.smallPiece && gathered.count <= Self.smallPiece ? kept == 0 : admits(count, take)
    }

    /// Adds a piece: gathers it when it is small, unless it comes alone, and hands it over as it is otherwise, behind
    /// what is gathered.
    mutating func write(
        _ bytes: [UInt8],
        _ range: Range<Int>,
        isAlone: Bool = false,
        sharing: RelayCore.Sharing = .passing,
        _ take: RelayCore.Taker
    ) {
        if range.isEmpty { return }
        if range.count > Self.smallPiece || (isAlone && gathered.isEmpty) {
            _ = hand(bytes.span.extracting(range), Span(), sharing, take)
        } else {
            gathered.append(contentsOf: bytes[range])
        }
    }

    /// The same for a piece that may be handed over again where the taker leaves its end, and what follows it in the
    /// call's log with it: gives how many bytes of the piece it left.
    mutating func writeLeaving(
        _ bytes: [UInt8],
        _ range: Range<Int>,
        following log: [UInt8],
        _ frames: Range<Int>,
        _ take: RelayCore.Taker
    ) -> Int {
        guard range.count > Self.smallPiece else {
            write(bytes, range, take)
            gathered.append(contentsOf: log[frames])
            return 0
        }
        return hand(bytes.span.extracting(range), log.span.extracting(frames), .leavable, take)
    }

    /// Hands over what is gathered.
    mutating func flush(_ take: RelayCore.Taker) {
        if !gathered.isEmpty { _ = hand(Span(), Span(), .passing, take) }
    }

    /// Hands over what is gathered, `shared` behind it, and what follows that; gives how many bytes of `shared` were
    /// left.
    private mutating func hand(
        _ shared: Span<UInt8>,
        _ following: Span<UInt8>,
        _ sharing: RelayCore.Sharing,
        _ take: RelayCore.Taker
    ) -> Int {
        let taken = take(gathered.span, shared, following, sharing)
        kept += taken.kept
        hasWritten = true
        if !gathered.isEmpty { gathered.removeAll(keepingCapacity: true) }
        return taken.left
    }
}
