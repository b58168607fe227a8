package import Rollcall

/// An app on top of a client: it sees the state whenever it looks, and is told what changed since.
package struct WorldApp {
    package init() {}

    /// What it saw last.
    package private(set) var seen: CallSnapshot?
    /// What it was told, oldest first.
    package private(set) var events: [CallUpdate.Event] = []
    /// Whether there is something that it has not seen.
    package internal(set) var hasNews = false

    package mutating func look(at snapshot: CallSnapshot) {
        hasNews = false
        events += CallUpdate.events(from: seen, to: snapshot)
        seen = snapshot
    }
}
