import CLibuv

/// Watches for a signal of the process, such as SIGTERM, and reports it on the loop.
///
/// It does not keep the loop running. While a watcher is open the signal has no other effect.
public final class SignalWatcher: Handle {
    private var onSignal: (() -> Void)?

    /// Starts to watch for the signal with this number.
    ///
    /// The closure is kept until the watcher has closed. Throws for a number that cannot be watched.
    public init(loop: EventLoop, signal number: Int32, onSignal: @escaping () -> Void) throws(UVError) {
        self.onSignal = onSignal
        try super.init(loop: loop, size: MemoryLayout<uv_signal_t>.size, operation: "uv_signal_init") { loop, memory in
            uv_signal_init(loop, memory.assumingMemoryBound(to: uv_signal_t.self))
        }
        uv_unref(raw)
        let result = uv_signal_start(pointer(as: uv_signal_t.self), signalArrived, number)
        if result < 0 {
            close()
            throw UVError(result, "uv_signal_start", on: "for signal \(number)")
        }
        // Whoever started the process may have blocked it, and the process inherits that.
        rollcall_unblock_signal(number)
    }

    override func hasClosed() { onSignal = nil }

    fileprivate func arrived() {
        // A signal that libuv had queued before the watcher was closed is nobody's any more.
        if !isClosing { onSignal?() }
    }
}

private func signalArrived(_ signal: UnsafeMutablePointer<uv_signal_t>?, _: Int32) {
    borrow(signal!.pointee.data, as: SignalWatcher.self).arrived()
}
