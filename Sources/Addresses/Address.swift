/// Where a relay listens, as written: `unix:/path`, `tcp:host:port`, `tcp:[ipv6]:port`.
///
/// The one parser of the relay, the client and the tools.
public enum Address: Hashable, Sendable, CustomStringConvertible {
    /// A socket in the file system.
    case unix(path: String)
    /// A host name or a numeric IPv4 or IPv6 address (without brackets), and a port; port 0 lets the system choose.
    case tcp(host: String, port: UInt16)

    /// Reads the written form.
    ///
    /// Throws an error that says which part is wrong and what is accepted.
    public init(parsing text: String) throws(AddressError) {
        func fail(_ reason: String) -> AddressError { AddressError(text: text, reason: reason) }

        // A NUL would cut the address short inside the C library: two texts would then mean one address.
        if text.utf8.contains(0) { throw fail("it contains a NUL byte") }
        if let path = text.dropping(prefix: "unix:") {
            if path.isEmpty { throw fail("the path is missing; write unix:/path/to/socket") }
            self = .unix(path: String(path))
            return
        }
        guard let rest = text.dropping(prefix: "tcp:") else {
            throw fail("it must start with unix: or tcp:, as in unix:/run/rollcall.sock or tcp:127.0.0.1:7420")
        }
        let host: Substring
        let digits: Substring
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: "]") else { throw fail("the ] after the IPv6 address is missing") }
            host = rest[rest.index(after: rest.startIndex)..<end]
            guard let port = rest[rest.index(after: end)...].dropping(prefix: ":") else {
                throw fail("the port is missing; write tcp:[::1]:7420")
            }
            guard host.contains(":") else { throw fail("what is in brackets must be an IPv6 address") }
            digits = port
        } else {
            guard let colon = rest.lastIndex(of: ":") else {
                throw fail("the port is missing; write tcp:127.0.0.1:7420")
            }
            host = rest[..<colon]
            digits = rest[rest.index(after: colon)...]
            if host.contains(":") { throw fail("an IPv6 address must be in brackets, as in tcp:[::1]:7420") }
        }
        if host.isEmpty { throw fail("the host is missing; to listen on all interfaces write tcp:0.0.0.0:7420") }
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else { throw fail("the port must be a number from 0 to 65535") }
        self = .tcp(host: String(host), port: port)
    }

    /// The written form, which `init(parsing:)` reads back.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }

    /// True where only this machine can connect: a UNIX socket, or a *numeric* loopback address.
    ///
    /// A host name gives false; ask the addresses that `resolved()` gives.
    public var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _):
            host == "::1" || host.utf8.starts(with: "::ffff:127.".utf8)
                || host.utf8.starts(with: "127.".utf8) && host.utf8.allSatisfy { $0 < UInt8(ascii: ":") }
        }
    }
}

/// An address that cannot be read.
public struct AddressError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was written.
    public let text: String
    /// What is wrong with it and what is accepted instead.
    public let reason: String

    /// One line for people.
    public var description: String { "cannot use the address \"\(text)\": \(reason)" }
}

extension StringProtocol {
    fileprivate func dropping(prefix: String) -> SubSequence? {
        utf8.starts(with: prefix.utf8) ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
    }
}
