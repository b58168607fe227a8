// The policy of the call. Everything here is part of a commit; each function says whether it changed something.

extension CallState {
    /// Says who may moderate.
    @discardableResult
    public mutating func setModeration(_ moderation: Moderation) -> Bool {
        setNumber(PolicyField.moderation, of: .policy, to: UInt64(moderation.rawValue))
    }

    /// Sets the standing mute, which also mutes every device; lifting it leaves them muted.
    @discardableResult
    public mutating func setStandingMute(_ on: Bool) -> Bool {
        let changed = setFlag(PolicyField.standingMute, of: .policy, to: on)
        return (on && muteEverybody()) || changed
    }

    /// Sets the standing camera-off, which also pauses every camera; lifting it leaves them off.
    @discardableResult
    public mutating func setStandingCameraOff(_ on: Bool) -> Bool {
        let changed = setFlag(PolicyField.standingCameraOff, of: .policy, to: on)
        return (on && pauseEverybody()) || changed
    }

    /// Says whether hands may be raised; disabling lowers those that are up.
    @discardableResult
    public mutating func setHandsEnabled(_ enabled: Bool) -> Bool {
        let changed = setNumber(PolicyField.handsEnabled, of: .policy, to: enabled ? 1 : 0, rest: 1)
        return (!enabled && lowerAllHands()) || changed
    }

    /// Says how many may present at once.
    ///
    /// Going to ``Presenters/one`` keeps who began last (of those who began in one commit, who joined first) and stops
    /// the others.
    @discardableResult
    public mutating func setPresenters(_ presenters: Presenters) -> Bool {
        let changed = setNumber(PolicyField.presenters, of: .policy, to: UInt64(presenters.rawValue))
        guard presenters == .one, let newest = newestPresenter else { return changed }
        return stopPresenting(except: newest) || changed
    }

    /// Sets the grace, in ms.
    @discardableResult
    public mutating func setGrace(_ grace: UInt64) -> Bool {
        set(PolicyField.grace, of: .policy, to: .number(grace))
    }

    /// Sets the idle period, in ms; 0 is never.
    @discardableResult
    public mutating func setIdle(_ idle: UInt64) -> Bool {
        set(PolicyField.idle, of: .policy, to: .number(idle))
    }

    /// The device that began to present last; nil when nobody presents.
    ///
    /// O(records).
    var newestPresenter: Slot? {
        var newest: (slot: Slot, version: UInt64)?
        forEach(.device) { index in
            guard store.number(DeviceField.presenting, at: index) ?? 0 != 0 else { return }
            let place = store[index].place(of: DeviceField.presenting, key: .empty).index
            let version = store[index].fields[place].version
            if newest.map({ version > $0.version }) ?? true { newest = (store[index].slot, version) }
        }
        return newest?.slot
    }

    /// Stops every screen share but that of `device`.
    ///
    /// O(records).
    mutating func stopPresenting(except device: Slot) -> Bool {
        var changed = false
        for other in deviceSlots where other != device {
            if clear(DeviceField.presenting, of: other) { changed = true }
        }
        return changed
    }
}
