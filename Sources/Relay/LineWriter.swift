import Threads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes lines to a descriptor on a thread of its own, so that whoever reads slowly there, or not at all, holds up
/// nobody.
///
/// Lines wait in bounded memory, and as much again may be on its way. One for which there is no room is lost as a
/// whole; how many were lost is written in their place as soon as there is room again. What the system refuses to take
/// is lost too: there is nowhere to complain.
///
/// Unchecked, because the state is guarded by a mutex of the C library: it is waited for with a condition, which
/// `Mutex` does not have.
final class LineWriter: @unchecked Sendable {
    /// So many bytes may wait, unless said.
    static let defaultCapacity = 1_048_576

    private let descriptor: Int32
    private let capacity: Int
    private let tellLoss: @Sendable (_ lines: UInt64) -> String

    /// Guards everything below.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// Signalled when there is something to write, at the close, and when all has been written.
    private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [UInt8] = []
    private var lost: UInt64 = 0
    private var isWriting = false
    private var isClosed = false

    /// A writer to `descriptor`, which stays the caller's.
    ///
    /// - Parameters:
    ///   - capacity: So many bytes may wait.
    ///   - tellLoss: The line that tells that so many were lost. Called on the writer's thread.
    init(
        _ descriptor: Int32,
        capacity: Int = LineWriter.defaultCapacity,
        tellLoss: @escaping @Sendable (_ lines: UInt64) -> String
    ) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.tellLoss = tellLoss
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(change, nil)
        // Without a thread there is no log; the relay itself can serve.
        if !DetachedThread.start({ self.run() }) { isClosed = true }
    }

    deinit {
        pthread_cond_destroy(change)
        pthread_mutex_destroy(mutex)
        change.deallocate()
        mutex.deallocate()
    }

    /// Takes a line, with its newline, without ever waiting for the reader.
    func write(_ line: String) {
        withLock {
            guard !isClosed, lost == 0, waiting.count + line.utf8.count <= capacity else {
                lost += 1
                return
            }
            waiting += line.utf8
            pthread_cond_broadcast(change)
        }
    }

    /// Takes no more lines, and waits until those that were taken are written, but for `milliseconds` at most.
    func close(within milliseconds: Int) {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        let nanoseconds = Int(end.tv_nsec) + milliseconds % 1000 * 1_000_000
        end.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        withLock {
            isClosed = true
            pthread_cond_broadcast(change)
            while isWriting || lost > 0 || !waiting.isEmpty {
                if pthread_cond_timedwait(change, mutex, &end) != 0 { return }
            }
        }
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: The thread

    private func run() {
        var batch: [UInt8] = []
        while let lost = takeBatch(&batch) {
            Self.writeNow(batch, to: descriptor)
            batch.removeAll(keepingCapacity: batch.capacity <= 65_536)
            if lost > 0 { Self.writeNow(Array(tellLoss(lost).utf8), to: descriptor) }
        }
    }

    /// Waits for lines, and gives how many were lost behind them; nil at the end.
    private func takeBatch(_ batch: inout [UInt8]) -> UInt64? {
        withLock {
            isWriting = false
            if waiting.isEmpty, lost == 0 { pthread_cond_broadcast(change) }
            while waiting.isEmpty, lost == 0 {
                if isClosed { return nil }
                pthread_cond_wait(change, mutex)
            }
            isWriting = true
            swap(&waiting, &batch)
            defer { lost = 0 }
            return lost
        }
    }

    /// Writes all of the bytes in this thread, and waits for the reader as long as it takes.
    static func writeNow(_ bytes: [UInt8], to descriptor: Int32) {
        bytes.withUnsafeBufferPointer { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeBufferPointer(rebasing: rest)
                let written = systemWrite(descriptor, piece.baseAddress, piece.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if written < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                    // Somebody who shares the descriptor has made it non-blocking.
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&wanted, 1, -1)
                } else if !(written < 0 && errno == EINTR) {
                    return
                }
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ base: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    #if canImport(Glibc)
        Glibc.write(descriptor, base, count)
    #elseif canImport(Musl)
        Musl.write(descriptor, base, count)
    #else
        Darwin.write(descriptor, base, count)
    #endif
}
