import CallState
import RollcallProtocol

// A Join as it comes: whether it is looked at at all, and by whom.
extension RelayCore {
    mutating func join(_ join: Join, on index: Int) {
        if let stop { return close(index, goingAway(after: stop.resumeAfter)) }
        if let fault = fault(of: join) { return close(index, Refusal(code: .badRequest, text: fault)) }
        guard admits(join, on: index) else { return }
        if let loop = elsewhere(join.session) { return depart(index, to: loop, with: .join(join)) }
        guard let call = makeCall(named: join.session) else {
            let text = "the relay has \(configuration.maximumCalls) calls, which is its limit"
            return close(index, Refusal(code: .limit, text: text))
        }
        emptied(call)
        if changes(join, on: index), refusesChanges(call) { return close(index, storeRefusal) }
        let needsEpoch = join.mode == .participant && !calls[call]!.isOccupied && calls[call]!.nextEpoch == nil
        if mustBeClaimed(call) || needsEpoch { return claim(call, for: .join(join), on: index) }
        calls[call]!.tell(now.wall)
        switch join.mode {
        case .participant: participate(join, in: call, on: index)
        case .observer: observe(join, in: call, on: index)
        }
    }

    /// Whether a Join changes something that the store must have.
    private func changes(_ join: Join, on index: Int) -> Bool {
        join.mode == .participant || (rightsRule(index).observer.contains(.actForOthers) && canResume(join))
    }

    /// Whether an observer that acts for others can come back as the same one: only who can be named can, or has been.
    ///
    /// Of another one nothing has to be kept before it asks for something.
    func canResume(_ join: Join) -> Bool {
        (!join.uid.isEmpty && !join.device.isEmpty) || join.resume?.secret.isEmpty == false
    }

    /// What is wrong with the values of a Join; nil is nothing.
    private func fault(of join: Join) -> String? {
        func length(_ what: String, _ count: Int, _ range: ClosedRange<Int>) -> String? {
            if range.contains(count) { return nil }
            return "Join.\(what) has \(count) bytes, \(range.lowerBound) to \(range.upperBound) are allowed"
        }
        // An observer may leave uid and device empty.
        let least = join.mode == .observer ? 0 : 1
        let tooLong =
            length("session_id", join.session.count, WireLimits.session)
            ?? length("uid", join.uid.count, least...WireLimits.uid.upperBound)
            ?? length("device", join.device.count, least...WireLimits.device.upperBound)
            ?? length("name", join.name?.count ?? 0, WireLimits.name)
            ?? length("avatar", join.avatar?.count ?? 0, WireLimits.avatar)
        if let tooLong { return tooLong }
        if UInt64(join.attributes.count) > configuration.limits.attributes {
            return
                "Join.attributes has \(join.attributes.count), at most \(configuration.limits.attributes) are allowed"
        }
        for attribute in join.attributes {
            if let fault = length("attributes.key", attribute.key.count, WireLimits.key) { return fault }
            let longest = Int(clamping: configuration.limits.attributeValue)
            if let fault = length("attributes.value", attribute.value?.count ?? 0, 0...longest) { return fault }
        }
        if let grace = join.grace, grace > WireLimits.grace {
            return "Join.grace_ms is \(grace), at most \(WireLimits.grace) is allowed"
        }
        if let idle = join.idle, idle > WireLimits.position {
            return "Join.idle_ms is \(idle), at most \(WireLimits.position) is allowed"
        }
        if let role = join.role, role != .participant, role != .moderator {
            return "Join.role is \(role.rawValue): 0 is participant, 1 moderator"
        }
        if join.view != 0 { return "Join.view is \(join.view): this relay has only view 0, the whole call" }
        return nil
    }
}
