import Addresses
import CLibuv

/// Who may connect to a UNIX socket: the permission bits and the owner of its file.
///
/// What is nil stays as the system makes it (the bits by the process's umask, the owner by the process's user and
/// group).
public struct SocketFileAccess: Equatable, Sendable {
    /// Permission bits, such as `0o660`.
    ///
    /// Connecting needs the right to write.
    public var mode: UInt16?
    /// A user's name or number.
    public var user: String?
    /// A group's name or number.
    public var group: String?

    /// Leaves out what is not given.
    public init(mode: UInt16? = nil, user: String? = nil, group: String? = nil) {
        self.mode = mode
        self.user = user
        self.group = group
    }
}

/// The file of a UNIX socket, recognised by device and inode: another file at the same path is not it.
struct SocketFile: Equatable {
    let path: String
    private let device: UInt64
    private let inode: UInt64
    private let kind: UInt8

    /// Looks at what is at `path`; nil when nothing is there.
    init?(at path: String) throws(UVError) {
        var file = rollcall_file()
        let result = rollcall_look_at(path, &file)
        if result == UV_ENOENT.rawValue { return nil }
        try UVError.check(result, "lstat", on: path)
        self.path = path
        device = file.device
        inode = file.inode
        kind = UInt8(bitPattern: file.kind)
    }

    /// Removes the file, unless something else has taken its place.
    func removeIfUnchanged() {
        guard let found = try? SocketFile(at: path), found == self else { return }
        // A failure leaves a stale socket, which the next start replaces.
        _ = rollcall_remove_file(path)
    }

    /// Makes room for a new socket: removes the socket of a dead server, and never anything else.
    static func removeStale(at path: String, for address: Address) throws(ListenError) {
        let found: SocketFile?
        do { found = try SocketFile(at: path) } catch { throw ListenError(error, at: address) }
        guard let found else { return }
        guard found.kind == UInt8(ascii: "s") else {
            throw ListenError(.notASocket, address, "there is \(found.kindInWords) at this path; it was left alone")
        }
        let probe = rollcall_stream_socket(AF_UNIX)
        guard probe >= 0 else { throw ListenError(UVError(probe, "socket"), at: address) }
        defer { rollcall_close(probe) }
        switch rollcall_unix_connect(probe, path, path.utf8.count) {
        case UV_ECONNREFUSED.rawValue:
            // Nobody has the other end: the server has ended without removing its file.
            found.removeIfUnchanged()
        case UV_ENOENT.rawValue:
            break
        case 0, UV_EAGAIN.rawValue, UV_EPROTOTYPE.rawValue:
            // A full backlog and a socket of another type are signs of life, too.
            throw ListenError(.addressInUse, address, "address in use by a running server")
        case let code:
            let cause = UVError(code, "connect", on: path)
            throw ListenError(.system, address, "cannot tell whether a server uses this socket: \(cause)", cause: cause)
        }
    }

    /// Gives the file its owner and its mode, in this order: a change of owner can clear bits.
    func apply(_ access: SocketFileAccess, for address: Address) throws(ListenError) {
        let user = try Self.number(of: access.user, "user", address, rollcall_user_number)
        let group = try Self.number(of: access.group, "group", address, rollcall_group_number)
        do {
            if user != nil || group != nil {
                try UVError.check(rollcall_set_owner(path, user ?? .max, group ?? .max), "chown", on: path)
            }
            if let mode = access.mode {
                try UVError.check(rollcall_set_mode(path, UInt32(mode)), "chmod", on: path)
            }
        } catch { throw ListenError(error, at: address) }
    }

    private static func number(
        of name: String?,
        _ what: String,
        _ address: Address,
        _ lookUp: (UnsafePointer<CChar>, UnsafeMutablePointer<UInt32>) -> Int32
    ) throws(ListenError) -> UInt32? {
        guard let name else { return nil }
        if let number = UInt32(name) { return number }
        var number: UInt32 = 0
        let result = lookUp(name, &number)
        guard result == 0 else {
            let cause = result == UV_ENOENT.rawValue ? nil : UVError(result, "look up \(what)", on: name)
            throw ListenError(
                .ownerNotFound,
                address,
                "there is no \(what) \"\(name)\" to own the socket",
                cause: cause
            )
        }
        return number
    }

    private var kindInWords: String {
        switch kind {
        case UInt8(ascii: "d"): "a directory"
        case UInt8(ascii: "f"): "a regular file"
        case UInt8(ascii: "l"): "a symbolic link"
        default: "something that is not a socket"
        }
    }
}
