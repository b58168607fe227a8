// Microphone, camera, screen share and link: facts of a device. Everything here is part of a commit; each function says
// whether it changed something.

extension CallState {
    /// Mutes or unmutes a device.
    ///
    /// Unmuting changes nothing while ``isAudioHeld(_:)``; it ends an unmute request.
    @discardableResult
    public mutating func setAudioMuted(_ muted: Bool, of device: Slot) -> Bool {
        guard let person = owner(of: device) else { return false }
        if !muted, isAudioHeld(person) { return false }
        var changed = set(DeviceField.audioMuted, of: device, to: .number(muted ? 1 : 0))
        if !muted, clear(PersonField.unmuteRequest, of: person) { changed = true }
        return changed
    }

    /// Pauses a camera or switches it on.
    ///
    /// Switching on changes nothing while ``isVideoHeld(_:)``.
    @discardableResult
    public mutating func setVideoPaused(_ paused: Bool, of device: Slot) -> Bool {
        guard let person = owner(of: device) else { return false }
        if !paused, isVideoHeld(person) { return false }
        return set(DeviceField.videoPaused, of: device, to: .number(paused ? 1 : 0))
    }

    /// Starts or stops a screen share.
    ///
    /// With ``Presenters/one`` a start stops the one before.
    @discardableResult
    public mutating func setPresenting(_ presenting: Bool, of device: Slot) -> Bool {
        guard kind(of: device) == .device else { return false }
        let changed = setFlag(DeviceField.presenting, of: device, to: presenting)
        if changed, presenting, allowsOnePresenter { _ = stopPresenting(except: device) }
        return changed
    }

    /// The device's link is lost: it is reconnecting, until `until` (ms since 1970) at the latest.
    @discardableResult
    public mutating func loseLink(of device: Slot, until: UInt64) -> Bool {
        guard kind(of: device) == .device else { return false }
        let reconnecting = UInt64(LinkState.reconnecting.rawValue)
        let changed = set(DeviceField.connection, of: device, to: .number(reconnecting))
        return set(DeviceField.reconnectingUntil, of: device, to: .number(until)) || changed
    }

    /// The device's link lives again.
    @discardableResult
    public mutating func restoreLink(of device: Slot) -> Bool {
        guard kind(of: device) == .device else { return false }
        let changed = clear(DeviceField.connection, of: device)
        return clear(DeviceField.reconnectingUntil, of: device) || changed
    }

    /// Sets the name of the device's client program; an empty one is none.
    @discardableResult
    public mutating func setClientName(_ name: ByteString, of device: Slot) -> Bool {
        setText(DeviceField.clientName, of: device, to: name)
    }

    /// Sets the facts with which a device comes, or comes back in a takeover.
    ///
    /// What a lock, a standing policy or another presenter forbids is corrected: muted, camera off, not presenting.
    @discardableResult
    public mutating func setInitialFacts(
        of device: Slot,
        audioMuted: Bool,
        videoPaused: Bool,
        presenting: Bool
    ) -> Bool {
        guard let person = owner(of: device) else { return false }
        var changed = setAudioMuted(audioMuted || isAudioHeld(person), of: device)
        if setVideoPaused(videoPaused || isVideoHeld(person), of: device) { changed = true }
        if setInitialPresenting(presenting, of: device) { changed = true }
        return changed
    }

    /// Sets whether a device that comes, or comes back, presents; with ``Presenters/one`` it does not when another
    /// does.
    @discardableResult
    public mutating func setInitialPresenting(_ presenting: Bool, of device: Slot) -> Bool {
        let another = presenting && allowsOnePresenter && newestPresenter.map { $0 != device } ?? false
        return setPresenting(presenting && !another, of: device)
    }

    /// Mutes every device, or all but those of one person.
    ///
    /// O(records).
    @discardableResult
    public mutating func muteEverybody(except person: Slot? = nil) -> Bool {
        var changed = false
        for device in deviceSlots where person == nil || owner(of: device) != person {
            if setAudioMuted(true, of: device) { changed = true }
        }
        return changed
    }

    /// Pauses every camera, or all but those of one person.
    ///
    /// O(records).
    @discardableResult
    public mutating func pauseEverybody(except person: Slot? = nil) -> Bool {
        var changed = false
        for device in deviceSlots where person == nil || owner(of: device) != person {
            if setVideoPaused(true, of: device) { changed = true }
        }
        return changed
    }

    // MARK: Questions

    /// Whether a lock of the person or the standing mute forbids to unmute.
    public func isAudioHeld(_ person: Slot) -> Bool {
        flag(PersonField.audioLocked, of: person) || flag(PolicyField.standingMute, of: .policy)
    }

    /// Whether a lock of the person or the standing camera-off forbids to switch a camera on.
    public func isVideoHeld(_ person: Slot) -> Bool {
        flag(PersonField.videoLocked, of: person) || flag(PolicyField.standingCameraOff, of: .policy)
    }

    /// The slot of the person whose device is in `slot`; nil when that is no live device.
    ///
    /// O(1).
    public func owner(of slot: Slot) -> Slot? {
        guard let index = liveIndex(slot), store[index].kind == .device else { return nil }
        return store.number(DeviceField.person, at: index).map { Slot(truncatingIfNeeded: $0) }
    }

    /// The slots of all live devices, ascending.
    ///
    /// O(records).
    public var deviceSlots: [Slot] {
        var slots: [Slot] = []
        slots.reserveCapacity(totals.devices)
        forEach(.device) { slots.append(store[$0].slot) }
        return slots
    }

    var allowsOnePresenter: Bool {
        number(PolicyField.presenters, of: .policy) == UInt64(Presenters.one.rawValue)
    }
}
