// Listeners are held weakly: one that goes is forgotten. Adding one that is there already does nothing.

extension CallSession {
    /// Tells `listener` about the session from now on, what is in effect already first.
    public func addSessionStatusListener(_ listener: any SessionStatusListener) {}

    /// Tells `listener` nothing about the session any more.
    public func removeSessionStatusListener(_ listener: any SessionStatusListener) {}

    /// Tells `listener` about the people from now on, what is in effect already first.
    public func addParticipantEventListener(_ listener: any ParticipantEventListener) {}

    /// Tells `listener` nothing about the people any more.
    public func removeParticipantEventListener(_ listener: any ParticipantEventListener) {}

    /// Tells `listener` about the own device from now on, what is in effect already first.
    public func addMediaEventsListener(_ listener: any MediaEventsListener) {}

    /// Tells `listener` nothing about the own device any more.
    public func removeMediaEventsListener(_ listener: any MediaEventsListener) {}

    /// Tells `listener` about clicks from now on.
    public func addButtonClickListener(_ listener: any ButtonClickListener) {}

    /// Tells `listener` nothing about clicks any more.
    public func removeButtonClickListener(_ listener: any ButtonClickListener) {}

    /// Tells `listener` about the layout from now on, what is in effect already first.
    public func addLayoutListener(_ listener: any LayoutListener) {}

    /// Tells `listener` nothing about the layout any more.
    public func removeLayoutListener(_ listener: any LayoutListener) {}

    /// Tells nobody anything any more.
    public func clearAllListeners() {}
}
