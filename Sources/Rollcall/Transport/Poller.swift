#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a descriptor is ready for, or is to be watched for.
struct Readiness: OptionSet, Sendable {
    let rawValue: UInt8

    static let reading = Readiness(rawValue: 1)
    static let writing = Readiness(rawValue: 2)
}

/// Waits for many descriptors at once, level-triggered, and can be woken from any thread.
///
/// `epoll` on Linux; elsewhere `poll`, whose list is made anew for each wait. Its owner keeps changes apart from each
/// other; they may happen during a wait.
protocol Poller: AnyObject, Sendable {
    /// Watches a descriptor under a number; 0 or a negative errno.
    func add(_ descriptor: Int32, id: UInt64, _ interest: Readiness) -> Int32

    /// Watches a known descriptor for something else.
    func change(_ descriptor: Int32, id: UInt64, _ interest: Readiness)

    /// Watches a descriptor no more.
    func remove(_ descriptor: Int32)

    /// Waits until something is ready, or for so many ms (-1 is without end), or until woken.
    func wait(milliseconds: Int32, into ready: inout [(id: UInt64, readiness: Readiness)])

    /// Ends a wait that runs, or else the next one.
    func wake()

    /// Gives everything back.
    func close()
}

/// A pipe to oneself: the one thing that ends a wait from another thread on every system.
struct WakePipe: Sendable {
    let reading: Int32
    let writing: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        reading = ends[0]
        writing = ends[1]
        guard Platform.makeQuiet(reading) == 0, Platform.makeQuiet(writing) == 0 else {
            close()
            return nil
        }
    }

    func ring() {
        var byte: UInt8 = 1
        // A full pipe has rung already.
        _ = write(writing, &byte, 1)
    }

    func drain() {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while withUnsafeMutableBytes(of: &bytes, { read(reading, $0.baseAddress, $0.count) }) == 32 {}
    }

    func close() {
        Platform.closeDescriptor(reading)
        Platform.closeDescriptor(writing)
    }
}
