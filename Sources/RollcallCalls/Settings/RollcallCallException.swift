public import Rollcall

/// Why something did not happen.
public struct RollcallCallException: Error, Sendable {
    /// What kind of failure it is, for programs.
    public var errorCode: String
    /// What happened, why, and what to do, for people.
    public var errorDescription: String
    /// The failure of the client library below; nil when it was found before that.
    public var underlying: RollcallError?

    /// A failure.
    public init(errorCode: String, errorDescription: String, underlying: RollcallError? = nil) {
        self.errorCode = errorCode
        self.errorDescription = errorDescription
        self.underlying = underlying
    }

    /// The failure of the client library.
    package init(_ error: RollcallError) {
        self.init(errorCode: "CODE_\(error.code.rawValue)", errorDescription: error.description, underlying: error)
    }
}
