import CLibuv

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One libuv loop.
///
/// It lives on the thread that calls `run()`, and so does everything created on it; the one exception is `Mailbox`,
/// which takes messages from any thread.
///
/// A turn of the loop: the clock is read, due timers fire, `onBeforeSleep` is called, the loop sleeps until something
/// is ready, reads and accepts and mailboxes are served, handles that were closed in this turn report it.
public final class EventLoop {
    /// Called in every turn right before the loop may sleep: the place to write what the turn has produced, once per
    /// connection.
    ///
    /// It is called once more when `run()` ends. The closure is kept until `shutDown()`.
    public var onBeforeSleep: (() -> Void)?

    let raw: UnsafeMutablePointer<uv_loop_t>

    /// Shared by all streams: on Unix libuv asks for the buffer and hands it back filled without anything in between.
    let readBuffer: UnsafeMutableRawBufferPointer

    /// Given up for a moment when there is no other descriptor; below 0 is none.
    private var reserve: Int32 = -1

    /// How often the loop has come to where it may sleep: tells whether something came in one turn after another.
    private(set) var turns: UInt64 = 0

    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private var phase = Phase.ready

    private enum Phase {
        /// Can transition to: running if run, shutDown if shut down.
        case ready
        /// Inside `uv_run`.
        ///
        /// Can transition to: ready when that returns.
        case running
        /// Final.
        case shutDown
    }

    /// The size of the read buffer that the streams of a loop share, in bytes: no read is larger.
    public static let readBufferSize = 64 * 1024

    /// Makes a loop.
    ///
    /// Throws when the libuv found at run time is too old, or the system gives no poller.
    public init() throws(UVError) {
        try Self.checkVersion(uv_version())
        let raw = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        raw.initialize(to: uv_loop_t())
        let result = uv_loop_init(raw)
        guard result == 0 else {
            raw.deallocate()
            throw UVError(result, "uv_loop_init")
        }
        self.raw = raw
        readBuffer = .allocate(byteCount: Self.readBufferSize, alignment: 16)
        prepare = .allocate(capacity: 1)
        prepare.initialize(to: uv_prepare_t())
        // These two cannot fail on a new handle with a callback; see their documentation.
        uv_prepare_init(raw, prepare)
        prepare.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_prepare_start(prepare, loopWillSleep)
        uv_unref(handle(of: prepare))  // The hook alone is no reason to run.
    }

    /// Milliseconds of a monotonic clock with an arbitrary start, read once per turn: the time of everything that
    /// happens in one turn is the same.
    public var now: Int64 { Int64(uv_now(raw)) }

    /// Reads the clock again.
    ///
    /// For callbacks that have taken long, and before the first timer is set.
    public func refreshNow() { uv_update_time(raw) }

    /// Milliseconds since 1970 UTC, read now.
    ///
    /// It can jump; deadlines belong to `now`.
    public static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Serves the loop until `stop()`, or until nothing is left that could wake it.
    ///
    /// Signal watchers and (unless told otherwise) mailboxes do not count as something. May be called again afterwards,
    /// but never from a callback.
    public func run() {
        turn(UV_RUN_DEFAULT)
    }

    /// Serves one turn.
    ///
    /// With `waiting` it sleeps until something happens, else it serves what is ready and returns. Like `run()`, it
    /// serves nothing when there is nothing to keep the loop running. For tests, and for a loop that lives inside
    /// another.
    public func runOnce(waiting: Bool) {
        turn(waiting ? UV_RUN_ONCE : UV_RUN_NOWAIT)
    }

    /// Makes `run()` return at the end of this turn, or the next `run()` at once when none is running.
    public func stop() { uv_stop(raw) }

    /// Closes everything that is still open on the loop, lets it all report that it has closed, and frees the loop.
    ///
    /// Not to be called from a callback. Nothing on the loop may be used afterwards; a second call does nothing.
    public func shutDown() {
        guard phase != .shutDown else { return }
        precondition(phase == .ready, "a loop cannot be shut down from one of its own callbacks")
        phase = .running
        onBeforeSleep = nil
        uv_close(handle(of: prepare), nil)
        var closed = 0
        repeat {
            // Once more around when a callback has opened something new.
            closed = 0
            uv_walk(raw, loopCloseHandle, &closed)
            uv_run(raw, UV_RUN_DEFAULT)
        } while closed > 0
        let result = uv_loop_close(raw)
        precondition(result == 0, "a handle has outlived its loop")
        phase = .shutDown
    }

    /// Throws unless `version` (as `uv_version` gives it) is 1.44 or a later 1.x.
    static func checkVersion(_ version: UInt32) throws(UVError) {
        let (major, minor, patch) = (version >> 16, version >> 8 & 0xff, version & 0xff)
        guard major == 1, minor >= 44 else {
            throw UVError(
                UV_ENOTSUP.rawValue,
                "start",
                on: "with libuv \(major).\(minor).\(patch), where 1.44 or a later 1.x is needed"
            )
        }
    }

    /// Keeps a descriptor for ``Stream/release()``, so that it works also when the process may open no more.
    public func keepReserve() {
        if reserve < 0 { reserve = rollcall_open_reserve() }
    }

    /// Tries to open a descriptor; without any left it tries again with the one that was kept, if there is one.
    ///
    /// That one is kept again as soon as another was closed.
    func withReserve(_ open: () -> Int32) -> Int32 {
        let result = open()
        guard reserve >= 0, [UV_EMFILE.rawValue, UV_ENFILE.rawValue].contains(result) else { return result }
        rollcall_close(reserve)
        reserve = -1
        return open()
    }

    fileprivate func willSleep() {
        turns += 1
        onBeforeSleep?()
    }

    private func turn(_ mode: uv_run_mode) {
        precondition(phase == .ready, "a loop is run by one caller at a time, and not after it was shut down")
        phase = .running
        uv_run(raw, mode)
        // What the last turn has produced after its sleep would otherwise wait for another turn.
        onBeforeSleep?()
        phase = .ready
    }

    deinit {
        // Every handle keeps the loop alive, so nothing but the hook can be open here.
        if phase != .shutDown { shutDown() }
        if reserve >= 0 { rollcall_close(reserve) }
        prepare.deallocate()
        readBuffer.deallocate()
        raw.deallocate()
    }
}

@available(*, unavailable) extension EventLoop: Sendable {}

private func handle(of prepare: UnsafeMutablePointer<uv_prepare_t>) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(prepare).assumingMemoryBound(to: uv_handle_t.self)
}

private func loopWillSleep(_ prepare: UnsafeMutablePointer<uv_prepare_t>?) {
    Unmanaged<EventLoop>.fromOpaque(prepare!.pointee.data).takeUnretainedValue().willSleep()
}

private func loopCloseHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?, _ count: UnsafeMutableRawPointer?) {
    guard uv_is_closing(handle) == 0 else { return }
    count!.assumingMemoryBound(to: Int.self).pointee += 1
    borrow(handle!.pointee.data, as: Handle.self).close()
}
