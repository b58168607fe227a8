/// Cuts a stream of bytes into frames (R-1 to R-4): a value that is fed with what came and hands out whole frames.
///
/// A frame that is whole in a chunk is handed out where it lies, without a copy. Only an incomplete rest is kept, in
/// memory that is given back with its last byte: the splitter of an idle connection has none. Memory grows with the
/// bytes that came and never with the length that a frame claims.
public struct FrameSplitter: Sendable {
    /// The four bytes that a client sends first: `RCL1`.
    public static let preface: [UInt8] = [0x52, 0x43, 0x4C, 0x31]

    /// What the receiver of a frame wants.
    public enum Step: Hashable, Sendable {
        /// The next frame.
        case proceed
        /// No more frames from this chunk.
        case stop
    }

    /// The longest frame that is accepted, in bytes without its length.
    public var maximumFrameLength: Int { Int(longest) }

    /// The incomplete rest: a begin of the preface, or of a frame with its length.
    private var rest: [UInt8] = []
    /// Small, as every connection has one; no frame says that it is longer than this can hold.
    private let longest: UInt32
    /// Whether the preface is still to come.
    private var awaitsPreface: Bool

    /// A splitter at the begin of a stream.
    ///
    /// - Parameters:
    ///   - maximumFrameLength: The longest frame that is accepted, in bytes without its length.
    ///   - expectsPreface: Whether the stream begins with ``preface``: on a relay.
    public init(maximumFrameLength: Int, expectsPreface: Bool = false) {
        longest = UInt32(clamping: maximumFrameLength)
        awaitsPreface = expectsPreface
    }

    /// Whether the stream is between two frames: nothing incomplete is kept.
    public var isEmpty: Bool { rest.isEmpty }

    /// The number of bytes that are kept.
    public var keptCount: Int { rest.count }

    /// The bytes of memory that the splitter holds beside itself: 0 when it is empty.
    public var keptCapacity: Int { rest.capacity }

    /// Takes the next bytes of the stream and hands each frame that is whole now, without its length, to `receive`.
    ///
    /// - Returns: How many bytes of `chunk` were taken: all, or fewer when `receive` said ``Step/stop``. Who wants to
    ///   go on later feeds the others again.
    /// - Throws: ``WireError`` with code `badPreface` or `frameLength`, as soon as it is sure. The stream is lost then:
    ///   each further call throws the same.
    @discardableResult
    public mutating func feed(
        _ chunk: Span<UInt8>,
        _ receive: (Span<UInt8>) -> Step
    ) throws(WireError) -> Int {
        var offset = 0
        if awaitsPreface {
            guard try takePreface(chunk, &offset) else { return offset }
        }
        if !rest.isEmpty {
            guard try completeRest(chunk, &offset) else { return offset }
            let frame = rest
            rest = []
            if receive(frame.span.extracting(droppingFirst: 4)) == .stop { return offset }
        }
        while chunk.count - offset >= 4 {
            let length: Int
            do throws(WireError) {
                length = try frameLength(chunk[offset], chunk[offset + 1], chunk[offset + 2], chunk[offset + 3])
            } catch {
                // Kept, so that whoever goes on in spite of it meets it again.
                keep(chunk, from: &offset, upTo: offset + 4, claimed: 4)
                throw error
            }
            let end = offset + 4 + length
            guard end <= chunk.count else { break }
            let step = receive(chunk.extracting(offset + 4..<end))
            offset = end
            if step == .stop { return offset }
        }
        keep(chunk, from: &offset, upTo: chunk.count, claimed: claimed(chunk, at: offset))
        return offset
    }

    /// Takes the preface; false while it is incomplete.
    private mutating func takePreface(_ chunk: Span<UInt8>, _ offset: inout Int) throws(WireError) -> Bool {
        let length = FrameSplitter.preface.count
        keep(chunk, from: &offset, upTo: length - rest.count, claimed: length)
        for index in rest.indices where rest[index] != FrameSplitter.preface[index] {
            let found = rest.map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined(separator: " ")
            throw WireError(.badPreface, "preface", at: index, "the bytes \(found) where 52 43 4c 31 (RCL1) belong")
        }
        guard rest.count == FrameSplitter.preface.count else { return false }
        awaitsPreface = false
        rest = []
        return true
    }

    /// Takes what the incomplete frame lacks; false when it still lacks something.
    private mutating func completeRest(_ chunk: Span<UInt8>, _ offset: inout Int) throws(WireError) -> Bool {
        keep(chunk, from: &offset, upTo: offset + max(0, 4 - rest.count), claimed: 4)
        guard rest.count >= 4 else { return false }
        let length = try frameLength(rest[0], rest[1], rest[2], rest[3])
        keep(chunk, from: &offset, upTo: offset + 4 + length - rest.count, claimed: 4 + length)
        return rest.count == 4 + length
    }

    /// What the frame that begins at `offset` claims to take with its length, as far as the chunk tells.
    private func claimed(_ chunk: Span<UInt8>, at offset: Int) -> Int {
        guard chunk.count - offset >= 4 else { return 4 }
        let length = chunk.extracting(offset..<offset + 4)
        return 4 + ((try? frameLength(length[0], length[1], length[2], length[3])) ?? 0)
    }

    /// Keeps the bytes of the chunk up to `end`, or up to its own end when that is nearer.
    ///
    /// `claimed`: what the rest says to come to. Room grows by doubling up to that: bytes are moved a few times however
    /// small the chunks are, and there is never more room than twice what came.
    private mutating func keep(_ chunk: Span<UInt8>, from offset: inout Int, upTo end: Int, claimed: Int) {
        let end = min(end, chunk.count)
        if end <= offset { return }
        let count = rest.count + end - offset
        if count > rest.capacity { rest.reserveCapacity(max(count, min(claimed, 2 * count))) }
        rest.append(chunk.extracting(offset..<end))
        offset = end
    }

    /// The length of a frame, if it is allowed.
    private func frameLength(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) throws(WireError) -> Int {
        let length = UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
        if length == 0 { throw WireError(.frameLength, "length", at: 0, "a frame of no bytes") }
        if UInt64(length) > UInt64(maximumFrameLength) {
            throw WireError(
                .frameLength,
                "length",
                at: 0,
                "a frame of \(length) bytes, where the limit is \(maximumFrameLength)"
            )
        }
        return Int(length)
    }
}
