/// Something that must never be.
package enum Invariant: String, CaseIterable, Sendable {
    /// Two copies at one position differ.
    case samePositionSameDigest
    /// A copy went back by something else than a snapshot of a higher epoch.
    case positionsNeverGoBack
    /// A client with a live link does not equal the relay after a heartbeat of quiet.
    case restIsEqual
    /// An honest client with a good network had to ask for a snapshot, or saw the protocol broken.
    case honestClientsNeverResync
    /// A client asked for a snapshot again before the relay began one.
    case resyncAsksOnce
    /// A Join was answered by a snapshot whose reason its position can't have.
    case reasonFits
    /// A copy that follows every frame strictly was given one that does not fit.
    case strictCopyFits
    /// An acknowledged command is not in a later state.
    case acknowledgedIsKept
    /// A command was applied twice, or after it was refused.
    case commandsApplyOnce
    /// Somebody without a link stayed longer than the grace.
    case noGhosts
    /// A device whose link lives is shown otherwise, or one connection too many is attached.
    case attachedIsActive
    /// Somebody who was in when the relay ended was not given the time to come back.
    case graceAfterRestart
    /// Somebody left without having joined, or joined twice, in the eyes of an app.
    case leftOncePerJoined
    /// The order of the raised hands changed by itself, or differs between copies.
    case handOrder
    /// The relay holds too much for one connection.
    case boundedMemory
    /// A position that the relay never issued was answered by a difference.
    case issuedPositionsOnly
    /// An incarnation that is over was resumed.
    case noLateSecrets
    /// A resume changed facts of the device that the relay knew better.
    case resumeKeepsFacts
    /// Something left the relay that the store does not have.
    case shownIsKept
    /// After a restart a call is not what it was at the position that was kept.
    case restoredIsKept
    /// A connection or a call was not given up.
    case nothingLeaks
    /// Everybody who wants to be in is in, once all faults are over.
    case everybodyComesBack
}

/// A broken invariant: where in a run, and what was seen.
package struct Violation: Error, Sendable, CustomStringConvertible {
    /// What was broken.
    package var invariant: Invariant
    /// The step, counted from 0.
    package var step: Int
    /// What was seen.
    package var text: String

    package var description: String { "step \(step): \(invariant.rawValue): \(text)" }
}
