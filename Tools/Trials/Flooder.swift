import CallState
import Faults
import Foundation
import Rollcall
import RollcallProtocol

/// A participant that sends frames as fast as they are taken, none of which changes anything: what has no effect, what
/// is repeated, what is refused, and questions.
///
/// It lets no more answers wait than the relay allows, or it would be ended; so most of it is what is never
/// answered.
final class Flooder: Sendable {
    /// What it has done.
    struct Status: Sendable {
        /// Frames that the system has taken from it.
        var sent = 0
        /// Of them, those before it was held back for the first time; 0 while it was not.
        var first = 0
        /// Whether the relay has ended it.
        var hasEnded = false

        fileprivate var hasHeard = false
        fileprivate var isFlooding = false
        fileprivate var isStopped = false
    }

    private let state = Watched(Status())
    private let bell: Descriptor

    /// Joins, and is silent.
    init(of session: String, at address: Address) async throws {
        let ends = try Descriptor.pipe()
        bell = ends.writing
        let socket = try Descriptor.connected(to: address)
        var greeting = FrameSplitter.preface
        let hello = Hello(clientName: "flooder", instance: [UInt8](repeating: 8, count: 16))
        ClientFrame.hello(hello).encode(into: &greeting)
        ClientFrame.join(Join(session: ByteString(session), uid: "flooder", device: "d")).encode(into: &greeting)
        let first = greeting
        let hearing = ends.reading
        Thread.detachNewThread { [self] in serve(socket, first, hearing) }
        try await wait(until: \.hasHeard)
    }

    /// What it has done so far.
    var status: Status { state.now }

    /// Floods from now on; returns once less is taken than there is.
    func flood() async throws {
        state.change { $0.isFlooding = true }
        bell.ring()
        try await wait { $0.first > 0 }
    }

    /// Goes without a word.
    func stop() {
        state.change { $0.isStopped = true }
        bell.ring()
    }

    private func wait(until isSo: @escaping @Sendable (Status) -> Bool) async throws {
        try await state.wait { status in
            if isSo(status) { return true }
            if status.hasEnded { throw TrialFailure("the one that floods was ended") }
            return false
        }
    }

    private func serve(_ socket: Descriptor, _ greeting: [UInt8], _ hearing: Descriptor) {
        var unsent = greeting[...]
        var flood = Flood()
        var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        var watched = [socket.polled(POLLIN | POLLOUT), hearing.polled(POLLIN)]
        while true {
            poll(&watched, nfds_t(watched.count), -1)
            if watched[1].revents != 0 { hearing.drain() }
            let status = state.now
            if status.isStopped { break }
            var sent = 0
            var isHeldBack = false
            while let count = socket.write(unsent) {
                unsent.removeFirst(count)
                isHeldBack = status.isFlooding && !unsent.isEmpty
                guard unsent.isEmpty, status.isFlooding else { break }
                sent += flood.count
                unsent = flood.more()[...]
            }
            watched[0].events = Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT)
            var hasHeard = false
            var hasEnded = false
            switch socket.read() {
            case .bytes(let bytes):
                hasHeard = true
                _ = try? splitter.feed(bytes.span) { frame in
                    if Flood.isAnswer(frame[0]) { flood.unanswered -= 1 }
                    return .proceed
                }
            case .nothing: break
            case .ended:
                hasEnded = true
                watched[0].fd = -1
            }
            state.change { status in
                status.sent += sent
                if isHeldBack, status.first == 0 { status.first = status.sent }
                if hasHeard { status.hasHeard = true }
                if hasEnded { status.hasEnded = true }
            }
        }
        socket.close()
        hearing.close()
        bell.close()
    }
}

/// The frames that it sends, in pieces.
private struct Flood {
    /// How many frames the last piece has.
    private(set) var count = 0
    /// How many answers have not come.
    var unanswered = 0
    private var number: UInt64 = 0

    /// Whether a message that begins so answers something: Ack, Error and CallList.
    static func isAnswer(_ tag: UInt8) -> Bool { tag == 0x32 || tag == 0x52 || tag == 0x5A }

    /// The next piece.
    mutating func more() -> [UInt8] {
        var frames: [ClientFrame] = []
        for _ in 0..<50 { frames += [.pong(Pong(position: .zero, time: 0)), .speaking(Speaking(on: false))] }
        let without = [Setting(.handRaised(false))]
        let stranger = [Setting(target: Target(uid: "nobody"), .handRaised(true))]
        if unanswered <= 32 {
            for _ in 0..<5 {
                number += 1
                frames += [
                    .command(Command(op: 2 * number, settings: without)),
                    .command(Command(op: 2 * number, settings: without)),
                    .command(Command(op: 2 * number + 1, settings: stranger)),
                ]
            }
            frames.append(.list(request: number, after: ""))
            unanswered += 16
        }
        count = frames.count
        var bytes: [UInt8] = []
        for frame in frames { frame.encode(into: &bytes) }
        return bytes
    }
}
