import Rollcall

/// Who is logged in.
public struct CallsUser: Hashable, Sendable {
    /// The person's id; never nil.
    public var uid: String? { identity.uid }
    /// The display name; nil when none was given.
    public var name: String? { identity.name }
    /// URL of a picture; nil when none was given.
    public var avatar: String? { identity.avatar }
    /// Id of this device; never nil.
    public var deviceID: String? { identity.device }

    /// Who joins.
    let identity: Identity

    init(_ identity: Identity) {
        self.identity = identity
    }
}

extension CallsUser: CustomStringConvertible {
    /// The uid and the name, for logs; no token.
    public var description: String { identity.name.map { "\(identity.uid) (\($0))" } ?? identity.uid }
}
