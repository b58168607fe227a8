import CallState
import Rollcall
import RollcallProtocol

/// One frame as it came: its bytes without the length, and what they say.
struct BareFrame {
    let bytes: [UInt8]
    let frame: ServerFrame
}

/// What a connection has brought next.
enum BareEvent {
    case frame(BareFrame)
    /// Nothing whole came until the deadline.
    case timeout
    /// The relay has ended the connection; the text tells how.
    case ended(String)
}

/// A connection that speaks RCL1 frame by frame, and shows each frame with its bytes.
///
/// It answers pings and nothing else by itself.
final class BareConnection {
    let socket: BareSocket
    /// Whether pings are answered; not when all that is left is to read what the relay has said.
    var answersPings = true
    private var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
    /// Whole frames that nobody has asked for yet, the next one last.
    private var frames: [[UInt8]] = []
    /// Made when it is first read into: thousands of connections may never be read.
    private var buffer: [UInt8] = []
    private var position = Position.zero

    init(_ socket: BareSocket) { self.socket = socket }

    convenience init(_ address: Address, receiveBuffer: Int? = nil) throws(SocketError) {
        self.init(try BareSocket(address, receiveBuffer: receiveBuffer))
    }

    /// Sends the preface and Hello, in one write.
    func hello(_ name: String, before deadline: ContinuousClock.Instant) throws(SocketError) {
        var bytes = BareBytes.preface
        ClientFrame.hello(Hello(clientName: ByteString(name), instance: BareBytes.instance)).encode(into: &bytes)
        try socket.write(bytes, before: deadline)
    }

    /// Sends a frame.
    func send(_ frame: ClientFrame, before deadline: ContinuousClock.Instant) throws(SocketError) {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        try socket.write(bytes, before: deadline)
    }

    /// The next frame, pings included, which are answered.
    func next(before deadline: ContinuousClock.Instant) throws -> BareEvent {
        while true {
            if let bytes = frames.popLast() {
                let frame = BareFrame(bytes: bytes, frame: try ServerFrame.decode(bytes.span))
                if answersPings, case .ping(let ping) = frame.frame, ping.position != nil {
                    try send(.pong(Pong(position: position, time: ping.time)), before: deadline)
                }
                return .frame(frame)
            }
            if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: 64 * 1024) }
            switch socket.read(into: &buffer, before: deadline) {
            case .bytes(let count): try split(count)
            case .timeout: return .timeout
            case .ended(let how): return .ended(how)
            }
        }
    }

    /// Reads until `pick` has found what it looks for.
    ///
    /// - Throws: ``SocketError`` when the relay closes, or the deadline passes before.
    func wait<Found>(
        for what: String,
        before deadline: ContinuousClock.Instant,
        _ pick: (BareFrame) throws -> Found?
    ) throws -> Found {
        while true {
            switch try next(before: deadline) {
            case .frame(let frame):
                if let found = try pick(frame) { return found }
                if case .closed(let refusal) = frame.frame {
                    throw SocketError("closed with \(refusal.code.rawValue) instead of \(what): \(refusal.text)")
                }
            case .timeout: throw SocketError("no \(what) in time")
            case .ended(let how): throw SocketError("the connection ended (\(how)) instead of \(what)")
            }
        }
    }

    /// Where the copy of this connection's owner is, for the answers to pings.
    func reached(_ position: Position) { self.position = position }

    /// Gives the memory for reading back, for a connection that is idle now.
    func dropBuffer() {
        buffer = []
        if frames.isEmpty { frames = [] }
    }

    /// Cuts what was read into frames; called when none is left from before.
    private func split(_ count: Int) throws(WireError) {
        let read = buffer
        try splitter.feed(read.span.extracting(..<count)) { frame in
            frames.append(frame.withUnsafeBufferPointer { Array($0) })
            return .proceed
        }
        frames.reverse()
    }
}

/// Bytes that every connection begins with.
enum BareBytes {
    /// `RCL1`.
    static let preface = Array("RCL1".utf8)
    /// One value for this process.
    static let instance: [UInt8] = (0..<16).map { _ in UInt8.random(in: .min ... .max) }

    /// A frame with any content, legal or not.
    static func frame(_ content: [UInt8]) -> [UInt8] {
        let count = UInt32(content.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + content
    }
}

extension ContinuousClock.Instant {
    /// So long from now.
    static func `in`(_ duration: Duration) -> ContinuousClock.Instant { .now + duration }
}
