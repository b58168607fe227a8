import CallState
import Randomness
import Testing

@testable import CallStore

/// A machine with a disk in memory, on which a keeper can be started again and again.
final class Machine {
    let disk = MemoryDisk()
    private let files: MemoryFiles
    /// A log is moved after so few pages, so that it happens often.
    static let checkpointPages: Int32 = 24
    static let path = "/calls.db"
    private static let image = Result { try Schema.image(now: 1_000) }

    /// Pages that SQLite may hold in memory; nil is what it likes.
    ///
    /// With few of them it reads in the middle of transactions, and writes to the log before their ends.
    private let cachePages: Int?

    init(cachePages: Int? = nil) throws {
        self.cachePages = cachePages
        disk.put(Self.path, try Self.image.get())
        files = MemoryFiles(disk)
    }

    /// Starts a keeper on what is on the disk.
    func start(
        checkpointPages: Int32 = Machine.checkpointPages,
        limits: AttendanceLog.Limits = .init()
    ) throws -> Keeper {
        let database = try Database(path: Self.path, access: .write, files: files.name)
        if let cachePages { try database.execute("PRAGMA cache_size = \(cachePages)") }
        return try Keeper(database, limits: limits, checkpointPages: checkpointPages, wallClock: { 1_000 })
    }

    /// A connection beside the keeper's, which changes nothing.
    func connect() throws -> Database {
        let database = try Database(path: Self.path, access: .write, files: files.name)
        database.setCheckpointsOnClose(false)
        return database
    }

    /// What is on the disk, read by a connection of its own.
    func look() throws -> StoreModel {
        let database = try connect()
        let check = StoreCheck.check(database, named: Self.path)
        if !check.isSound { throw Unsound(description: check.faults.joined(separator: "; ")) }
        return try StoreModel(database)
    }

    struct Unsound: Error, CustomStringConvertible {
        let description: String
    }
}
