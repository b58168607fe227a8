import CallState
import Faults
import Foundation
import Rollcall
import RollcallProtocol
import Synchronization

/// Many observers that take every byte at once and only count the bytes of differences: one thread reads for all of
/// them.
///
/// Answers to joins are not counted: numbers in them are longer for who comes later.
final class ByteSinks: Sendable {
    /// The name that they give to the relay.
    static let clientName = "sink"

    /// The first byte of a Delta's message: the tag of its body.
    private static let delta: UInt8 = 0x2A

    private struct Counts {
        var bytes: [Int]
        var isStopped = false
    }

    private let counts: Mutex<Counts>
    private let bell: Descriptor

    /// Connects `count` observers of a call.
    init(_ count: Int, of session: String, at address: Address) throws {
        let ends = try Descriptor.pipe()
        bell = ends.writing
        counts = Mutex(Counts(bytes: Array(repeating: 0, count: count)))
        var join = Join(session: ByteString(session), uid: "", device: "")
        join.mode = .observer
        var bytes = FrameSplitter.preface
        let instance = [UInt8](repeating: 7, count: 16)
        ClientFrame.hello(Hello(clientName: ByteString(Self.clientName), instance: instance)).encode(into: &bytes)
        ClientFrame.join(join).encode(into: &bytes)
        let sockets = try (0..<count).map { _ in
            let socket = try Descriptor.connected(to: address)
            // A greeting fits into the buffer of a socket that has just been made.
            guard socket.write(bytes[...]) == bytes.count else { throw TrialFailure("a sink could not greet") }
            return socket
        }
        let hearing = ends.reading
        Thread.detachNewThread { [self] in read(sockets, hearing) }
    }

    /// How many bytes of differences each has got.
    var bytes: [Int] { counts.withLock { $0.bytes } }

    /// Ends all connections.
    func stop() {
        counts.withLock { $0.isStopped = true }
        bell.ring()
    }

    /// Waits until every sink has got the same number of bytes, and more than `before`.
    ///
    /// Gives that number.
    func wait(past before: Int) async throws -> Int {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let bytes = bytes
            if let first = bytes.first, first > before, bytes.allSatisfy({ $0 == first }) { return first }
            guard ContinuousClock.now < end else {
                throw TrialFailure("the sinks never got the same: \(bytes.min() ?? 0) to \(bytes.max() ?? 0) bytes")
            }
            await Task.yield()
        }
    }

    private func read(_ sockets: [Descriptor], _ hearing: Descriptor) {
        var splitters = sockets.map { _ in FrameSplitter(maximumFrameLength: WireLimits.serverFrame) }
        var watched = sockets.map { $0.polled(POLLIN) } + [hearing.polled(POLLIN)]
        while !counts.withLock({ $0.isStopped }) {
            poll(&watched, nfds_t(watched.count), -1)
            for (index, socket) in sockets.enumerated() where watched[index].revents != 0 {
                switch socket.read() {
                case .bytes(let bytes):
                    var count = 0
                    _ = try? splitters[index].feed(bytes.span) { frame in
                        if frame[0] == Self.delta { count += 4 + frame.count }
                        return .proceed
                    }
                    if count > 0 { counts.withLock { $0.bytes[index] += count } }
                case .nothing: continue
                case .ended: watched[index].fd = -1
                }
            }
        }
        for socket in sockets { socket.close() }
        hearing.close()
        bell.close()
    }
}
