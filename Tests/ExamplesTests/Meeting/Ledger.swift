import CallState
import Synchronization

/// What every client showed at each position, and what the relay had there.
///
/// Clients note as they go; ``differences`` compares. The first that shows a position sets what all others must show.
final class Ledger: Sendable {
    /// Sums over a meeting.
    struct Counts: Equatable {
        /// Positions at which at least two clients showed something.
        var positions = 0
        /// Positions at which somebody showed something, and the relay's copy is known.
        var checked = 0
        /// Rows that were compared with another client's.
        var rows = 0
        /// Panels that were compared with the relay's record of the device.
        var panels = 0
        /// Callbacks that clients got.
        var callbacks = 0
        /// Updates after which the app's own bookkeeping was compared with the library's state.
        var updates = 0
    }

    private struct Entry {
        var shown: Shown
        var first: String
        var clients = 1
    }

    private struct Panel {
        var client: String
        var uid: String
        var device: String
        var position: Position
        var shown: OwnDevice
    }

    private struct Book {
        var entries: [Position: Entry] = [:]
        var relay: [Position: CallState] = [:]
        var panels: [Panel] = []
        var counts = Counts()
        var differences: [String] = []

        /// More differences than so many tell nothing new.
        mutating func differ(_ text: String) {
            if differences.count < 20 { differences.append(text) }
        }
    }

    private let book = Mutex(Book())

    /// The relay's own copy at a position.
    func note(_ state: CallState) {
        book.withLock { $0.relay[state.position] = state }
    }

    /// What a client shows at a position.
    func note(_ shown: Shown, at position: Position, by client: String) {
        book.withLock { book in
            guard let entry = book.entries[position] else {
                book.entries[position] = Entry(shown: shown, first: client)
                return
            }
            book.entries[position]?.clients += 1
            book.counts.rows += shown.rowCount
            if entry.shown != shown {
                book.differ("\(position): \(client) shows \(shown), and \(entry.first) shows \(entry.shown)")
            }
        }
    }

    /// What a client's panel shows of its own device at a position.
    func note(_ shown: OwnDevice, of uid: String, _ device: String, at position: Position, by client: String) {
        book.withLock {
            $0.panels.append(Panel(client: client, uid: uid, device: device, position: position, shown: shown))
        }
    }

    /// A comparison of a client with itself: after an update, or of the callbacks' own rules.
    func note(updates: Int = 0, callbacks: Int = 0, differences: [String], by client: String) {
        book.withLock { book in
            book.counts.updates += updates
            book.counts.callbacks += callbacks
            for difference in differences { book.differ("\(client): \(difference)") }
        }
    }

    /// Compares what clients showed with the relay's copy; gives everything that was found, and the sums.
    func judge() -> (differences: [String], counts: Counts) {
        book.withLock { book in
            for (position, entry) in book.entries {
                if entry.clients > 1 { book.counts.positions += 1 }
                guard let state = book.relay[position] else { continue }
                book.counts.checked += 1
                var expected = Shown(state)
                expected.found = entry.shown.found
                if entry.shown != expected {
                    book.differ("\(position): \(entry.first) shows \(entry.shown), and the relay has \(expected)")
                }
            }
            for panel in book.panels {
                guard let state = book.relay[panel.position] else { continue }
                book.counts.panels += 1
                let expected = OwnDevice(state, uid: panel.uid, device: panel.device)
                if panel.shown != expected {
                    let has = expected.map { "\($0)" } ?? "no such device"
                    book.differ(
                        "\(panel.position): the panel of \(panel.client) shows \(panel.shown), the relay has \(has)"
                    )
                }
            }
            return (book.differences, book.counts)
        }
    }
}
