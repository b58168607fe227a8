public import Addresses
import CLibuv

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension Address {
    /// The numeric addresses that a TCP address stands for, in the system's order of preference; a UNIX address stands
    /// for itself.
    ///
    /// May ask the network and wait for it, so it is for the start of a program.
    public func resolved() throws(ListenError) -> [Address] {
        guard case .tcp = self else { return [self] }
        var found: [Address] = []
        try forEachSocketAddress { name, length in
            if let address = Address(name, length), !found.contains(address) { found.append(address) }
            return false
        }
        return found
    }

    /// Calls `body` with the socket addresses of a TCP address until it returns true.
    func forEachSocketAddress(
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(ListenError) -> Bool
    ) throws(ListenError) {
        guard case .tcp(let host, let port) = self else { return }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = rollcall_stream_type()
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let reason = String(cString: gai_strerror(code))
            throw ListenError(.hostNotFound, self, "the host \"\(host)\" has no address: \(reason)")
        }
        defer { freeaddrinfo(list) }
        var next = list
        while let entry = next {
            if let name = entry.pointee.ai_addr, try body(name, entry.pointee.ai_addrlen) { return }
            next = entry.pointee.ai_next
        }
    }

    /// The numeric form of an IPv4 or IPv6 socket address; nil for any other family.
    init?(_ name: UnsafePointer<sockaddr>, _ length: socklen_t) {
        guard [AF_INET, AF_INET6].contains(Int32(name.pointee.sa_family)) else { return nil }
        var host = [CChar](repeating: 0, count: 64)
        var port = [CChar](repeating: 0, count: 8)
        let flags = NI_NUMERICHOST | NI_NUMERICSERV
        let room = (host: socklen_t(host.count), port: socklen_t(port.count))
        let code = getnameinfo(name, length, &host, room.host, &port, room.port, flags)
        guard code == 0, let number = UInt16(Self.text(port)) else { return nil }
        self = .tcp(host: Self.text(host), port: number)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Asks `read`, which is `getsockname` or `getpeername`, for the address of a TCP socket.
    static func ofSocket(
        _ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Address? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                read(name, &length) == 0 ? Address(name, length) : nil
            }
        }
    }
}
