import Synchronization

/// How many objects of each kind live on one reactor; tests see by it that nothing is left behind.
package struct LiveObjects: ~Copyable, Sendable {
    /// The kinds that are counted.
    package enum Kind: Int, CaseIterable, Sendable {
        /// A call, or an attempt to join one.
        case driver
        /// A socket.
        case stream
        /// A session of the listener API, with all that it tells.
        case session
    }

    private let counts = Mutex([Int](repeating: 0, count: Kind.allCases.count))

    init() {}

    /// An object was made.
    package func add(_ kind: Kind) { counts.withLock { $0[kind.rawValue] += 1 } }

    /// An object went.
    package func remove(_ kind: Kind) { counts.withLock { $0[kind.rawValue] -= 1 } }

    /// How many objects of a kind there are.
    package func count(_ kind: Kind) -> Int { counts.withLock { $0[kind.rawValue] } }

    /// How many objects there are.
    package var total: Int { counts.withLock { $0.reduce(0, +) } }
}

/// Counts the object that holds it as living on a reactor, as long as it does.
package final class LiveMark: Sendable {
    private let reactor: SocketReactor
    private let kind: LiveObjects.Kind

    /// Counts an object.
    package init(_ reactor: SocketReactor, _ kind: LiveObjects.Kind) {
        self.reactor = reactor
        self.kind = kind
        reactor.live.add(kind)
    }

    deinit { reactor.live.remove(kind) }
}
