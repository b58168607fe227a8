import CallState
import Faults
import Foundation
import Rollcall
import RollcallProtocol

/// Many observers that take every byte at once and only count the bytes of differences: one thread reads for all of
/// them.
///
/// Answers to joins are not counted: numbers in them are longer for who comes later.
final class ByteSinks: Sendable {
    /// The name that they give to the relay.
    static let clientName = "sink"

    /// The first byte of a message: the tag of its body.
    private enum Tag {
        static let joined: UInt8 = 0x12
        static let delta: UInt8 = 0x2A
    }

    private struct State: Sendable {
        /// Bytes of differences, by sink.
        var bytes: [Int]
        /// What the last difference leads to, by sink.
        var seqs: [UInt64]
        /// How many were told that their join was accepted.
        var joined = 0
        /// Whether one was ended.
        var hasEnded = false
        var isStopped = false
    }

    private let state: Watched<State>
    private let bell: Descriptor

    /// Connects `count` observers of a call.
    init(_ count: Int, of session: String, at address: Address) throws {
        let ends = try Descriptor.pipe()
        bell = ends.writing
        state = Watched(State(bytes: Array(repeating: 0, count: count), seqs: Array(repeating: 0, count: count)))
        var join = Join(session: ByteString(session), uid: "", device: "")
        join.mode = .observer
        var bytes = FrameSplitter.preface
        let instance = [UInt8](repeating: 7, count: 16)
        ClientFrame.hello(Hello(clientName: ByteString(Self.clientName), instance: instance)).encode(into: &bytes)
        ClientFrame.join(join).encode(into: &bytes)
        let sockets = try (0..<count).map { _ in try Descriptor.connected(to: address) }
        let greeting = bytes
        let hearing = ends.reading
        Thread.detachNewThread { [self] in read(sockets, greeting, hearing) }
    }

    /// How many bytes of differences each has got.
    var bytes: [Int] { state.now.bytes }

    /// Ends all connections.
    func stop() {
        state.change { $0.isStopped = true }
        bell.ring()
    }

    /// Waits until every sink has been told that its join was accepted.
    func waitUntilJoined() async throws {
        try await state.wait { state in
            if state.hasEnded { throw TrialFailure("a sink was ended") }
            return state.joined == state.bytes.count
        }
    }

    /// Waits until differences have taken every sink to `position`.
    ///
    /// Joined is not enough: what a joiner gets first may be older than that, and lead there.
    func wait(reaching position: Position) async throws {
        try await state.wait { state in
            if state.hasEnded { throw TrialFailure("a sink was ended") }
            return state.seqs.allSatisfy { $0 >= position.seq }
        }
    }

    /// The seq that a Delta leads to: the first field of its body.
    private static func seq(of frame: Span<UInt8>) -> UInt64 {
        var place = 1
        while place < frame.count, frame[place] >= 0x80 { place += 1 }
        // Behind the length and the tag of the field.
        place += 2
        var seq: UInt64 = 0
        var shift: UInt64 = 0
        while place < frame.count {
            seq |= UInt64(frame[place] & 0x7F) << shift
            if frame[place] < 0x80 { break }
            shift += 7
            place += 1
        }
        return seq
    }

    private func read(_ sockets: [Descriptor], _ greeting: [UInt8], _ hearing: Descriptor) {
        var splitters = sockets.map { _ in FrameSplitter(maximumFrameLength: WireLimits.serverFrame) }
        var unsent = sockets.map { _ in greeting[...] }
        var watched = sockets.map { $0.polled(POLLIN | POLLOUT) } + [hearing.polled(POLLIN)]
        var next = state.now
        while !state.now.isStopped {
            poll(&watched, nfds_t(watched.count), -1)
            for (index, socket) in sockets.enumerated() where watched[index].revents != 0 {
                if !unsent[index].isEmpty {
                    unsent[index].removeFirst(socket.write(unsent[index]) ?? 0)
                    if unsent[index].isEmpty { watched[index].events = Int16(POLLIN) }
                }
                switch socket.read() {
                case .bytes(let bytes):
                    _ = try? splitters[index].feed(bytes.span) { frame in
                        if frame[0] == Tag.delta {
                            next.bytes[index] += 4 + frame.count
                            next.seqs[index] = Self.seq(of: frame)
                        }
                        if frame[0] == Tag.joined { next.joined += 1 }
                        return .proceed
                    }
                case .nothing: continue
                case .ended:
                    watched[index].fd = -1
                    next.hasEnded = true
                }
            }
            // Once for all that has come: whoever waits looks at every one of them.
            state.change { state in
                (state.bytes, state.seqs) = (next.bytes, next.seqs)
                (state.joined, state.hasEnded) = (next.joined, next.hasEnded)
            }
        }
        for socket in sockets { socket.close() }
        hearing.close()
        bell.close()
    }
}
