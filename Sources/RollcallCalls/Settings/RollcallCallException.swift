public import Rollcall

/// Why a call of this module did not do what was asked: a code for programs, a sentence for people.
///
/// The codes are stable; see <doc:Errors> for all of them and what to do about each.
public struct RollcallCallException: Error, Sendable {
    /// What kind of failure it is: one of ``Code``, or `ERR_` and a number for a code that this version does not know.
    public var errorCode: String
    /// What happened, why, and what to do, for people; it has no secret in it.
    public var errorDescription: String
    /// The failure of the client library below this one; nil when this module itself refused.
    public var underlying: RollcallError?

    /// A failure.
    public init(errorCode: String, errorDescription: String, underlying: RollcallError? = nil) {
        self.errorCode = errorCode
        self.errorDescription = errorDescription
        self.underlying = underlying
    }

    /// The failure that the client library reported.
    public init(_ error: RollcallError) {
        self.init(errorCode: Code.text(of: error.code), errorDescription: error.description, underlying: error)
    }
}

extension RollcallCallException: CustomStringConvertible {
    /// `code: description`.
    public var description: String { "\(errorCode): \(errorDescription)" }
}
