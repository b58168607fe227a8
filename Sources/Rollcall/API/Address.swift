/// Where a relay listens.
public enum Address: Hashable, Sendable {
    /// A UNIX stream socket at a path of the file system, at most 103 bytes of UTF-8.
    case unix(String)
    /// A host name or an IP address, and a port.
    case tcp(String, UInt16)

    /// Reads `unix:/path`, `tcp:host:port` or `tcp:[address]:port`.
    ///
    /// - Throws: ``RollcallError/Code/invalidAddress``, saying what is wrong with `text`.
    public static func parse(_ text: String) throws(RollcallError) -> Address {
        if let path = text.dropping("unix:") {
            let address = Address.unix(String(path))
            if let problem = address.problem { throw .invalidAddress(text, problem) }
            return address
        }
        guard let rest = text.dropping("tcp:") else {
            throw .invalidAddress(text, "it begins neither with unix: nor with tcp:")
        }
        guard let colon = rest.lastIndex(of: ":") else { throw .invalidAddress(text, "it has no port") }
        var host = rest[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw .invalidAddress(text, "an IPv6 address stands in brackets: tcp:[::1]:7420")
        }
        guard let port = UInt16(rest[rest.index(after: colon)...]) else {
            throw .invalidAddress(text, "its port is not a number from 0 to 65535")
        }
        let address = Address.tcp(String(host), port)
        if let problem = address.problem { throw .invalidAddress(text, problem) }
        return address
    }

    /// What makes the address unusable, as the end of a sentence; nil when nothing does.
    var problem: String? {
        switch self {
        case .unix(let path):
            if path.isEmpty { return "its path is empty" }
            if path.utf8.contains(0) { return "its path contains a zero byte" }
            // The smallest sun_path of the supported systems holds 104 bytes with the closing zero.
            if path.utf8.count > 103 { return "its path is longer than the 103 bytes that a socket's path may have" }
            return nil
        case .tcp(let host, _):
            if host.isEmpty { return "its host is empty" }
            if host.utf8.contains(0) { return "its host contains a zero byte" }
            return nil
        }
    }
}

extension Address: CustomStringConvertible {
    /// The text that ``parse(_:)`` reads.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }
}

extension String {
    /// The text after `prefix`; nil when it does not begin with it.
    fileprivate func dropping(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
