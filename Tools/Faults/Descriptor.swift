package import Foundation
package import Rollcall

/// A descriptor of the system that never blocks; whoever has it closes it.
package struct Descriptor: Sendable {
    package let number: Int32

    /// What reading gives.
    package enum Reading {
        case bytes([UInt8])
        /// Nothing now.
        case nothing
        /// The other end has closed it, or it is broken.
        case ended
    }

    /// Takes a descriptor over: no child inherits it, and no call waits for it.
    private init(owning number: Int32) throws {
        guard number >= 0 else { throw FaultError("no descriptor: \(String(cString: strerror(errno)))") }
        self.number = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    // MARK: Making

    /// The two ends of a pipe.
    package static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { throw FaultError("no pipe: \(String(cString: strerror(errno)))") }
        return (try Descriptor(owning: ends[0]), try Descriptor(owning: ends[1]))
    }

    /// A socket that listens, and where: TCP port 0 lets the system choose one.
    package static func listening(at address: Address) throws -> (descriptor: Descriptor, address: Address) {
        let name = try SocketName(address)
        let number = try socket(name)
        if case .tcp = address {
            var isOn: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }
        guard name.withPointer({ bind(number, $0, $1) }) == 0 else { throw broken(number, "listen at \(address)") }
        guard listen(number, 512) == 0 else { throw broken(number, "listen at \(address)") }
        let port = SocketName.port(of: number)
        let descriptor = try Descriptor(owning: number)
        if case .tcp(let host, _) = address, let port { return (descriptor, .tcp(host, port)) }
        return (descriptor, address)
    }

    /// A connection, or one that is on its way: a refused one has ended.
    ///
    /// - Parameter receiveBuffer: The size asked for what comes, in bytes; nil is the system's choice.
    package static func connected(to address: Address, receiveBuffer: Int? = nil) throws -> Descriptor {
        let name = try SocketName(address)
        let number = try socket(name)
        if var size = receiveBuffer.map({ Int32(clamping: $0) }) {
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if case .tcp = address {
            var isOn: Int32 = 1
            setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
            // One relay far away holds up no other connection; local ones are made or refused at once.
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        }
        guard name.withPointer({ connect(number, $0, $1) }) == 0 || errno == EINPROGRESS else {
            throw broken(number, "connect to \(address)")
        }
        return try Descriptor(owning: number)
    }

    private static func socket(_ name: SocketName) throws -> Int32 {
        let number = Foundation.socket(name.family, SocketName.stream, 0)
        guard number >= 0 else { throw FaultError("no socket: \(String(cString: strerror(errno)))") }
        return number
    }

    private static func broken(_ number: Int32, _ what: String) -> FaultError {
        let cause = String(cString: strerror(errno))
        Foundation.close(number)
        return FaultError("can't \(what): \(cause)")
    }

    // MARK: Using

    /// What `poll` shall watch.
    package func polled(_ events: Int32) -> pollfd { pollfd(fd: number, events: Int16(events), revents: 0) }

    /// The next connection that somebody has made; nil when there is none.
    func accept() -> Descriptor? { try? Descriptor(owning: Foundation.accept(number, nil, nil)) }

    /// What has come, or the first of it.
    package func read(atMost most: Int = .max) -> Reading {
        var chunk = [UInt8](repeating: 0, count: max(1, min(most, 64 * 1024)))
        let count = chunk.withUnsafeMutableBytes { Foundation.read(number, $0.baseAddress, $0.count) }
        if count > 0 { return .bytes(Array(chunk.prefix(count))) }
        return count < 0 && Self.isTemporary ? .nothing : .ended
    }

    /// Sends what can be sent now, and gives how much that was; nil when the other end is gone.
    package func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        if bytes.isEmpty { return 0 }
        let count = bytes.withUnsafeBytes { send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        return Self.isTemporary ? 0 : nil
    }

    /// Wakes whoever polls the other end of the pipe.
    package func ring() { _ = withUnsafeBytes(of: UInt8(1)) { Foundation.write(number, $0.baseAddress, 1) } }

    /// Takes all rings.
    package func drain() { while case .bytes = read() {} }

    package func close() { Foundation.close(number) }

    private static var isTemporary: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }
}
