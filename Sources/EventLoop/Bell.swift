import CLibuv

/// A wake-up call for a loop.
///
/// Not generic on purpose: a C callback cannot carry generic parameters.
final class Bell: Handle {
    private var onRing: (() -> Void)?
    private var onClose: (() -> Void)?

    /// `onClose` is called inside `close()`, before the bell becomes unusable: whoever rings must be told there.
    init(
        loop: EventLoop,
        keepsLoopRunning: Bool,
        onRing: @escaping () -> Void,
        onClose: @escaping () -> Void
    ) throws(UVError) {
        self.onRing = onRing
        self.onClose = onClose
        try super.init(loop: loop, size: MemoryLayout<uv_async_t>.size, operation: "uv_async_init") { loop, memory in
            uv_async_init(loop, memory.assumingMemoryBound(to: uv_async_t.self), bellRang)
        }
        if !keepsLoopRunning { uv_unref(raw) }
    }

    /// The end of the bell that other threads may hold.
    var rope: Rope { Rope(async: pointer(as: uv_async_t.self)) }

    override func willClose() { onClose?() }

    override func hasClosed() {
        onRing = nil
        onClose = nil
    }

    fileprivate func rang() {
        if !isClosing { onRing?() }
    }

    /// Rings from any thread.
    ///
    /// Unchecked, because `uv_async_send` is the one function of libuv that any thread may call. The holder makes sure
    /// that it pulls only while the bell is open: `onClose` tells it, under the holder's own lock.
    struct Rope: @unchecked Sendable {
        fileprivate let async: UnsafeMutablePointer<uv_async_t>

        func pull() { uv_async_send(async) }
    }
}

private func bellRang(_ async: UnsafeMutablePointer<uv_async_t>?) {
    borrow(async!.pointee.data, as: Bell.self).rang()
}
