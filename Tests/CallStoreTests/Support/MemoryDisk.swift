import CSQLite
import Randomness

/// Somebody who has a file open.
struct Unowned {
    weak var handle: AnyObject?
}

/// A disk in memory that knows what was synced: what was not can be lost.
///
/// Every operation that a machine could stop at, or that could fail, is counted. Used by one thread at a time.
final class MemoryDisk {
    /// A file, by whatever name it is found.
    final class File {
        /// What a reader sees.
        var content: [UInt8] = []
        /// What is on the disk for certain.
        var durable: [UInt8] = []
        /// What was done since, in order.
        var pending: [Change] = []
        /// Whether the name of the file is on the disk.
        var isNameDurable = false
        /// Shared memory of those who have it open; never on the disk.
        var shared: [UnsafeMutableRawPointer] = []

        /// Whether it was open when the machine lost its power: whoever has it open is no more.
        var isDead = false
        /// Those who have it open.
        var handles: [Unowned] = []

        deinit { freeShared() }

        func freeShared() {
            for region in shared { region.deallocate() }
            shared = []
        }
    }

    /// A change of a file.
    enum Change {
        case write(at: Int, [UInt8])
        case truncate(Int)

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .write(let place, let data):
                if bytes.count < place + data.count {
                    bytes += [UInt8](repeating: 0, count: place + data.count - bytes.count)
                }
                bytes.replaceSubrange(place..<place + data.count, with: data)
            case .truncate(let size):
                if size < bytes.count { bytes.removeSubrange(size...) }
            }
        }
    }

    /// What goes wrong.
    enum Plan {
        case nothing
        /// The machine is off from this operation on.
        case powerOff(at: Int)
        /// So many operations from this one on fail.
        case fail(at: Int, count: Int, Failure)
        /// Writes that would make all files together larger than this fail.
        case full(Int)
    }

    /// How an operation fails.
    enum Failure {
        /// An error of the device; of a write half is done, and of a failed sync nothing is remembered.
        case device
        /// No space is left: only writes fail.
        case space
    }

    /// What is left of what was not synced.
    enum Survival {
        case nothing
        case everything
        /// Each sector of each write, each change of a size and each name by a toss.
        case some(SplitMix64)
    }

    private(set) var files: [String: File] = [:]
    /// Files whose removal is not on the disk.
    private var ghosts: [String: File] = [:]
    var plan = Plan.nothing
    /// Operations since the start, reads included.
    private(set) var operations = 0
    /// Syncs since the start, by the ending of the file's name.
    private(set) var syncs: [String: Int] = [:]
    private(set) var isOff = false
    /// Whether a sync only says that it has worked.
    var syncsAreLies = false

    var syncCount: Int { syncs.values.reduce(0, +) }

    /// A file that is on the disk.
    func put(_ name: String, _ bytes: [UInt8]) {
        let file = File()
        file.content = bytes
        file.durable = bytes
        file.isNameDurable = true
        files[name] = file
    }

    // MARK: Power

    /// The machine starts again after its power was lost.
    func restart(_ survival: Survival) {
        var random: SplitMix64? = nil
        var keepsAll = false
        switch survival {
        case .nothing: break
        case .everything: keepsAll = true
        case .some(let generator): random = generator
        }
        func survives() -> Bool { keepsAll || random?.oneIn(2) == true }
        var found: [String: File] = [:]
        for name in Set(files.keys).union(ghosts.keys).sorted() {
            // The last one of that name whose name has got onto the disk.
            if let file = files[name], file.isNameDurable || survives() {
                found[name] = file
            } else if let ghost = ghosts[name], files[name] != nil || !survives() {
                found[name] = ghost
            }
        }
        for file in Array(files.values) + Array(ghosts.values) { file.isDead = true }
        files = [:]
        for name in found.keys.sorted() {
            var bytes = found[name]!.durable
            for change in found[name]!.pending {
                guard random != nil, case .write(let place, let data) = change else {
                    if survives() { change.apply(to: &bytes) }
                    continue
                }
                for start in stride(from: 0, to: data.count, by: Self.sector) where survives() {
                    let end = min(start + Self.sector, data.count)
                    Change.write(at: place + start, Array(data[start..<end])).apply(to: &bytes)
                }
            }
            put(name, bytes)
        }
        ghosts = [:]
        plan = .nothing
        isOff = false
    }

    static let sector = 512

    // MARK: Operations

    /// What an operation comes to.
    enum Outcome {
        case works
        case fails(Failure)
        case off
    }

    private func count() -> Outcome {
        operations += 1
        switch plan {
        case .powerOff(let at):
            if operations >= at { isOff = true }
        case .fail(let at, let count, let failure):
            if operations >= at, operations < at + count { return .fails(failure) }
        case .nothing, .full: break
        }
        return isOff ? .off : .works
    }

    /// Nil when there is no such file and none is to be made.
    func open(_ name: String, creates: Bool) -> Result<File, Code> {
        guard case .works = count() else { return .failure(Code(SQLITE_CANTOPEN)) }
        if let file = files[name] { return .success(file) }
        guard creates else { return .failure(Code(SQLITE_CANTOPEN)) }
        let file = File()
        files[name] = file
        return .success(file)
    }

    /// A result code of SQLite.
    struct Code: Error {
        let number: Int32
        init(_ number: Int32) { self.number = number }
    }

    func remove(_ name: String, syncsDirectory: Bool) -> Int32 {
        guard case .works = count() else { return Self.inputOutput(10) }
        guard let file = files.removeValue(forKey: name) else { return Self.inputOutput(23) }
        if !syncsDirectory, file.isNameDurable { ghosts[name] = file }
        return SQLITE_OK
    }

    func read(_ file: File, at place: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        guard case .works = count() else { return Self.inputOutput(1) }
        let there = max(0, min(buffer.count, file.content.count - place))
        if there > 0 {
            file.content.withUnsafeBytes { content in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: content[place..<place + there]))
            }
        }
        if there == buffer.count { return SQLITE_OK }
        buffer[there...].initializeMemory(as: UInt8.self, repeating: 0)
        return Self.inputOutput(2)
    }

    func write(_ file: File, at place: Int, _ bytes: [UInt8]) -> Int32 {
        switch count() {
        case .works: break
        case .fails(.space): return SQLITE_FULL
        case .fails(.device):
            change(file, .write(at: place, Array(bytes.prefix(bytes.count / 2))))
            return Self.inputOutput(3)
        case .off: return Self.inputOutput(3)
        }
        if case .full(let limit) = plan {
            let growth = max(0, place + bytes.count - file.content.count)
            let total = files.values.reduce(0) { $0 + $1.content.count }
            if growth > 0, total + growth > limit { return SQLITE_FULL }
        }
        change(file, .write(at: place, bytes))
        return SQLITE_OK
    }

    func truncate(_ file: File, to size: Int) -> Int32 {
        switch count() {
        case .works, .fails(.space): break
        case .fails(.device), .off: return Self.inputOutput(6)
        }
        change(file, .truncate(size))
        return SQLITE_OK
    }

    private func change(_ file: File, _ change: Change) {
        change.apply(to: &file.content)
        file.pending.append(change)
    }

    func sync(_ file: File, named name: String) -> Int32 {
        switch count() {
        case .works, .fails(.space): break
        case .fails(.device):
            // What could not be written is given up, and the next sync says that all is well: so Linux does it.
            file.pending = []
            return Self.inputOutput(4)
        case .off: return Self.inputOutput(4)
        }
        if syncsAreLies { return SQLITE_OK }
        for change in file.pending { change.apply(to: &file.durable) }
        file.pending = []
        // SQLite syncs the directory of a log that is new.
        file.isNameDurable = true
        ghosts[name] = nil
        syncs[String(name.split(separator: "-").last ?? ""), default: 0] += 1
        return SQLITE_OK
    }

    /// Memory that all connections to a file share; nil when there is none and none is to be made.
    func region(_ file: File, _ index: Int, size: Int, creates: Bool) -> Result<UnsafeMutableRawPointer?, Code> {
        guard case .works = count() else { return .failure(Code(Self.inputOutput(21))) }
        if index >= file.shared.count, !creates { return .success(nil) }
        while file.shared.count <= index {
            let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            file.shared.append(region)
        }
        return .success(file.shared[index])
    }

    /// An extended code of `SQLITE_IOERR`, whose names do not import.
    static func inputOutput(_ number: Int32) -> Int32 { SQLITE_IOERR | number << 8 }
}
