public import Addresses
import CLibuv

/// What a listener tells its owner.
///
/// All calls come on the loop's thread.
public protocol ListenerDelegate: AnyObject {
    /// A connection has come in.
    ///
    /// To keep it, call `start` on the stream before this returns; otherwise it is closed.
    func listener(_ listener: Listener, didAccept stream: Stream)

    /// Connections could not be accepted, usually because the process has no descriptors left (EMFILE).
    ///
    /// `refused` of them were closed at once; the others wait. The listener goes on listening.
    func listener(_ listener: Listener, failedToAccept error: UVError, refused: Int)

    /// The listener has closed.
    ///
    /// Called exactly once.
    func listenerDidClose(_ listener: Listener)
}

/// Accepts connections on a TCP address or a UNIX socket.
///
/// An open listener keeps the loop running.
public final class Listener: Handle {
    /// Where it listens: numeric, with the port that the system has chosen if 0 was asked for.
    public let boundAddress: Address

    /// Asked first what becomes of a connection that has come in, for those that shall live on another loop.
    ///
    /// True when it has taken it, which is then nothing to the delegate. Kept until the listener has closed.
    public var divert: ((LooseStream) -> Bool)?

    private let descriptor: Int32
    private let file: SocketFile?
    private let transport: Stream.Transport
    private var delegate: (any ListenerDelegate)?

    /// Given up for a moment to close a connection that cannot be accepted for want of a descriptor: left waiting, it
    /// would wake the loop for ever, and its client would never learn.
    private var reserve: Int32
    private var retry: Timer?

    /// So many connections are taken in one go: one, so that the system is not asked for a second that is most likely
    /// not there, and twice as many in each turn that follows at once and finds more waiting.
    private var batch = 1
    /// At most, so that the streams get their turn.
    private static let mostAtOnce = 64
    /// The turn of the loop in which connections were taken last.
    private var lastTurn: UInt64?
    /// How long the listener looks away when it can do nothing about a waiting connection, in milliseconds.
    private static let pause: Int64 = 100

    /// Listens on an address, which is free, or a stale UNIX socket, when this returns.
    ///
    /// TCP: a host name is resolved, and the first of its addresses that can be had is taken. UNIX: the socket of a
    /// dead server is replaced, and the file is removed at close if it is still this listener's.
    ///
    /// - Parameters:
    ///   - backlog: How many connections may wait to be accepted, as far as the system allows. Who finds no room tries
    ///     again after a second over TCP: when everybody comes back at once, that must be nobody.
    ///   - access: Mode and owner of a UNIX socket; nothing for TCP.
    ///   - delegate: Held until the listener has closed.
    public convenience init(
        loop: EventLoop,
        address: Address,
        backlog: Int = 4_096,
        access: SocketFileAccess = SocketFileAccess(),
        delegate: any ListenerDelegate
    ) throws(ListenError) {
        let socket = try ListeningSocket(address, backlog: Int32(clamping: backlog), access: access)
        do throws(UVError) {
            try self.init(loop: loop, socket: socket, delegate: delegate)
        } catch { throw ListenError(error, at: address) }
    }

    private init(loop: EventLoop, socket: ListeningSocket, delegate: any ListenerDelegate) throws(UVError) {
        boundAddress = socket.boundAddress
        descriptor = socket.descriptor
        file = socket.file
        self.delegate = delegate
        let reserve = rollcall_open_reserve()
        self.reserve = reserve
        if case .unix = socket.boundAddress { transport = .unix } else { transport = .tcp }
        do throws(UVError) {
            try super.init(loop: loop, size: MemoryLayout<uv_poll_t>.size, operation: "uv_poll_init") { loop, memory in
                uv_poll_init(loop, memory.assumingMemoryBound(to: uv_poll_t.self), socket.descriptor)
            }
        } catch {
            socket.file?.removeIfUnchanged()
            rollcall_close(socket.descriptor)
            if reserve >= 0 { rollcall_close(reserve) }
            throw error
        }
        watch()
    }

    override func willClose() {
        // The file first: while the socket listens, nobody takes the path for stale.
        file?.removeIfUnchanged()
        uv_poll_stop(pointer(as: uv_poll_t.self))
        rollcall_close(descriptor)
        if reserve >= 0 { rollcall_close(reserve) }
        retry?.close()
    }

    override func hasClosed() {
        delegate?.listenerDidClose(self)
        delegate = nil
        divert = nil
        retry = nil
    }

    private func watch() {
        guard !isClosing else { return }
        // Cannot fail for a descriptor that uv_poll_init has taken.
        uv_poll_start(pointer(as: uv_poll_t.self), Int32(UV_READABLE.rawValue), listenerReady)
    }

    fileprivate func acceptWaiting() {
        var refused = 0
        var failure: UVError?
        let isNext = lastTurn.map { loop.turns == $0 + 1 } ?? false
        batch = isNext ? min(2 * batch, Self.mostAtOnce) : 1
        lastTurn = loop.turns
        takingConnections: for _ in 0..<batch {
            if isClosing { return }
            let result = rollcall_accept(descriptor)
            if result >= 0 {
                welcome(result)
                continue
            }
            switch result {
            case UV_EAGAIN.rawValue:
                break takingConnections
            case UV_EMFILE.rawValue, UV_ENFILE.rawValue:
                failure = UVError(result, "accept", on: "\(boundAddress)")
                guard refuseNext(&refused) else {
                    lookAway()
                    break takingConnections
                }
            case UV_ENOMEM.rawValue, UV_ENOBUFS.rawValue, UV_EBADF.rawValue, UV_EINVAL.rawValue:
                failure = UVError(result, "accept", on: "\(boundAddress)")
                lookAway()
                break takingConnections
            default:
                // This one connection has failed before it was accepted (ECONNABORTED and its kin).
                continue
            }
        }
        if let failure { delegate?.listener(self, failedToAccept: failure, refused: refused) }
    }

    private func welcome(_ connection: Int32) {
        do throws(UVError) {
            let stream: Stream
            if let divert {
                let loose = LooseStream(transport: transport, descriptor: connection)
                if divert(loose) { return }
                stream = try Stream(loop: loop, loose)
            } else {
                stream = try Stream(loop: loop, transport: transport, descriptor: connection)
            }
            delegate?.listener(self, didAccept: stream)
            if !stream.isStarted { stream.close() }
        } catch {
            delegate?.listener(self, failedToAccept: error, refused: 1)
        }
    }

    /// Uses the reserve descriptor to take the next connection and close it.
    ///
    /// False when that was not possible.
    private func refuseNext(_ refused: inout Int) -> Bool {
        guard reserve >= 0 else {
            reserve = rollcall_open_reserve()
            return reserve >= 0
        }
        rollcall_close(reserve)
        let connection = rollcall_accept(descriptor)
        if connection >= 0 {
            rollcall_close(connection)
            refused += 1
        }
        reserve = rollcall_open_reserve()
        return connection >= 0 || connection == UV_EAGAIN.rawValue
    }

    /// Stops watching for a moment.
    ///
    /// Level-triggered polling would come back at once, for ever.
    private func lookAway() {
        do throws(UVError) {
            if retry == nil { retry = try Timer(loop: loop) { [unowned self] in watch() } }
        } catch { return }
        uv_poll_stop(pointer(as: uv_poll_t.self))
        retry?.arm(at: loop.now + Self.pause)
    }
}

private func listenerReady(_ poll: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _: Int32) {
    // A negative status means that the descriptor itself is bad; accept says so too, and in one place.
    borrow(poll!.pointee.data, as: Listener.self).acceptWaiting()
}
