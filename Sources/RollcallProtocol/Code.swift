/// Why something ended or was refused.
///
/// The thousands tell what to do; SPEC.md lists every code.
///
/// 0 done; 1xxx information; 2xxx temporary, come back; 3xxx authenticate again; 4xxx do not retry; 5xxx a command was
/// refused and the connection stays. Open: an unknown code is kept and its thousands are obeyed.
public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The code with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Done, also when nothing changed.
    public static let ok = Code(rawValue: 0)

    /// The client left.
    public static let left = Code(rawValue: 1000)
    /// The client is behind and gets merged differences.
    public static let lagging = Code(rawValue: 1001)
    /// The client has caught up.
    public static let caughtUp = Code(rawValue: 1002)
    /// What the client has asked for last is done and not kept: it is answered when it is.
    public static let unkept = Code(rawValue: 1003)

    /// The relay stops for now.
    public static let goingAway = Code(rawValue: 2000)
    /// The relay has too much to do.
    public static let overload = Code(rawValue: 2001)
    /// The client did not read for too long.
    public static let lagged = Code(rawValue: 2002)
    /// The store can't keep changes now.
    public static let store = Code(rawValue: 2003)
    /// No byte came for too long.
    public static let silent = Code(rawValue: 2004)
    /// No preface or no hello came in time.
    public static let helloTimeout = Code(rawValue: 2005)

    /// The token is missing or wrong.
    public static let unauthenticated = Code(rawValue: 3000)
    /// The token has expired.
    public static let tokenExpired = Code(rawValue: 3001)

    /// The connection did not begin with RCL1.
    public static let badPreface = Code(rawValue: 4000)
    /// A frame that can't be read, is too long or has an illegal value.
    public static let badFrame = Code(rawValue: 4001)
    /// No common version, or a frame that this relay does not know.
    public static let unsupported = Code(rawValue: 4002)
    /// A right is missing.
    public static let forbidden = Code(rawValue: 4003)
    /// A moderator removed the person.
    public static let removed = Code(rawValue: 4004)
    /// The same device joined elsewhere.
    public static let replaced = Code(rawValue: 4005)
    /// The call is locked.
    public static let locked = Code(rawValue: 4006)
    /// A join with a lower attempt of the same instance.
    public static let staleAttempt = Code(rawValue: 4007)
    /// The meeting ended: at most one person for too long.
    public static let idle = Code(rawValue: 4008)
    /// A limit of the relay is reached.
    public static let limit = Code(rawValue: 4009)
    /// No call has that session id.
    public static let noSuchCall = Code(rawValue: 4010)
    /// A frame that is not allowed now: before hello, before join, twice.
    public static let outOfOrder = Code(rawValue: 4011)
    /// A value of a request is not allowed.
    public static let badRequest = Code(rawValue: 4012)

    /// A right is missing; the text names it.
    public static let denied = Code(rawValue: 5000)
    /// A value is not allowed; the text names it.
    public static let invalid = Code(rawValue: 5001)
    /// A setting that this relay does not know, or an empty one.
    public static let unsupportedSetting = Code(rawValue: 5002)
    /// The operation id is below what the relay remembers.
    public static let tooOld = Code(rawValue: 5003)
    /// The incarnation is over.
    public static let expired = Code(rawValue: 5004)
    /// Too many commands.
    public static let rate = Code(rawValue: 5005)
    /// The target is not in the call.
    public static let noSuchTarget = Code(rawValue: 5006)
    /// A lock or a standing policy forbids it.
    public static let heldDown = Code(rawValue: 5007)
    /// A limit of the call would be exceeded.
    public static let full = Code(rawValue: 5008)
}
