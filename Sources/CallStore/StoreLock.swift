import CSQLite
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds the lock file beside a store, so that a second relay is kept out.
///
/// The system gives it up when the process ends, however it ends.
final class StoreLock: Sendable {
    private let path: String
    /// Negative once it was given up.
    private let descriptor: Mutex<Int32>

    /// What kept the lock from being taken: the system's error number, negative.
    struct Failure: Error {
        let number: Int32

        /// Whether another process has it.
        var isTaken: Bool { number == -EWOULDBLOCK }
    }

    /// Takes the lock, as the only one or as a reader.
    ///
    /// A reader needs a lock file that is there.
    init(_ path: String, asReader: Bool = false) throws(Failure) {
        let descriptor = asReader ? rollcall_store_share_lock(path) : rollcall_store_lock(path)
        if descriptor < 0 { throw Failure(number: descriptor) }
        self.path = path
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// Whether the lock file is still found by its name, so that another process would find it locked.
    var isHeld: Bool { descriptor.withLock { $0 >= 0 && rollcall_store_is_named($0, path) != 0 } }

    /// Locks the lock file that has the name now, made if there is none; false when another process has it.
    func retake() -> Bool {
        descriptor.withLock { descriptor in
            let new = rollcall_store_lock(path)
            guard new >= 0, descriptor >= 0 else {
                if new >= 0 { rollcall_store_unlock(new) }
                return false
            }
            rollcall_store_unlock(descriptor)
            descriptor = new
            return true
        }
    }

    /// Gives it up; again does nothing.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { rollcall_store_unlock(descriptor) }
            descriptor = -1
        }
    }

    /// Who has the lock, as it has noted it; nil when that can't be told.
    static func owner(_ path: String) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = rollcall_store_read_head(path, &text, text.count)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text[..<Int(count)].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
