public import CallState
public import RollcallProtocol

// For a media server or a bot: who has the right to act for others states their facts. Anybody else is refused.

extension Call {
    /// Brings a device of a person in, as if it had joined.
    ///
    /// Its link is this client's own.
    @discardableResult
    public func bringIn(
        _ uid: String,
        device: String,
        name: String? = nil,
        avatar: String? = nil,
        status: Status = Status(),
        role: Role? = nil
    ) async throws(RollcallError) -> Position {
        var facts = BringIn()
        facts.name = name.map { ByteString($0) }
        facts.avatar = avatar.map { ByteString($0) }
        facts.audioMuted = status.audio == .muted
        facts.videoPaused = status.video == .paused
        facts.presenting = status.isPresenting
        facts.role = role
        return try await perform([Setting(target: .device(uid, device), .bringIn(facts))])
    }

    /// Takes a device of a person out; without a device the person with all of them.
    @discardableResult
    public func takeOut(
        _ uid: String,
        device: String = "",
        reason: LeaveReason = .left
    ) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .device(uid, device), .takeOut(reason))])
    }

    /// States facts of a person or device in one commit; without a device a device's fact is one of all devices.
    @discardableResult
    public func state(
        _ facts: [Setting.Change],
        of uid: String,
        device: String = ""
    ) async throws(RollcallError) -> Position {
        try await perform(facts.map { Setting(target: .device(uid, device), $0) })
    }

    /// States the dominant speaker, nil for nobody; that suspends the relay's own choice until the meeting ends.
    @discardableResult
    public func stateDominantSpeaker(_ uid: String?) async throws(RollcallError) -> Position {
        try await perform([Setting(.dominantSpeaker(ByteString(uid ?? "")))])
    }
}

extension Target {
    /// A device of a person.
    static func device(_ uid: String, _ device: String) -> Target {
        Target(uid: ByteString(uid), device: ByteString(device))
    }
}
