import Rollcall

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a socket has to say about a failure: what was tried, and the cause in words.
struct SocketError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The failure of a system call, right after it.
    static func last(_ what: String) -> SocketError {
        SocketError("\(what): \(String(cString: strerror(errno)))")
    }
}

/// How a read from a socket ended.
enum SocketRead {
    /// So many bytes came.
    case bytes(Int)
    /// None came in time.
    case timeout
    /// The other side has closed; the text tells how.
    case ended(String)
}

/// A stream socket with deadlines and nothing else, for everything that a good client would never do.
///
/// It is not a client: it sends what it is told and reads only when asked.
final class BareSocket {
    /// The descriptor; -1 once closed.
    private(set) var descriptor: Int32

    /// Connects.
    ///
    /// - Parameter receiveBuffer: How many bytes the kernel shall keep of what was not read; nil leaves its default.
    init(_ address: Address, receiveBuffer: Int? = nil) throws(SocketError) {
        switch address {
        case .unix(let path): descriptor = try Self.connectUNIX(path, receiveBuffer)
        case .tcp(let host, let port): descriptor = try Self.connectTCP(host, port, receiveBuffer)
        }
    }

    deinit { close() }

    /// Closes; a second time does nothing.
    func close() {
        guard descriptor >= 0 else { return }
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
        descriptor = -1
    }

    /// Writes all of it, or throws when the other side is gone or takes nothing until the deadline.
    func write(_ bytes: [UInt8], before deadline: ContinuousClock.Instant) throws(SocketError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                send(descriptor, all.baseAddress! + done, all.count - done, Self.noSignal)
            }
            if count > 0 {
                done += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                guard wait(for: POLLOUT, before: deadline) else {
                    throw SocketError("write: nothing was taken in time after \(done) of \(bytes.count) bytes")
                }
            } else if errno != EINTR {
                throw .last("write")
            }
        }
    }

    /// Reads what is there into `buffer`, waiting for it until the deadline.
    func read(into buffer: inout [UInt8], before deadline: ContinuousClock.Instant) -> SocketRead {
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress!, $0.count, 0) }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended("end of stream") }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                if !wait(for: POLLIN, before: deadline) { return .timeout }
            case ECONNRESET: return .ended("reset")
            default: return .ended(SocketError.last("read").description)
            }
        }
    }

    /// Whether the other side has gone, as far as can be known without reading.
    var isHungUp: Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Does nothing for so long.
    func pause(_ duration: Duration) {
        _ = poll(nil, 0, Int32(duration / .milliseconds(1)))
    }

    /// Waits until the socket is ready; false at the deadline.
    private func wait(for events: Int32, before deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = deadline - .now
            let milliseconds = left <= .zero ? 0 : Int32(min(left / .milliseconds(1), 1e9)) + 1
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let ready = poll(&entry, 1, milliseconds)
            if ready > 0 { return true }
            if ready == 0, deadline <= .now { return false }
            if ready < 0, errno != EINTR { return true }
        }
    }

    // MARK: Connecting

    #if canImport(Glibc)
        private static let noSignal = Int32(MSG_NOSIGNAL)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let noSignal: Int32 = 0
        private static let stream = SOCK_STREAM
    #endif

    private static func connectUNIX(_ path: String, _ receiveBuffer: Int?) throws(SocketError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { throw SocketError("\(path): longer than a socket's path may be") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let fd = try open(AF_UNIX, receiveBuffer)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return try finish(fd, result, "unix:\(path)")
    }

    private static func connectTCP(_ host: String, _ port: UInt16, _ receiveBuffer: Int?) throws(SocketError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = stream
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let first = found else {
            throw SocketError("tcp:\(host):\(port): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(first) }
        let fd = try open(first.pointee.ai_family, receiveBuffer)
        var on: Int32 = 1
        _ = setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let result = connect(fd, first.pointee.ai_addr, first.pointee.ai_addrlen)
        return try finish(fd, result, "tcp:\(host):\(port)")
    }

    private static func open(_ family: Int32, _ receiveBuffer: Int?) throws(SocketError) -> Int32 {
        let fd = socket(family, stream, 0)
        guard fd >= 0 else { throw .last("socket") }
        if let receiveBuffer {
            var size = Int32(clamping: receiveBuffer)
            _ = setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        #if !canImport(Glibc)
            var on: Int32 = 1
            _ = setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return fd
    }

    /// Connecting blocks, for both kinds are local or near; everything after it has deadlines.
    private static func finish(_ fd: Int32, _ result: Int32, _ name: String) throws(SocketError) -> Int32 {
        guard result == 0 else {
            let error = SocketError.last(name)
            #if canImport(Glibc)
                _ = Glibc.close(fd)
            #else
                _ = Darwin.close(fd)
            #endif
            throw error
        }
        _ = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)
        return fd
    }
}
