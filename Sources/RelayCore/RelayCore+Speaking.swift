import CallState
import RollcallProtocol

// Speech, and the dominant speaker that follows from it.
extension RelayCore {
    mutating func speaking(_ speaking: Speaking, on index: Int) {
        guard let call = call(of: index) else { return }
        for device in devices(of: speaking.target, on: index, in: call) {
            guard let person = calls[call]!.state.owner(of: device) else { continue }
            if speaking.on, !canSpeak(device, in: call) { continue }
            calls[call]!.election.report(device: device, of: person, speaks: speaking.on, at: now.monotonic)
            elect(call)
        }
    }

    /// The devices that a report is about; none when the sender may not report for them.
    private func devices(of target: Target?, on index: Int, in call: Int) -> [Slot] {
        guard let target else {
            if case .device(let device) = connections[index].role { return [device] }
            return []
        }
        guard case .actor = connections[index].role, rightsRule(index).observer.contains(.actForOthers),
            let person = calls[call]!.state.personSlot(uid: target.uid)
        else { return [] }
        if target.device.isEmpty { return calls[call]!.state.deviceSlots(of: person) }
        return calls[call]!.state.deviceSlot(of: person, id: target.device).map { [$0] } ?? []
    }

    /// Whether a device is in, unmuted and on a living link.
    private func canSpeak(_ device: Slot, in call: Int) -> Bool {
        calls[call]!.state.number(DeviceField.audioMuted, of: device) == 0
            && calls[call]!.state.isActive(device: device)
    }

    /// A device does not speak any more.
    mutating func silence(_ device: Slot, in call: Int) {
        guard !calls[call]!.election.isSilent else { return }
        calls[call]!.election.silence(device: device)
        elect(call)
    }

    /// After a commit: who is muted, cut off or gone does not speak, and does not stay dominant when muted or gone.
    mutating func reconcileSpeech(_ call: Int) {
        if !calls[call]!.election.isSilent {
            for device in calls[call]!.election.speakingDevices {
                if !canSpeak(device, in: call) { silence(device, in: call) }
            }
        }
        guard !calls[call]!.election.isSuspended, let dominant = calls[call]!.election.dominant else { return }
        if calls[call]!.state.isAudioMuted(person: dominant) {
            calls[call]!.election.vacate()
            elect(call)
        }
    }

    /// Evaluates the election of a call at the end of the turn.
    private mutating func elect(_ call: Int) {
        guard !calls[call]!.turn.isElecting else { return }
        calls[call]!.turn.isElecting = true
        turn.electing.append(calls[call]!.id)
    }

    mutating func evaluateElections() {
        if turn.electing.isEmpty { return }
        var next = 0
        while next < turn.electing.count {
            if let call = index(of: turn.electing[next]) { evaluateElection(call) }
            next += 1
        }
        turn.electing.removeAll(keepingCapacity: true)
    }

    private mutating func evaluateElection(_ call: Int) {
        calls[call]!.turn.isElecting = false
        if case .dominant(let person) = calls[call]!.election.evaluate(at: now.monotonic) {
            beginCommit(call)
            calls[call]!.state.setDominantSpeaker(person)
            endCommit(call)
        }
        guard let due = calls[call]!.election.nextDeadline, due < calls[call]!.electionWake else { return }
        calls[call]!.electionWake = due
        deadlines.set(.election(calls[call]!.id), at: due)
    }

    mutating func electionIsDue(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.electionWake == instant else { return }
        calls[call]!.electionWake = .max
        evaluateElection(call)
    }

    // MARK: Requests to unmute

    /// A request to unmute was made, or changed: it lapses in `period` ms.
    mutating func willLapse(requestOf person: Slot, in call: Int, after period: UInt64) {
        let due = now.monotonic + period
        // Those that were withdrawn or whose persons have left are forgotten once they are the larger part.
        if calls[call]!.requests.count > 2 * calls[call]!.state.peopleCount + 16 {
            let state = calls[call]!.state
            calls[call]!.requests = calls[call]!.requests.filter { person, _ in
                state.value(PersonField.unmuteRequest, of: person) != nil
            }
        }
        calls[call]!.requests[person] = due
        wakeForRequests(of: call, at: due)
    }

    private mutating func wakeForRequests(of call: Int, at due: UInt64) {
        guard due < calls[call]!.requestWake else { return }
        calls[call]!.requestWake = due
        deadlines.set(.unmuteRequests(calls[call]!.id), at: due)
    }

    mutating func unmuteRequestsAreDue(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.requestWake == instant else { return }
        calls[call]!.requestWake = .max
        let due = calls[call]!.requests.filter { $0.value <= now.monotonic }.keys.sorted()
        for person in due { calls[call]!.requests[person] = nil }
        beginCommit(call)
        // Withdrawn already, or whose person has left: nothing changes.
        for person in due { calls[call]!.state.withdrawUnmuteRequest(of: person) }
        endCommit(call)
        if let next = calls[call]!.requests.values.min() { wakeForRequests(of: call, at: next) }
    }
}
