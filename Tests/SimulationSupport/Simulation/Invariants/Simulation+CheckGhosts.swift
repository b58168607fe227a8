import CallState
import RelayCore

extension Simulation {
    /// Notes who has lost the link, and since when.
    mutating func watchLosses(_ watch: Int) {
        let now = clock
        let found = relay.withState(of: watches[watch].session) { state -> (grace: UInt64, [CallWatch.Lost]) in
            var lost: [CallWatch.Lost] = []
            for device in state.deviceSlots where state.number(DeviceField.connection, of: device) ?? 0 != 0 {
                let until = state.number(DeviceField.reconnectingUntil, of: device) ?? 0
                let version = state.version(of: DeviceField.connection, in: device) ?? 0
                lost.append(CallWatch.Lost(device: device, version: version, until: until, since: now))
            }
            return (state.number(PolicyField.grace, of: .policy) ?? 0, lost)
        }
        guard let (grace, devices) = found else {
            watches[watch].lost = []
            return
        }
        let least = max(grace, watches[watch].grace, graceAfterRestart(watch))
        watches[watch].lost = devices.map { lost in
            if let known = watches[watch].lost.first(where: { $0.isSame(as: lost) }) { return known }
            var lost = lost
            lost.grace = least
            lost.standstill = standstill
            return lost
        }
        watches[watch].grace = grace
    }

    /// What a grace is at least, since the call was given to a relay that started anew not long ago.
    private func graceAfterRestart(_ watch: Int) -> UInt64 {
        watches[watch].restoredAt.map { clock - $0 <= 75_000 } == true ? 75_000 : 0
    }

    /// Who was in when a relay ended has a minute to come back to the next one.
    mutating func checkRestartGrace(_ session: ByteString, _ uid: ByteString, _ device: ByteString) {
        guard let watch = number(of: session), let restoredAt = watches[watch].restoredAt, clock - restoredAt < 60_000
        else { return }
        // Whoever acts for others brings devices out as it likes.
        if watches[watch].came.contains(CallWatch.Name(uid: uid, device: device)) || uid.bytes.first == 0x62 { return }
        fail(.graceAfterRestart, "\(uid)/\(device) is lost \(clock - restoredAt) ms after the call was restored")
    }

    /// Nobody outlives the grace.
    mutating func checkGhosts(_ watch: Int) {
        if isStopping { return }
        for lost in watches[watch].lost {
            let allowed = lost.grace + (standstill - lost.standstill)
            if clock - lost.since <= allowed { continue }
            // Nobody is given up while the store can't keep that they come back, nor soon after.
            let failedAt = watches[watch].storeFailedAt
            if watches[watch].isStoreDoubted || failedAt > 0 && clock <= failedAt + 20_000 + allowed { continue }
            return fail(
                .noGhosts,
                "device \(lost.device) lost its link \(clock - lost.since) ms ago, its grace was \(allowed) ms"
            )
        }
    }

    /// A connection on which nothing comes is given up in time.
    mutating func checkSilence() {
        if isStopping { return }
        let limit = settings.relay.deadAfter + settings.relay.closeTimeout + settings.relay.helloTimeout
        for link in active where links[link].relayEnd == .open {
            if links[link].isPaused || !links[link].unsent.isEmpty {
                links[link].heard(at: clock, standstill)
                continue
            }
            let silent = clock - links[link].heardAt
            if silent > limit + (standstill - links[link].heardStandstill) {
                return fail(
                    .nothingLeaks,
                    "link \(link) of \(links[link].owner) is silent for \(silent) ms and still there, "
                        + "though the relay stood still for \(standstill - links[link].heardStandstill) ms only"
                )
            }
        }
    }

    /// Each device that is shown with a link has one attachment, and each that has one is shown so.
    mutating func checkAttachments(_ watch: Int) {
        if isStopping || graceAfterRestart(watch) > 0 { return }
        let session = watches[watch].session
        let attached = relay.attachedDevices(of: session)
        for (device, connection) in attached where link(of: connection) == nil {
            return fail(.attachedIsActive, "device \(device) of \(session) is attached on a connection that is gone")
        }
        let problem = relay.withState(of: session) { state -> String? in
            for device in state.deviceSlots {
                let isActive = state.number(DeviceField.connection, of: device) ?? 0 == 0
                let isAttached = attached.contains { $0.device == device }
                if isActive == isAttached || relay.isBrought(device, in: session) { continue }
                return "device \(device) of \(session) is shown \(isActive ? "active" : "reconnecting") and is "
                    + (isAttached ? "attached" : "not attached")
            }
            return nil
        }
        if let text = problem ?? nil { fail(.attachedIsActive, text) }
    }
}
