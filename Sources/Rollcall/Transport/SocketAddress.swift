#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The address of a socket as the system wants it.
struct SocketAddress: Hashable, Sendable {
    /// AF_UNIX, AF_INET or AF_INET6.
    let family: Int32
    /// The bytes of the system's structure.
    let bytes: [UInt8]

    var isUNIX: Bool { family == AF_UNIX }

    /// The address of a UNIX socket; nil when the path is too long for the system.
    init?(path: String) {
        family = AF_UNIX
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(path.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        #if canImport(Darwin)
            address.sun_len = UInt8(MemoryLayout<sockaddr_un>.size)
        #endif
        bytes = withUnsafeBytes(of: address) { Array($0) }
    }

    private init(family: Int32, bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// Why a name has no address.
    struct ResolutionFailure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The system's number (`EAI_...`).
        let number: Int32
        let description: String
    }

    /// The addresses of a host, in the order in which they are to be tried.
    ///
    /// May block for long unless `isNumeric`.
    static func resolve(
        host: String,
        port: UInt16,
        isNumeric: Bool
    ) throws(ResolutionFailure) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, "\(port)", &hints, &list)
        if result != 0 { throw ResolutionFailure(number: result, description: String(cString: gai_strerror(result))) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
                addresses.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }
}
