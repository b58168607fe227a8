import Addresses
import CLibuv

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A socket that is bound and listens, made with the system's own calls rather than libuv's.
///
/// Why not `uv_tcp_bind`, `uv_pipe_bind` and `uv_listen` (1.44): they report a taken address late, cut off a long path
/// without a word, remove the socket file at close whoever's it is, and leave no moment between bind and listen in
/// which mode and owner can be set. Without descriptors, `uv_listen` either drops connections unseen or spins.
struct ListeningSocket {
    let descriptor: Int32
    let boundAddress: Address
    let file: SocketFile?

    init(_ address: Address, backlog: Int32, access: SocketFileAccess) throws(ListenError) {
        switch address {
        case .unix(let path): self = try Self.unix(path, address, backlog, access)
        case .tcp: self = try Self.tcp(address, backlog)
        }
    }

    private init(descriptor: Int32, boundAddress: Address, file: SocketFile?) {
        self.descriptor = descriptor
        self.boundAddress = boundAddress
        self.file = file
    }

    /// Listens on the first of the host's addresses that can be had.
    private static func tcp(_ address: Address, _ backlog: Int32) throws(ListenError) -> ListeningSocket {
        var made: ListeningSocket?
        var failure: UVError?
        try address.forEachSocketAddress { name, length in
            do throws(UVError) {
                let descriptor = try UVError.check(rollcall_stream_socket(Int32(name.pointee.sa_family)), "socket")
                do throws(UVError) {
                    try UVError.check(rollcall_set_reuse_address(descriptor), "set SO_REUSEADDR")
                    if Int32(name.pointee.sa_family) == AF_INET6 {
                        try UVError.check(rollcall_set_dual_stack(descriptor), "clear IPV6_V6ONLY")
                    }
                    // Whoever is accepted inherits it. The owner writes whole batches of frames; waiting for more would
                    // only add delay.
                    try UVError.check(rollcall_set_no_delay(descriptor), "set TCP_NODELAY")
                    try UVError.check(rollcall_bind(descriptor, name, length), "bind")
                    try UVError.check(rollcall_listen(descriptor, backlog), "listen")
                } catch {
                    rollcall_close(descriptor)
                    throw error
                }
                let bound = Address.ofSocket { getsockname(descriptor, $0, $1) }
                made = ListeningSocket(descriptor: descriptor, boundAddress: bound ?? address, file: nil)
                return true
            } catch {
                failure = failure ?? error
                return false
            }
        }
        if let made { return made }
        throw ListenError(failure ?? UVError(UV_EADDRNOTAVAIL.rawValue, "bind"), at: address)
    }

    private static func unix(
        _ path: String,
        _ address: Address,
        _ backlog: Int32,
        _ access: SocketFileAccess
    ) throws(ListenError) -> ListeningSocket {
        let limit = rollcall_unix_path_limit()
        guard path.utf8.count <= limit else {
            let message = "the path has \(path.utf8.count) bytes; the system allows a UNIX socket at most \(limit)"
            throw ListenError(.pathTooLong, address, message)
        }
        // Two servers that start together would both find the stale socket; the second would remove the first's new
        // one.
        let lock = lockDirectory(of: path)
        defer { if lock >= 0 { rollcall_close(lock) } }
        try SocketFile.removeStale(at: path, for: address)

        var bound: SocketFile?
        let descriptor = rollcall_stream_socket(AF_UNIX)
        do throws(ListenError) {
            do throws(UVError) {
                try UVError.check(descriptor, "socket")
                try UVError.check(rollcall_unix_bind(descriptor, path, path.utf8.count), "bind")
                bound = try SocketFile(at: path)
            } catch { throw ListenError(error, at: address) }
            // Nobody can connect before listen, so the file is never open to more people than it shall be.
            try bound?.apply(access, for: address)
            let result = rollcall_listen(descriptor, backlog)
            if result < 0 { throw ListenError(UVError(result, "listen"), at: address) }
        } catch {
            bound?.removeIfUnchanged()
            if descriptor >= 0 { rollcall_close(descriptor) }
            throw error
        }
        return ListeningSocket(descriptor: descriptor, boundAddress: address, file: bound)
    }

    /// Locks the directory of `path`, or gives up: a program may start without this, and must not wait for a stranger.
    private static func lockDirectory(of path: String) -> Int32 {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        for _ in 0..<50 {
            let lock = rollcall_lock_directory(directory)
            if lock != UV_EAGAIN.rawValue { return lock }
            uv_sleep(10)
        }
        return -1
    }
}
