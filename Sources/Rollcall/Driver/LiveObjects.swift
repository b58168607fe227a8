import Synchronization

/// How many objects with a connection live in the process; tests see by it that nothing is left behind.
enum LiveObjects {
    /// Calls, and attempts to join one.
    static let drivers = Atomic<Int>(0)
    /// Sockets.
    static let streams = Atomic<Int>(0)
}
