import Foundation
import Rollcall

/// The system's name of an address.
struct SocketName {
    /// The kind of socket.
    static let stream: Int32 = {
        #if canImport(Glibc) || canImport(Musl)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }()

    let family: Int32
    private let bytes: [UInt8]

    /// Looks a host up, which may take its time.
    init(_ address: Address) throws {
        switch address {
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            family = AF_UNIX
            bytes = withUnsafeBytes(of: name) { Array($0) }
        case .tcp(let host, let port):
            var hints = addrinfo()
            hints.ai_socktype = Self.stream
            var found: UnsafeMutablePointer<addrinfo>?
            let status = getaddrinfo(host, String(port), &hints, &found)
            guard status == 0, let first = found else {
                throw FaultError("no such host as '\(host)': \(String(cString: gai_strerror(status)))")
            }
            defer { freeaddrinfo(found) }
            family = first.pointee.ai_family
            bytes = Array(UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen)))
        }
    }

    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        bytes.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
    }

    /// The port of a socket; nil for what has none.
    static func port(of number: Int32) -> UInt16? {
        var name = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        guard status == 0 else { return nil }
        let family = Int32(name.ss_family)
        return withUnsafeBytes(of: name) { bytes in
            switch family {
            case AF_INET: UInt16(bigEndian: bytes.load(as: sockaddr_in.self).sin_port)
            case AF_INET6: UInt16(bigEndian: bytes.load(as: sockaddr_in6.self).sin6_port)
            default: nil
            }
        }
    }
}
