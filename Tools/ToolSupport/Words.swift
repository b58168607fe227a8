import CallState

// The words for the values of a call. A value that this version does not know shows its number.

func roleWord(_ role: Role) -> String {
    switch role {
    case .participant: "participant"
    case .moderator: "moderator"
    default: "role \(role.rawValue)"
    }
}

func linkWord(_ link: LinkState) -> String {
    switch link {
    case .active: "active"
    case .reconnecting: "reconnecting"
    default: "connection \(link.rawValue)"
    }
}

func moderationWord(_ moderation: Moderation) -> String {
    switch moderation {
    case .everyone: "everyone"
    case .moderators: "moderators"
    default: "moderation \(moderation.rawValue)"
    }
}

func presentersWord(_ presenters: Presenters) -> String {
    switch presenters {
    case .many: "many"
    case .one: "one"
    default: "presenters \(presenters.rawValue)"
    }
}

/// What became of who left.
func leaveWord(_ reason: LeaveReason?) -> String {
    switch reason {
    case nil, .unspecified?, .left?: "left"
    case .lost?: "lost"
    case .removed?: "removed"
    case .ended?: "ended"
    case .expired?: "expired"
    case let other?: "left (reason \(other.rawValue))"
    }
}
