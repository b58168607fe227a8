import CSQLite
import Synchronization

/// An SQLite layer for files that puts them on a ``MemoryDisk``.
///
/// For one thread: locks only tell whether others have the file open. It lives as long as a file is open on it: a test
/// may let go of it before the connection, which still removes its log through it.
final class MemoryFiles {
    /// By this name a connection is opened on it.
    let name: String
    private let layer: UnsafeMutablePointer<sqlite3_vfs>
    private let nameBytes: UnsafeMutablePointer<CChar>
    fileprivate let disk: MemoryDisk

    private static let count = Atomic<Int>(0)

    init(_ disk: MemoryDisk) {
        self.disk = disk
        name = "rollcall-test-\(Self.count.add(1, ordering: .relaxed).newValue)"
        nameBytes = strdup(name)
        layer = .allocate(capacity: 1)
        var vfs = sqlite3_vfs()
        vfs.iVersion = 2
        vfs.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        vfs.mxPathname = 512
        vfs.zName = UnsafePointer(nameBytes)
        vfs.xOpen = openFile
        vfs.xDelete = { vfs, name, syncsDirectory in
            guard let disk = theLayer(vfs)?.disk, let name else { return SQLITE_MISUSE }
            return disk.remove(String(cString: name), syncsDirectory: syncsDirectory != 0)
        }
        vfs.xAccess = { vfs, name, _, result in
            guard let disk = theLayer(vfs)?.disk, let name else { return SQLITE_MISUSE }
            result?.pointee = disk.files[String(cString: name)] == nil ? 0 : 1
            return SQLITE_OK
        }
        vfs.xFullPathname = { _, name, size, out in
            guard let name, let out, strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(out, name)
            return SQLITE_OK
        }
        vfs.xRandomness = { _, size, out in
            guard let out else { return 0 }
            // Salts of logs: any will do, and the same ones make runs equal.
            for place in 0..<Int(size) { out[place] = CChar(truncatingIfNeeded: place &* 37 &+ 11) }
            return size
        }
        vfs.xSleep = { _, microseconds in microseconds }
        vfs.xCurrentTime = { _, out in
            out?.pointee = 2_461_375
            return SQLITE_OK
        }
        vfs.xCurrentTimeInt64 = { _, out in
            out?.pointee = 2_461_375 * 86_400_000
            return SQLITE_OK
        }
        vfs.xGetLastError = { _, _, _ in 0 }
        layer.initialize(to: vfs)
        layer.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_vfs_register(layer, 0)
    }

    deinit {
        sqlite3_vfs_unregister(layer)
        layer.deallocate()
        free(nameBytes)
    }
}

/// What SQLite allocates for an open file.
private struct OpenFile {
    var base: sqlite3_file
    var handle: UnsafeMutableRawPointer?
}

/// An open file.
private final class Handle {
    /// Held until SQLite has closed the file.
    let layer: MemoryFiles
    var disk: MemoryDisk { layer.disk }
    let file: MemoryDisk.File
    let name: String

    /// The lock that it has, as SQLite numbers them.
    var level: Int32 = SQLITE_LOCK_NONE

    init(_ layer: MemoryFiles, _ file: MemoryDisk.File, _ name: String) {
        self.layer = layer
        self.file = file
        self.name = name
        file.handles.append(Unowned(handle: self))
    }

    deinit { file.handles.removeAll { $0.handle === self || $0.handle == nil } }

    /// So that a connection that closes knows whether it is the last.
    func lock(_ level: Int32) -> Bool {
        if file.isDead { return false }
        for other in file.handles {
            guard let other = other.handle as? Handle, other !== self else { continue }
            if other.level == SQLITE_LOCK_EXCLUSIVE { return false }
            if level == SQLITE_LOCK_EXCLUSIVE, other.level > SQLITE_LOCK_NONE { return false }
        }
        self.level = max(self.level, level)
        return true
    }
}

private func theLayer(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> MemoryFiles? {
    vfs?.pointee.pAppData.map { Unmanaged<MemoryFiles>.fromOpaque($0).takeUnretainedValue() }
}

private func theHandle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Handle? {
    guard let file else { return nil }
    let open = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
    return open.pointee.handle.map { Unmanaged<Handle>.fromOpaque($0).takeUnretainedValue() }
}

private func openFile(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?,
    _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    file.pointee.pMethods = nil
    guard let layer = theLayer(vfs), let name else { return SQLITE_CANTOPEN }
    let text = String(cString: name)
    switch layer.disk.open(text, creates: flags & SQLITE_OPEN_CREATE != 0) {
    case .failure(let code): return code.number
    case .success(let found):
        let open = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
        open.pointee.handle = Unmanaged.passRetained(Handle(layer, found, text)).toOpaque()
        file.pointee.pMethods = methods
        outFlags?.pointee = flags
        return SQLITE_OK
    }
}

/// Never freed: SQLite may use it as long as the process lives.
nonisolated(unsafe) private let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { file in
        guard let file else { return SQLITE_MISUSE }
        let open = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
        if let handle = open.pointee.handle { Unmanaged<Handle>.fromOpaque(handle).release() }
        open.pointee.handle = nil
        return SQLITE_OK
    }
    methods.xRead = { file, buffer, count, place in
        guard let handle = theHandle(file), let buffer else { return SQLITE_MISUSE }
        let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
        return handle.disk.read(handle.file, at: Int(place), into: bytes)
    }
    methods.xWrite = { file, bytes, count, place in
        guard let handle = theHandle(file), let bytes else { return SQLITE_MISUSE }
        let data = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return handle.disk.write(handle.file, at: Int(place), data)
    }
    methods.xTruncate = { file, size in
        guard let handle = theHandle(file) else { return SQLITE_MISUSE }
        return handle.disk.truncate(handle.file, to: Int(size))
    }
    methods.xSync = { file, _ in
        guard let handle = theHandle(file) else { return SQLITE_MISUSE }
        return handle.disk.sync(handle.file, named: handle.name)
    }
    methods.xFileSize = { file, size in
        guard let handle = theHandle(file) else { return SQLITE_MISUSE }
        size?.pointee = sqlite3_int64(handle.file.content.count)
        return SQLITE_OK
    }
    methods.xLock = { file, level in
        guard let handle = theHandle(file) else { return SQLITE_MISUSE }
        return handle.lock(level) ? SQLITE_OK : SQLITE_BUSY
    }
    methods.xUnlock = { file, level in
        guard let handle = theHandle(file) else { return SQLITE_MISUSE }
        handle.level = level
        return SQLITE_OK
    }
    methods.xCheckReservedLock = { _, result in
        result?.pointee = 0
        return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in Int32(MemoryDisk.sector) }
    methods.xDeviceCharacteristics = { _ in 0 }
    methods.xShmMap = { file, index, size, creates, out in
        guard let handle = theHandle(file) else { return SQLITE_MISUSE }
        switch handle.disk.region(handle.file, Int(index), size: Int(size), creates: creates != 0) {
        case .failure(let code): return code.number
        case .success(let region):
            out?.pointee = region
            return SQLITE_OK
        }
    }
    methods.xShmLock = { _, _, _, _ in SQLITE_OK }
    methods.xShmBarrier = { _ in }
    methods.xShmUnmap = { file, deletes in
        guard let handle = theHandle(file) else { return SQLITE_MISUSE }
        if deletes != 0, handle.file.handles.count == 1 { handle.file.freeShared() }
        return SQLITE_OK
    }
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return UnsafePointer(pointer)
}()
