import CSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a store: looked at, locked and, when it is new, made.
///
/// Nothing that is there is written.
enum StorePlace {
    /// Makes sure that a relay can keep its calls in the file at `path`, and gives the path without symbolic links and
    /// the lock.
    ///
    /// Checks the whole contents.
    ///
    /// - Parameter now: ms since 1970, for a new file.
    static func prepare(_ path: String, now: UInt64) throws(StoreError) -> (path: String, lock: StoreLock) {
        let file = try look(path)
        let place = try realPath(path, isThere: file != nil)
        let lock = try lock(place, path)
        if let file, file.size > 0 {
            try checkHead(place, path)
            let code = rollcall_store_check_writable(place)
            if code < 0 { throw StoreError(system: code, path, doing: "it can't be written") }
            let report = try StoreCheck.check(place, named: path)
            if let fault = report.faults.first {
                let more = report.faults.count > 1 ? " (and \(report.faults.count - 1) more)" : ""
                throw StoreError(.damaged, path, fault + more, advice: StoreError.adviceOnDamage)
            }
        } else {
            try checkNoLog(place, path)
            try make(place, path, now: now)
        }
        return (place, lock)
    }

    /// Throws when there are changes beside a file that is missing or empty: they are all that is left of a store.
    static func checkNoLog(_ place: String, _ path: String) throws(StoreError) {
        var file = rollcall_store_file()
        guard rollcall_store_look(place + "-wal", 1, &file) == 0, file.size > 0 else { return }
        throw StoreError(
            .damaged,
            path,
            "the file is missing or empty, and beside it is a log with \(file.size) bytes of its changes, \(place)-wal",
            advice: "Put the file back that the log belongs to, or move the log away to begin anew."
        )
    }

    /// What is at `path`; nil when there is nothing.
    ///
    /// Throws when it is nothing that a store can be in.
    static func look(_ path: String) throws(StoreError) -> rollcall_store_file? {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw StoreError(.notFound, path, "that is no path") }
        guard path != ":memory:" else {
            let advice = "A relay without a store keeps calls in memory; a file of that name is ./:memory:."
            throw StoreError(.notAFile, path, "that is no file, and nothing would outlive the relay", advice: advice)
        }
        var file = rollcall_store_file()
        var code = rollcall_store_look(path, 0, &file)
        if code == 0, file.kind == Self.link {
            code = rollcall_store_look(path, 1, &file)
            if code == -ENOENT { throw StoreError(.notFound, path, "it is a symbolic link that leads nowhere") }
        }
        if code == -ENOENT { return nil }
        if code == -ELOOP { throw StoreError(.notFound, path, "its symbolic links lead in a circle") }
        if code == -ENAMETOOLONG { throw StoreError(.notFound, path, "the path, or a name in it, is too long") }
        if code == -ENOTDIR { throw StoreError(.notFound, path, "a part of the path is no directory") }
        if code < 0 { throw StoreError(system: code, path, doing: "it can't be looked at") }
        if file.kind == Self.directory {
            let advice = "Name a file in it, such as \(path)/calls.db."
            throw StoreError(.notAFile, path, "it is a directory", advice: advice)
        }
        guard file.kind == Self.regular else { throw StoreError(.notAFile, path, "it is no regular file") }
        guard file.names == 1 else {
            throw StoreError(
                .notAFile,
                path,
                "the file has \(file.names) names (hard links), each of which would have a log of changes of its own",
                advice: "Copy it, and name the copy."
            )
        }
        return file
    }

    private static let directory = CChar(UInt8(ascii: "d"))
    private static let regular = CChar(UInt8(ascii: "f"))
    private static let link = CChar(UInt8(ascii: "l"))

    /// The path without symbolic links, so that all names of the file lead to one lock.
    static func realPath(_ path: String, isThere: Bool) throws(StoreError) -> String {
        if isThere { return try resolved(path, path) }
        let parts = split(path)
        var file = rollcall_store_file()
        let code = rollcall_store_look(parts.directory, 1, &file)
        if code == -ENOENT {
            throw StoreError(.notFound, path, "there is no directory \(parts.directory)", advice: "Make it first.")
        }
        if code < 0 { throw StoreError(system: code, path, doing: "its directory can't be looked at") }
        guard file.kind == Self.directory else {
            throw StoreError(.notFound, path, "\(parts.directory) is no directory")
        }
        let directory = try resolved(parts.directory, path)
        return directory == "/" ? "/" + parts.name : directory + "/" + parts.name
    }

    private static func resolved(_ path: String, _ named: String) throws(StoreError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(rollcall_store_path_limit()))
        let code = rollcall_store_real_path(path, &buffer)
        if code < 0 { throw StoreError(system: code, named, doing: "its path can't be followed") }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[path.utf8.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    private static func lock(_ place: String, _ path: String) throws(StoreError) -> StoreLock {
        let file = place + "-lock"
        do throws(StoreLock.Failure) {
            return try StoreLock(file)
        } catch {
            guard error.isTaken else {
                throw StoreError(system: error.number, path, doing: "no lock file can be made beside it")
            }
            let owner = StoreLock.owner(file).map { " (process \($0))" } ?? ""
            throw StoreError(
                .inUse,
                path,
                "another relay\(owner) keeps its calls in it",
                advice: "Stop that one first, or name another file."
            )
        }
    }

    /// Throws unless the file begins as one that this version has made.
    static func checkHead(_ place: String, _ path: String) throws(StoreError) {
        var head = [UInt8](repeating: 0, count: 100)
        let count = rollcall_store_read_head(place, &head, head.count)
        if count < 0 { throw StoreError(system: count, path, doing: "it can't be read") }
        guard head.starts(with: Array("SQLite format 3\0".utf8)), Int(count) == head.count else {
            throw StoreError(.foreign, path, "it is no SQLite database", advice: Self.adviceOnForeign)
        }
        let application = number(head, 68)
        guard application == Schema.applicationID else {
            throw StoreError(.foreign, path, "it is another program's SQLite database", advice: Self.adviceOnForeign)
        }
        let version = number(head, 60)
        guard version <= Schema.version else {
            throw StoreError(
                .newer,
                path,
                "its tables are of version \(version), and this relay knows version \(Schema.version)",
                advice: "Use the later version of Rollcall that has made it."
            )
        }
        guard version == Schema.version else {
            throw StoreError(
                .damaged,
                path,
                "its tables are of version \(version), which there never was",
                advice: StoreError.adviceOnDamage
            )
        }
    }

    private static let adviceOnForeign = "Nothing was written to it. Name another file."

    private static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Makes the file, whole or not at all.
    private static func make(_ place: String, _ path: String, now: UInt64) throws(StoreError) {
        let image: [UInt8]
        do throws(SQLiteError) {
            image = try Schema.image(now: now)
        } catch {
            throw StoreError(error, path)
        }
        // What is left of a file that is gone must not get into this one.
        for ending in ["-wal", "-shm", "-journal"] { rollcall_store_remove(place + ending) }
        let new = place + "-new"
        var code = image.withUnsafeBytes { rollcall_store_write_new(new, $0.baseAddress, $0.count) }
        if code == 0 { code = rollcall_store_place(new, place) }
        if code == 0 { code = rollcall_store_sync_directory(split(place).directory) }
        if code < 0 { throw StoreError(system: code, path, doing: "it can't be made") }
    }
}
