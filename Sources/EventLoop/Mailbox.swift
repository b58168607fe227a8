import Synchronization

/// The only door into a loop from other threads: values in from anywhere, batches out on the loop's thread.
///
/// Messages of one sender arrive in its order. The loop is woken once for a batch, not for each message. A mailbox that
/// nobody holds any more stays open, and delivers what was posted, until the loop is shut down.
public final class Mailbox<Message: Sendable>: Sendable {
    private let inbox = Inbox()

    /// Touched on the loop's thread only, which is where `init` and `close` are called.
    ///
    /// Weak, because libuv owns it.
    nonisolated(unsafe) private weak var bell: Bell?

    /// What the senders and the bell share.
    private final class Inbox: Sendable {
        let state = Mutex(State())

        struct State {
            var messages: [Message] = []
            /// Nil when the mailbox has closed.
            ///
            /// Pulled under the lock, so that the bell cannot close in between.
            var rope: Bell.Rope?
        }
    }

    /// Makes a mailbox.
    ///
    /// Call on the loop's thread.
    ///
    /// - Parameters:
    ///   - loop: The loop to wake.
    ///   - keepsLoopRunning: Whether the open mailbox alone is a reason for `run()` to go on.
    ///   - receive: Called on the loop with the messages of one or more posts, at least one, in order. Kept until the
    ///     mailbox has closed.
    public init(
        loop: EventLoop,
        keepsLoopRunning: Bool = false,
        receive: @escaping (_ batch: [Message]) -> Void
    ) throws(UVError) {
        var batch: [Message] = []
        let bell = try Bell(
            loop: loop,
            keepsLoopRunning: keepsLoopRunning,
            onRing: { [inbox] in
                // The two arrays are exchanged for ever, so that both keep their capacity.
                inbox.state.withLock { swap(&$0.messages, &batch) }
                if !batch.isEmpty { receive(batch) }
                batch.removeAll(keepingCapacity: true)
            },
            onClose: { [inbox] in inbox.state.withLock { $0.rope = nil } }
        )
        self.bell = bell
        let rope = bell.rope
        inbox.state.withLock { $0.rope = rope }
    }

    /// Hands a message to the loop, from any thread.
    ///
    /// False, and nothing happens, when the mailbox has closed.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        inbox.state.withLock { state in
            guard let rope = state.rope else { return false }
            state.messages.append(message)
            if state.messages.count == 1 { rope.pull() }
            return true
        }
    }

    /// Closes the mailbox and gives back what was posted and not received.
    ///
    /// Call on the loop's thread; a second call gives nothing.
    @discardableResult
    public func close() -> [Message] {
        bell?.close()
        return inbox.state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }
}
