import CLibuv

/// A failed call of the event loop or of the operating system: what was tried, on what, and why it failed.
public struct UVError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A code as libuv spells it: a negated `errno`, or one of libuv's own below -3000.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number, always negative.
        public let rawValue: Int32

        /// Takes a negative number.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// EADDRINUSE: something else is bound to the address.
        public static let addressInUse = Code(rawValue: UV_EADDRINUSE.rawValue)
        /// EPIPE: the peer reads no more.
        public static let brokenPipe = Code(rawValue: UV_EPIPE.rawValue)
        /// ECONNRESET: the peer dropped the connection.
        public static let connectionReset = Code(rawValue: UV_ECONNRESET.rawValue)
        /// EMFILE: this process may open no more descriptors.
        public static let tooManyOpenFiles = Code(rawValue: UV_EMFILE.rawValue)
        /// ENFILE: the machine may open no more descriptors.
        public static let fileTableOverflow = Code(rawValue: UV_ENFILE.rawValue)
        /// ENOTSUP: this libuv is too old, or the socket cannot do what was asked.
        public static let notSupported = Code(rawValue: UV_ENOTSUP.rawValue)
    }

    /// What went wrong, for programs.
    public let code: Code
    /// The function that failed, such as `bind`.
    public let operation: String
    /// What it was applied to, such as `unix:/run/rollcall.sock`; may be empty.
    public let subject: String

    init(_ code: Int32, _ operation: String, on subject: String = "") {
        self.code = Code(rawValue: code)
        self.operation = operation
        self.subject = subject
    }

    /// The code's symbolic name, such as `EADDRINUSE`.
    public var name: String { Self.text { uv_err_name_r(code.rawValue, $0, $1) } }

    /// The code in words, such as `address already in use`.
    public var message: String { Self.text { uv_strerror_r(code.rawValue, $0, $1) } }

    /// One line for people: operation, subject, message and name.
    public var description: String {
        "\(operation)\(subject.isEmpty ? "" : " " + subject): \(message) (\(name))"
    }

    /// Throws for a negative result of libuv or of the shim, and hands any other back.
    @discardableResult
    static func check(_ result: Int32, _ operation: String, on subject: String = "") throws(UVError) -> Int32 {
        if result < 0 { throw UVError(result, operation, on: subject) }
        return result
    }

    /// The forms of these functions that write into a buffer, because the others leak on an unknown code.
    private static func text(_ write: (UnsafeMutablePointer<CChar>, Int) -> UnsafeMutablePointer<CChar>?) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            buffer.initialize(repeating: 0)
            return write(buffer.baseAddress!, buffer.count).map { String(cString: $0) } ?? ""
        }
    }
}
