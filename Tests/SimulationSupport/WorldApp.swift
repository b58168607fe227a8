package import Rollcall

/// An app on top of a client: it sees the state whenever it looks, and is told what changed since.
package struct WorldApp {
    /// One that has seen nothing.
    package init() {}

    /// What it saw last.
    package private(set) var seen: CallSnapshot?
    /// What it was told, oldest first.
    package private(set) var events: [CallUpdate.Event] = []
    /// Whether it ever saw an older state after a newer one.
    package private(set) var wentBack = false
    /// Whether there is something that it has not seen.
    package internal(set) var hasNews = false

    package mutating func look(at snapshot: CallSnapshot) {
        hasNews = false
        if let seen, snapshot.position < seen.position { wentBack = true }
        events += CallUpdate.events(from: seen, to: snapshot)
        seen = snapshot
    }
}
