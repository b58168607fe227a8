import Synchronization

// Listeners are held weakly: one that goes is forgotten. Adding one that is there already does nothing.

extension CallSession {
    /// Tells `listener` about the session from now on, what is in effect already first.
    public func addSessionStatusListener(_ listener: any SessionStatusListener) { add(WeakListener(listener)) }

    /// Tells `listener` nothing about the session any more.
    public func removeSessionStatusListener(_ listener: any SessionStatusListener) { remove(listener, .session) }

    /// Tells `listener` about the people from now on, what is in effect already first.
    public func addParticipantEventListener(_ listener: any ParticipantEventListener) { add(WeakListener(listener)) }

    /// Tells `listener` nothing about the people any more.
    public func removeParticipantEventListener(_ listener: any ParticipantEventListener) {
        remove(listener, .participants)
    }

    /// Tells `listener` about the own device from now on, what is in effect already first.
    public func addMediaEventsListener(_ listener: any MediaEventsListener) { add(WeakListener(listener)) }

    /// Tells `listener` nothing about the own device any more.
    public func removeMediaEventsListener(_ listener: any MediaEventsListener) { remove(listener, .media) }

    /// Tells `listener` about clicks from now on.
    public func addButtonClickListener(_ listener: any ButtonClickListener) { add(WeakListener(listener)) }

    /// Tells `listener` nothing about clicks any more.
    public func removeButtonClickListener(_ listener: any ButtonClickListener) { remove(listener, .buttons) }

    /// Tells `listener` about the layout from now on, what is in effect already first.
    public func addLayoutListener(_ listener: any LayoutListener) { add(WeakListener(listener)) }

    /// Tells `listener` nothing about the layout any more.
    public func removeLayoutListener(_ listener: any LayoutListener) { remove(listener, .layout) }

    /// Tells nobody anything any more.
    public func clearAllListeners() {
        state.withLock { $0.listeners.removeAll() }
    }

    private func add(_ listener: WeakListener) {
        let isNew = state.withLock { $0.listeners.add(listener) && $0.core.shown.isActive }
        if isNew { changed() }
    }

    private func remove(_ listener: AnyObject, _ kind: ListenerKind) {
        let listener = ObjectIdentifier(listener)
        state.withLock { $0.listeners.remove(listener, kind) }
    }
}
