/// Who listens, held weakly, in the order of coming.
struct ListenerRegistry {
    /// A listener of one kind.
    struct Entry {
        var id: UInt64
        var listener: WeakListener
        /// How it has to be told what is in effect, before anything else.
        var waitsFor: Replay?
        /// What it knows by now; kept from one session to the next, so that the next begins with the difference.
        var media = MediaState()
        var layout = LayoutState()

        var kind: ListenerKind { listener.kind }
    }

    /// Why a listener is told what is in effect.
    enum Replay {
        /// It was there when the session was joined.
        case join
        /// It came during the session.
        case late
    }

    private(set) var entries: [Entry] = []
    /// Whether those who come are told of the join itself.
    var isJoining = false
    private var nextID: UInt64 = 0

    /// Adds a listener; false when it is there already.
    mutating func add(_ listener: WeakListener) -> Bool {
        entries.removeAll { $0.listener.isGone }
        if entries.contains(where: { $0.kind == listener.kind && $0.listener.id == listener.id }) { return false }
        nextID += 1
        let waitsFor: Replay? = listener.kind == .buttons ? nil : isJoining ? .join : .late
        entries.append(Entry(id: nextID, listener: listener, waitsFor: waitsFor))
        return true
    }

    mutating func remove(_ listener: ObjectIdentifier, _ kind: ListenerKind) {
        entries.removeAll { $0.listener.isGone || ($0.kind == kind && $0.listener.id == listener) }
    }

    mutating func removeAll() {
        entries.removeAll()
    }

    /// A session begins: everybody has to be told of it.
    mutating func begin() {
        isJoining = true
        entries.removeAll { $0.listener.isGone }
        for index in entries.indices where entries[index].kind != .buttons { entries[index].waitsFor = .join }
    }

    /// Those who have to be told what is in effect, as they were; from now on they are told what changes.
    ///
    /// - Parameter isLeaving: The session is being left: who comes only now hears nothing of it any more.
    mutating func takeWaiting(isLeaving: Bool) -> [Entry] {
        var waiting: [Entry] = []
        for index in entries.indices {
            guard let replay = entries[index].waitsFor, replay == .join || !isLeaving else { continue }
            waiting.append(entries[index])
            entries[index].waitsFor = nil
        }
        return waiting
    }

    /// Everybody who is told of changes knows this now.
    mutating func everybodyKnows(media: MediaState, layout: LayoutState) {
        for index in entries.indices where entries[index].waitsFor == nil {
            entries[index].media = media
            entries[index].layout = layout
        }
    }

    /// The listeners of a kind who are told of changes.
    func current(_ kind: ListenerKind) -> [Entry] {
        entries.filter { $0.kind == kind && $0.waitsFor == nil }
    }

    func contains(_ id: UInt64) -> Bool { entries.contains { $0.id == id } }
}
