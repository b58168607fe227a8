import Addresses

/// Where a relay listens.
public enum Address: Hashable, Sendable {
    /// A UNIX stream socket at a path of the file system, at most 103 bytes of UTF-8.
    case unix(String)
    /// A host name or an IP address (without brackets), and a port.
    case tcp(String, UInt16)

    /// Reads `unix:/path`, `tcp:host:port` or `tcp:[address]:port`.
    ///
    /// - Throws: ``RollcallError/Code/invalidAddress``, saying what is wrong with `text`.
    public static func parse(_ text: String) throws(RollcallError) -> Address {
        let address: Address
        do throws(AddressError) {
            address = Address(try Addresses.Address(parsing: text))
        } catch {
            throw .invalidAddress(text, error.reason)
        }
        if let problem = address.problem { throw .invalidAddress(text, problem) }
        return address
    }

    /// Where a relay listens unless told otherwise, with this value of `XDG_RUNTIME_DIR`.
    package static func standard(runtimeDirectory: String?) -> Address {
        Address(Addresses.Address.standard(runtimeDirectory: runtimeDirectory))
    }

    private init(_ address: Addresses.Address) {
        switch address {
        case .unix(let path): self = .unix(path)
        case .tcp(let host, let port): self = .tcp(host, port)
        }
    }

    /// What makes the address unusable, as the end of a sentence; nil when nothing does.
    ///
    /// An address need not come from ``parse(_:)``.
    var problem: String? {
        switch self {
        case .unix(let path):
            if path.isEmpty { return "its path is empty" }
            if path.utf8.contains(0) { return "its path contains a zero byte" }
            if path.utf8.count > Addresses.Address.longestPath {
                return
                    "its path is longer than the \(Addresses.Address.longestPath) bytes that a socket's path may have"
            }
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
        case .unix(let path): Addresses.Address.unix(path: path).description
        case .tcp(let host, let port): Addresses.Address.tcp(host: host, port: port).description
        }
    }
}
