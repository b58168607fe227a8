import Rollcall
import RollcallProtocol

extension RollcallCallException {
    /// The stable codes.
    ///
    /// The first three are those that call apps know already; for what they have no code the others were added.
    public enum Code {
        /// The module is not set up: no `init`, or its relay's address is not usable.
        public static let setUp = "INIT ERROR"
        /// Nobody is logged in, or the relay does not accept the token.
        public static let authentication = "AUTH TOKEN ERROR"
        /// The session id is empty or too long.
        public static let sessionID = "SESSION ID ERROR"
        /// A setting of ``SessionSettings`` or of a log request is out of range; the description names it.
        public static let invalidSetting = "ERR_INVALID_SETTING"
        /// This session is in a call already, or is joining one.
        public static let alreadyJoined = "ERR_ALREADY_JOINED"
        /// The session is in no call.
        public static let noSession = "ERR_NO_SESSION"

        /// The task that waited was cancelled, or the session was left while it joined.
        public static let cancelled = "ERR_CANCELLED"
        /// No connection to the relay could be made.
        public static let unreachable = "ERR_UNREACHABLE"
        /// The relay did not answer in time.
        public static let timedOut = "ERR_TIMED_OUT"
        /// The connection ended, and was not to be made again.
        public static let connectionLost = "ERR_CONNECTION_LOST"
        /// The relay broke the protocol.
        public static let protocolViolation = "ERR_PROTOCOL"
        /// The call was left, or is over.
        public static let sessionEnded = "ERR_SESSION_ENDED"
        /// An argument can't be sent; the description names it.
        public static let invalidArgument = "ERR_INVALID_ARGUMENT"

        /// The client left.
        public static let left = "ERR_LEFT"
        /// The relay stops for now.
        public static let goingAway = "ERR_RELAY_GOING_AWAY"
        /// The relay has too much to do.
        public static let overload = "ERR_RELAY_BUSY"
        /// The relay can't keep changes now.
        public static let store = "ERR_RELAY_STORE"
        /// No common version, a request that the relay does not know, or something that Rollcall has not.
        public static let unsupported = "ERR_UNSUPPORTED"
        /// A right is missing.
        public static let forbidden = "ERR_FORBIDDEN"
        /// A moderator removed the person; it stays out until the meeting ends.
        public static let removed = "ERR_REMOVED"
        /// The same device joined elsewhere.
        public static let replaced = "ERR_REPLACED"
        /// The call is locked.
        public static let locked = "ERR_CALL_LOCKED"
        /// A later join of the same device is in force.
        public static let staleJoin = "ERR_STALE_JOIN"
        /// The meeting ended: at most one person was in it for too long.
        public static let idle = "ERR_IDLE_TIMEOUT"
        /// A limit of the relay is reached.
        public static let limit = "ERR_LIMIT"
        /// No call has that session id.
        public static let noSuchCall = "ERR_NO_SUCH_CALL"
        /// A value of a request is not allowed.
        public static let badRequest = "ERR_BAD_REQUEST"

        /// A command was refused: a right is missing, and the description names it.
        public static let denied = "ERR_DENIED"
        /// A command was refused: a value is not allowed, and the description names it.
        public static let invalidValue = "ERR_INVALID_VALUE"
        /// A command was refused: the relay does not know the setting.
        public static let unsupportedSetting = "ERR_UNSUPPORTED_SETTING"
        /// A command was sent again too late to know whether it happened.
        public static let tooOld = "ERR_OUTCOME_UNKNOWN"
        /// The device was away for longer than the grace; what it had asked for meanwhile did not happen.
        public static let expired = "ERR_EXPIRED"
        /// A command was refused: too many of them.
        public static let rate = "ERR_RATE"
        /// A command was refused: its target is not in the call.
        public static let noSuchParticipant = "ERR_NO_SUCH_PARTICIPANT"
        /// A command was refused: a lock or a standing policy forbids it.
        public static let heldDown = "ERR_HELD_DOWN"
        /// A limit of the call would be exceeded.
        public static let full = "ERR_CALL_FULL"

        /// The text of each code of the client library.
        static let texts: [RollcallError.Code: String] = [
            .cancelled: cancelled, .invalidAddress: setUp, .unreachable: unreachable, .timedOut: timedOut,
            .linkLost: connectionLost, .protocolViolation: protocolViolation, .callEnded: sessionEnded,
            .invalidArgument: invalidArgument, .left: left, .goingAway: goingAway, .overload: overload, .store: store,
            .unauthenticated: authentication, .unsupported: unsupported, .forbidden: forbidden, .removed: removed,
            .replaced: replaced, .locked: locked, .staleAttempt: staleJoin, .idle: idle, .limit: limit,
            .noSuchCall: noSuchCall, .badRequest: badRequest, .denied: denied, .invalid: invalidValue,
            .unsupportedSetting: unsupportedSetting, .tooOld: tooOld, .expired: expired, .rate: rate,
            .noSuchTarget: noSuchParticipant, .heldDown: heldDown, .full: full,
        ]

        /// The text of a code; `ERR_` and the number for one that this version does not know.
        static func text(of code: RollcallError.Code) -> String { texts[code] ?? "ERR_\(code.rawValue)" }
    }

    static func notSetUp() -> RollcallCallException {
        RollcallCallException(
            errorCode: Code.setUp,
            errorDescription: "no relay is known yet: call RollcallCalls(callsAppSettings:onSuccess:onError:) first"
        )
    }

    static func notLoggedIn() -> RollcallCallException {
        RollcallCallException(
            errorCode: Code.authentication,
            errorDescription: "nobody is logged in: call RollcallCalls.login(UID:) first"
        )
    }

    static func invalidLogin(_ what: String, _ count: Int, _ limit: ClosedRange<Int>) -> RollcallCallException {
        RollcallCallException(
            errorCode: Code.invalidArgument,
            errorDescription: "the \(what) of the login has \(count) bytes: "
                + "\(limit.lowerBound) to \(limit.upperBound) are allowed"
        )
    }

    static func invalidSetting(_ setter: String, _ problem: String) -> RollcallCallException {
        RollcallCallException(
            errorCode: Code.invalidSetting,
            errorDescription: "\(setter) was given \(problem)"
        )
    }

    static func invalidSessionID(_ problem: String) -> RollcallCallException {
        RollcallCallException(
            errorCode: Code.sessionID,
            errorDescription: "the session id \(problem): give 1 to 128 bytes of UTF-8"
        )
    }
}
