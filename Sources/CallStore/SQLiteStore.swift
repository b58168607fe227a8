public import CallState
import Synchronization

/// Keeps calls in an SQLite file, on a thread of its own.
///
/// All requests that have come while one transaction was made go into the next, which is one sync of the disk. An
/// answer is given when what it tells is on the disk. Its methods are for one thread.
public final class SQLiteStore: CallStore {
    private var thread: StoreThread?
    /// Nil once the thread has it.
    private var keeper: Keeper?
    /// What was requested while the contents were given.
    private var early: [StoreRequest] = []
    private let path: String
    private let lock: StoreLock
    private let shared = Shared()

    /// What the threads share.
    private final class Shared: Sendable {
        let counters = Mutex(StoreCounters())
    }

    /// Opens the file at `path`, or makes it, after having checked all of it; holds its lock until the store has
    /// stopped.
    ///
    /// Reads everything once. A file that can't be used is not written.
    ///
    /// - Parameters:
    ///   - limits: How much attendance is kept.
    ///   - wallClock: ms since 1970, from any thread.
    public convenience init(
        path: String,
        limits: AttendanceLog.Limits = .init(),
        wallClock: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        let (place, lock) = try StorePlace.prepare(path, now: wallClock())
        do throws(SQLiteError) {
            let database = try Database(path: place, access: .write)
            // Not before all was read: what was found wrong is not written.
            database.setCheckpointsOnClose(false)
            if database.isReadOnly { throw SQLiteError(code: SQLiteError.denial, "it can only be read") }
            let files = StoreFiles(place, lock)
            self.init(try Keeper(database, limits: limits, files: files, wallClock: wallClock), lock, path: path)
        } catch {
            throw StoreError(error, path)
        }
    }

    init(_ keeper: Keeper, _ lock: StoreLock, path: String) {
        self.keeper = keeper
        self.lock = lock
        self.path = path
    }

    /// Gives what was in the file when it was opened, and starts the thread.
    public func start(
        _ tell: @escaping @Sendable (StoreAnswer) -> Void,
        contents: (StoreAnswer) -> Void
    ) throws(StoreError) {
        guard let keeper else { return }
        do throws(SQLiteError) {
            try keeper.readContents(contents)
        } catch {
            throw StoreError(error, path)
        }
        let shared = shared
        let thread = StoreThread(
            keeper,
            tell: tell,
            note: { counters in shared.counters.withLock { $0 = counters } }
        )
        if !thread.start() { throw StoreError(.system, path, "the system gives no thread") }
        self.keeper = nil
        self.thread = thread
        for request in early { thread.add(request) }
        early = []
    }

    /// Hands the request to the thread: the answer comes later.
    public func take(_ request: StoreRequest) -> StoreAnswer? {
        if let thread { thread.add(request) } else { early.append(request) }
        return nil
    }

    /// Carries out what waits, moves everything into the file itself, and gives the lock up.
    public func stop(_ done: @escaping @Sendable () -> Void) {
        let lock = lock
        guard let thread else {
            keeper?.close()
            keeper = nil
            lock.release()
            return done()
        }
        thread.end {
            lock.release()
            done()
        }
    }

    /// What was done up to the last transaction.
    public var counters: StoreCounters { shared.counters.withLock { $0 } }

    /// What carries requests out, until the thread has it: for tests, which then need no thread.
    var keeperOfTest: Keeper? { keeper }

    /// While it is held, requests only gather: so that a test knows what is in one transaction.
    func hold(_ holds: Bool) { thread?.hold(holds) }
}

@available(*, unavailable) extension SQLiteStore: Sendable {}
