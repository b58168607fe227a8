/// Why a difference can't be applied to a copy: the client asks for a snapshot.
public enum ApplyError: Error, Hashable, Sendable {
    /// `from` is of an epoch that is not the copy's, or `to` would go back.
    case epoch
    /// `from` is above the copy's position.
    case gap
    /// A change of a record that the copy does not have, without its identity.
    case unknownSlot(Slot)
    /// A record that breaks a rule, and which.
    case invalid(Slot, String)
}

/// How a difference ended that was applied.
public enum ApplyOutcome: Hashable, Sendable {
    /// The copy is at `to` now.
    case applied
    /// `to` is at or below the copy's position in the same epoch: nothing to do.
    case ignored
}
