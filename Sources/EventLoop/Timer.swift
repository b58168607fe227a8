import CLibuv

/// A one-shot timer at a moment of the loop's clock, armed as often as needed.
///
/// An armed timer keeps the loop running.
public final class Timer: Handle {
    private var onFire: (() -> Void)?

    /// Makes a timer that is not armed.
    ///
    /// The closure is kept until the timer has closed.
    public init(loop: EventLoop, onFire: @escaping () -> Void) throws(UVError) {
        self.onFire = onFire
        try super.init(loop: loop, size: MemoryLayout<uv_timer_t>.size, operation: "uv_timer_init") { loop, memory in
            uv_timer_init(loop, memory.assumingMemoryBound(to: uv_timer_t.self))
        }
    }

    /// True from `arm` until the timer fires or is disarmed.
    public var isArmed: Bool { uv_is_active(raw) != 0 }

    /// Fires once when the loop's `now` has reached `moment`, in milliseconds; at once when that is
    /// past.
    ///
    /// Replaces the moment set before. Timers of the same moment fire in the order in which they were armed.
    public func arm(at moment: Int64) {
        guard !isClosing else { return }
        let now = loop.now
        uv_timer_start(pointer(as: uv_timer_t.self), timerFired, moment > now ? UInt64(moment - now) : 0, 0)
    }

    /// Forgets the moment that was set, if any.
    public func disarm() {
        guard !isClosing else { return }
        uv_timer_stop(pointer(as: uv_timer_t.self))
    }

    override func hasClosed() { onFire = nil }

    fileprivate func fired() { onFire?() }
}

private func timerFired(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
    borrow(timer!.pointee.data, as: Timer.self).fired()
}
