import RollcallProtocol

/// Why something did not happen: a code for programs, a sentence for people.
public struct RollcallError: Error, Sendable {
    /// What kind of failure it is.
    ///
    /// From 1000 up the numbers are the relay's own, and their thousands tell what to do: 2xxx is temporary, 3xxx asks
    /// for another token, 4xxx does not get better by trying again, 5xxx refused one command and left the call as it
    /// is. Below 1000 are failures of the client's side. Open: an unknown number is kept.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number.
        public var rawValue: UInt32
        /// The code with that number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The task that waited was cancelled.
        ///
        /// What it asked for may still happen.
        public static let cancelled = Code(rawValue: 1)
        /// The address is not usable.
        public static let invalidAddress = Code(rawValue: 2)
        /// No connection to the relay could be made.
        public static let unreachable = Code(rawValue: 3)
        /// The other side did not answer in time.
        public static let timedOut = Code(rawValue: 4)
        /// The connection ended, and was not to be made again.
        public static let linkLost = Code(rawValue: 5)
        /// The relay sent something that breaks the protocol.
        public static let protocolViolation = Code(rawValue: 6)
        /// The call was left, or is over: nothing can be done in it any more.
        public static let callEnded = Code(rawValue: 7)
        /// The arguments are not legal; nothing was sent.
        public static let invalidArgument = Code(rawValue: 8)

        /// The client left.
        public static let left = Code(.left)
        /// The relay stops for now.
        public static let goingAway = Code(.goingAway)
        /// The relay has too much to do.
        public static let overload = Code(.overload)
        /// The relay can't keep changes now.
        public static let store = Code(.store)
        /// The token is missing or wrong.
        public static let unauthenticated = Code(.unauthenticated)
        /// No common version, or a frame that the relay does not know.
        public static let unsupported = Code(.unsupported)
        /// A right is missing.
        public static let forbidden = Code(.forbidden)
        /// A moderator removed the person.
        public static let removed = Code(.removed)
        /// The same device joined elsewhere.
        public static let replaced = Code(.replaced)
        /// The call is locked.
        public static let locked = Code(.locked)
        /// A later join of the same device is in force.
        public static let staleAttempt = Code(.staleAttempt)
        /// The meeting ended: at most one person was in it for too long.
        public static let idle = Code(.idle)
        /// A limit of the relay is reached.
        public static let limit = Code(.limit)
        /// No call has that session id.
        public static let noSuchCall = Code(.noSuchCall)
        /// A value of a request is not allowed.
        public static let badRequest = Code(.badRequest)
        /// A command was refused: a right is missing, and the message names it.
        public static let denied = Code(.denied)
        /// A command was refused: a value is not allowed, and the message names it.
        public static let invalid = Code(.invalid)
        /// A command was refused: the relay does not know the setting.
        public static let unsupportedSetting = Code(.unsupportedSetting)
        /// A command was refused: it was sent again too late to know whether it happened.
        public static let tooOld = Code(.tooOld)
        /// The device was away for longer than the grace; what it had asked for meanwhile did not happen.
        public static let expired = Code(.expired)
        /// A command was refused: too many of them.
        ///
        /// See ``RollcallError/retryAfter``.
        public static let rate = Code(.rate)
        /// A command was refused: its target is not in the call.
        public static let noSuchTarget = Code(.noSuchTarget)
        /// A command was refused: a lock or a standing policy forbids it.
        public static let heldDown = Code(.heldDown)
        /// A command was refused: a limit of the call would be exceeded.
        public static let full = Code(.full)

        /// The code of the relay.
        init(_ code: RollcallProtocol.Code) {
            self.init(rawValue: code.rawValue)
        }
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened, why, and what to do, for people.
    ///
    /// It has no secret and no token in it.
    public var message: String
    /// What the client was doing: the call, the relay's address.
    ///
    /// Not in ``description``.
    public var place: String
    /// The failure below this one, such as a ``SystemError``.
    public var underlying: (any Error)?
    /// How long to wait before trying again, where the relay said so.
    public var retryAfter: Duration?

    /// A failure.
    public init(
        code: Code,
        message: String,
        place: String = "",
        underlying: (any Error)? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.place = place
        self.underlying = underlying
        self.retryAfter = retryAfter
    }
}

extension RollcallError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The message, in one line that is safe to show: control characters in it are escaped.
    public var description: String {
        var line = ""
        for scalar in message.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            line += isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return line
    }

    /// Everything: the code, the message, the place and the failure below.
    public var debugDescription: String {
        var text = "RollcallError(\(code.rawValue)): \(description)"
        if !place.isEmpty { text += " [\(place)]" }
        if let underlying { text += " because of \(underlying)" }
        return text
    }
}

/// A call to the operating system that failed.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the failure (`errno`).
    public var number: Int32
    /// The function that failed.
    public var function: String
    /// What the number means, for people.
    public var text: String

    /// `function: text (errno n)`.
    public var description: String { "\(function): \(text) (errno \(number))" }
}

extension RollcallError {
    static func invalidAddress(_ text: String, _ problem: String) -> RollcallError {
        RollcallError(
            code: .invalidAddress,
            message: "the address \"\(text)\" can't be used: \(problem). "
                + "Give unix:/path or tcp:host:port."
        )
    }

    static func cancelled(_ what: String) -> RollcallError {
        RollcallError(code: .cancelled, message: "\(what) was cancelled")
    }
}
