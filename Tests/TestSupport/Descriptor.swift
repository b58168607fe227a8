import Foundation
import Rollcall

/// A descriptor of the system that never blocks, for what tests do with sockets; whoever has it closes it.
struct Descriptor: Sendable {
    let number: Int32

    /// What reading gives.
    enum Reading {
        case bytes([UInt8])
        /// Nothing now.
        case nothing
        /// The other end has closed it, or it is broken.
        case ended
    }

    /// Takes a descriptor over: no child inherits it, and no call waits for it.
    private init(owning number: Int32) throws {
        guard number >= 0 else { throw Failure("no descriptor: \(String(cString: strerror(errno)))") }
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    // MARK: Making

    /// The two ends of a pipe.
    static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { throw Failure("no pipe: \(String(cString: strerror(errno)))") }
        return (try Descriptor(owning: ends[0]), try Descriptor(owning: ends[1]))
    }

    /// A UNIX socket that listens.
    static func listening(path: String) throws -> (Descriptor, Address) {
        let address = Address.unix(path)
        let number = try bound(to: address)
        return (try listening(number), address)
    }

    /// A TCP socket that listens on a port of the loopback interface that the system chooses.
    static func listeningOnLoopback() throws -> (Descriptor, Address) {
        let number = try bound(to: .tcp("127.0.0.1", 0))
        var name = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        guard result == 0 else { throw broken(number, "getsockname") }
        return (try listening(number), .tcp("127.0.0.1", UInt16(bigEndian: name.sin_port)))
    }

    /// A connection; local ones are made or refused at once.
    static func connected(to address: Address) throws -> Descriptor {
        let number = try socket(for: address)
        guard withName(of: address, { connect(number, $0, $1) }) == 0 else { throw broken(number, "connect") }
        return try Descriptor(owning: number)
    }

    private static func listening(_ number: Int32) throws -> Descriptor {
        guard listen(number, 512) == 0 else { throw broken(number, "listen") }
        return try Descriptor(owning: number)
    }

    private static func bound(to address: Address) throws -> Int32 {
        let number = try socket(for: address)
        guard withName(of: address, { bind(number, $0, $1) }) == 0 else { throw broken(number, "bind") }
        return number
    }

    private static func socket(for address: Address) throws -> Int32 {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let number =
            switch address {
            case .unix: Foundation.socket(AF_UNIX, stream, 0)
            case .tcp: Foundation.socket(AF_INET, stream, 0)
            }
        guard number >= 0 else { throw Failure("no socket: \(String(cString: strerror(errno)))") }
        return number
    }

    private static func broken(_ number: Int32, _ function: String) -> Failure {
        defer { Foundation.close(number) }
        return Failure("\(function): \(String(cString: strerror(errno)))")
    }

    private static func withName(of address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        func pass<Name>(_ name: Name) -> Int32 {
            withUnsafePointer(to: name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Name>.size))
                }
            }
        }
        switch address {
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return pass(name)
        case .tcp(let host, let port):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = inet_addr(host)
            return pass(name)
        }
    }

    // MARK: Using

    /// What `poll` shall watch.
    func polled(_ events: Int32) -> pollfd { pollfd(fd: number, events: Int16(events), revents: 0) }

    /// The next connection that somebody has made; nil when there is none.
    func accept() -> Descriptor? { try? Descriptor(owning: Foundation.accept(number, nil, nil)) }

    /// What has come.
    func read() -> Reading {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let count = chunk.withUnsafeMutableBytes { Foundation.read(number, $0.baseAddress, $0.count) }
        if count > 0 { return .bytes(Array(chunk.prefix(count))) }
        return count < 0 && Self.isTemporary ? .nothing : .ended
    }

    /// Sends what can be sent now, and gives how much that was; nil when the other end is gone.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        if bytes.isEmpty { return 0 }
        let count = bytes.withUnsafeBytes { send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        return Self.isTemporary ? 0 : nil
    }

    /// Wakes whoever polls the other end of the pipe.
    func ring() { _ = withUnsafeBytes(of: UInt8(1)) { Foundation.write(number, $0.baseAddress, 1) } }

    /// Takes all rings.
    func drain() { while case .bytes = read() {} }

    func close() { Foundation.close(number) }

    private static var isTemporary: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }
}
