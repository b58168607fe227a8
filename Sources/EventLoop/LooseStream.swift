import CLibuv
import Synchronization

/// A connection that lives on no loop: on its way from one to another.
///
/// It may go to any thread. One that nobody takes in is closed with its last reference.
public final class LooseStream: Sendable {
    /// The kind of connection.
    public let transport: Stream.Transport
    /// Below 0 once it was taken.
    private let descriptor: Atomic<Int32>

    /// Takes over the descriptor of a connection.
    init(transport: Stream.Transport, descriptor: Int32) {
        self.transport = transport
        self.descriptor = Atomic(descriptor)
    }

    /// Gives the descriptor away; below 0 when that was done before.
    func take() -> Int32 { descriptor.exchange(-1, ordering: .relaxed) }

    deinit {
        let left = take()
        if left >= 0 { rollcall_close(left) }
    }
}

extension Stream {
    /// Brings a connection to `loop`, whose thread calls this.
    ///
    /// Throws when it was brought to a loop before, or the loop can't watch it; then it is closed.
    public convenience init(loop: EventLoop, _ loose: LooseStream) throws(UVError) {
        let descriptor = loose.take()
        guard descriptor >= 0 else { throw UVError(UV_EBADF.rawValue, "bring a connection to a loop") }
        try self.init(loop: loop, transport: loose.transport, descriptor: descriptor)
    }

    /// Takes the connection away from its loop: its delegate is told nothing more, and what the peer sends waits.
    ///
    /// Throws, and nothing has changed, while a write is in flight, after `close` or `finish`, and when the system has
    /// no descriptor left. The peer notices nothing.
    public func release() throws(UVError) -> LooseStream {
        guard !isClosing, !isWriting, !isFinishing else {
            throw UVError(UV_EBUSY.rawValue, "take a connection away from its loop")
        }
        // A second descriptor, because libuv closes the first: that ends nothing while there is another.
        let second = loop.withReserve { withDescriptor(rollcall_duplicate) }
        try UVError.check(second, "take a connection away from its loop")
        leave()
        loop.keepReserve()
        return LooseStream(transport: transport, descriptor: second)
    }
}
