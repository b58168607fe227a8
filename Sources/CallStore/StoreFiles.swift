import CSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sees to it that the files of a store are, while it is used, the ones that were opened, and have lost nothing.
///
/// SQLite has them open and would not notice: what it then keeps is kept in files that nobody will find. Only names and
/// sizes are looked at, a handful of calls of the system for each transaction. Used by one thread at a time.
final class StoreFiles {
    /// What has happened to the files.
    enum Fault: Hashable {
        /// The file itself has another name now, or none.
        case moved
        /// The file itself is so many bytes shorter than it was.
        case shorter(by: UInt64)
        /// A file beside it, named by its ending, has another name now, or none.
        case besideMoved(String)
        /// A file beside it, named by its ending, has lost something at its end.
        case besideShorter(String)
        /// The lock file was removed or replaced, and another process has the new one.
        case lockTaken
    }

    private struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64

        init(_ file: rollcall_store_file) {
            device = file.device
            inode = file.inode
        }
    }

    private let place: String
    private let lock: StoreLock
    private var main: Identity?
    /// The largest size that was seen: the file never shrinks by itself.
    private var size: UInt64 = 0
    private var beside: [String: Identity] = [:]
    /// The copy of the log that was put in its place, and its size; nil is none.
    ///
    /// It is not held open, so that a later file may get its number.
    private var copy: (identity: Identity, size: UInt64)?
    /// The largest size of the shared memory that was seen: it never shrinks while it is in use.
    private var memorySize: UInt64 = 0

    /// The files of the store at `place`, a path without symbolic links, which holds `lock`.
    init(_ place: String, _ lock: StoreLock) {
        self.place = place
        self.lock = lock
    }

    /// Remembers the files that there are now: SQLite has opened them.
    func begin() {
        if let file = look("") {
            main = Identity(file)
            size = file.size
        }
        for ending in Self.endings { beside[ending] = look(ending).map(Identity.init) }
        memorySize = look(Self.memory)?.size ?? 0
    }

    /// The log of changes, and the memory by which those who have it open share it.
    private static let endings = [log, memory]
    fileprivate static let log = "-wal"
    private static let memory = "-shm"

    /// What has happened to the files; nil when nothing has.
    ///
    /// A lock file that was removed while nobody took its place is made and locked again.
    ///
    /// - Parameter logSize: The log of changes has so many bytes at least.
    func fault(logSize: UInt64) -> Fault? {
        guard lock.isHeld || lock.retake() else { return .lockTaken }
        guard let file = look(""), Identity(file) == main else { return .moved }
        guard file.size >= size else { return .shorter(by: size - file.size) }
        size = file.size
        for ending in Self.endings {
            guard let known = beside[ending] else { continue }
            guard let file = look(ending), Identity(file) == known else { return .besideMoved(ending) }
            if ending == Self.memory { memorySize = max(memorySize, file.size) }
            let least = ending == Self.memory ? memorySize : logSize
            guard file.size >= least else { return .besideShorter(ending) }
        }
        return nil
    }

    // MARK: A log that has lost its name

    /// Puts a copy of the log in its place, whole or not at all, unless that was done: with it the file is what it was
    /// with the log, also where only half of a change was moved into the file before.
    ///
    /// Throws when that can't be done now. A file that somebody else has put there stays; an empty one, as readers make
    /// it, is none.
    func putBack(_ log: () throws(SQLiteError) -> [UInt8]) throws(SQLiteError) {
        let there = look(Self.log)
        var code: Int32 = 0
        if !isCopy(there) {
            guard there?.size ?? 0 == 0 else {
                throw stranded("another file is in its place: move that one away, and the log is put back")
            }
            let bytes: [UInt8]
            do throws(SQLiteError) {
                bytes = try log()
            } catch {
                throw stranded("can't be read: \(error.message)")
            }
            let new = place + "-new"
            code = bytes.withUnsafeBytes { rollcall_store_write_new(new, $0.baseAddress, $0.count) }
            copy = look("-new").map { (Identity($0), $0.size) }
            if code == 0 { code = rollcall_store_place(new, place + Self.log) }
        }
        // Also of a copy that is there: its name may not have got onto the disk.
        if code == 0 { code = rollcall_store_sync_directory(StorePlace.split(place).directory) }
        if code < 0 { throw stranded("can't be put back: \(systemWords(-code))") }
    }

    private func isCopy(_ file: rollcall_store_file?) -> Bool {
        guard let file, let copy else { return false }
        return Identity(file) == copy.identity && file.size >= copy.size
    }

    private func stranded(_ why: String) -> SQLiteError {
        SQLiteError(code: SQLITE_IOERR, "the file's \(Self.log) was moved or removed while it was in use, and \(why)")
    }

    private func look(_ ending: String) -> rollcall_store_file? {
        var file = rollcall_store_file()
        return rollcall_store_look(place + ending, 0, &file) == 0 ? file : nil
    }
}

@available(*, unavailable) extension StoreFiles: Sendable {}

extension StoreFiles.Fault {
    /// Whether nothing may be moved into the file: half of a change would be in it, and no log that has the other half,
    /// when something is lost, or when that ends in the middle.
    ///
    /// Shared memory that is gone must not even be looked at.
    var forbidsMoving: Bool {
        switch self {
        case .shorter, .besideShorter, .besideMoved: true
        case .moved, .lockTaken: false
        }
    }

    /// Whether what was kept last is only in a log that nobody will find.
    var strandsLog: Bool { self == .besideMoved(StoreFiles.log) }

    /// The fault as a reason why nothing can be kept.
    var error: SQLiteError {
        switch self {
        case .moved: SQLiteError(code: SQLITE_READONLY, "the file was moved or removed while it was in use")
        case .shorter(let count):
            SQLiteError(code: SQLITE_READONLY, "the file has lost \(count) bytes at its end while it was in use")
        case .besideMoved(let ending):
            SQLiteError(
                code: SQLITE_READONLY,
                "the file's \(ending) was moved or removed while it was in use: start the relay anew"
            )
        case .besideShorter(let ending):
            SQLiteError(
                code: SQLITE_READONLY,
                "the file's \(ending) was cut while it was in use: start the relay anew"
            )
        case .lockTaken:
            SQLiteError(code: SQLiteError.fence, "the lock file was removed or replaced, and another process has it")
        }
    }
}
