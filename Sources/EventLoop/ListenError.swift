public import Addresses

/// Why an address could not be listened on.
public struct ListenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public enum Code: Hashable, Sendable {
        /// A running server listens there.
        case addressInUse
        /// The path of a UNIX socket is longer than the system allows.
        case pathTooLong
        /// There is something at the path that is not a socket.
        ///
        /// It was left alone.
        case notASocket
        /// The host name has no address.
        case hostNotFound
        /// The user or the group that shall own the socket does not exist.
        case ownerNotFound
        /// The operating system refused; `cause` has its reason.
        case system
    }

    /// What went wrong, for programs.
    public let code: Code
    /// Where it was tried to listen.
    public let address: Address
    /// What went wrong, for people.
    public let message: String
    /// The failed call, where there was one.
    public let cause: UVError?

    init(_ code: Code, _ address: Address, _ message: String, cause: UVError? = nil) {
        self.code = code
        self.address = address
        self.message = message
        self.cause = cause
    }

    init(_ cause: UVError, at address: Address) {
        if cause.code == .addressInUse {
            self.init(.addressInUse, address, "another program listens there already", cause: cause)
        } else {
            self.init(.system, address, "\(cause)", cause: cause)
        }
    }

    /// One line for people, with the address.
    public var description: String { "cannot listen on \(address): \(message)" }
}
