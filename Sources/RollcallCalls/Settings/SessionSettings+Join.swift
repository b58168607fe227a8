import Rollcall
import RollcallProtocol

// What the settings mean for a join: what is said in it, and what is asked for right after it.

extension SessionSettings {
    /// What the device is like from its first state on.
    var status: Status {
        Status(
            audio: startAudioMuted ? .muted : .on,
            video: startVideoPaused || sessionType == .voice ? .paused : .on
        )
    }

    /// What is said about the call, should this be its first join.
    var joinOptions: JoinOptions { JoinOptions(idle: chosenIdleTimeout.map { .seconds($0) }) }

    /// Who joins: the person, under the name of these settings.
    func identity(of person: Identity) -> Identity {
        guard let displayName, !displayName.isEmpty else { return person }
        var named = person
        named.name = displayName
        return named
    }

    /// What to ask for once the call's state is known, each for itself: a refusal of one leaves the others.
    func firstCommands(hasTitle: Bool, isRecorded: Bool) -> [SessionCommand] {
        var commands: [SessionCommand] = []
        if let title, !title.isEmpty, !hasTitle { commands.append(.setTitle(title)) }
        if autoStartRecording, !isRecorded { commands.append(.startRecording) }
        return commands
    }

    /// Refuses what can't be meant.
    func check() throws(RollcallCallException) {
        if idleTimeoutPeriod < 0 {
            throw .invalidSetting("setIdleTimeoutPeriod", "\(idleTimeoutPeriod) seconds: give 0 for never, or more")
        }
        if idleTimeoutPeriod > Self.longestIdle {
            throw .invalidSetting("setIdleTimeoutPeriod", "\(idleTimeoutPeriod) seconds: give 0 for never")
        }
        try Self.check("setTitle", title, WireLimits.title)
        try Self.check("setDisplayName", displayName, WireLimits.name)
    }

    /// What the wire carries, in seconds: some 270,000 years.
    private static let longestIdle = 1 << 43

    private static func check(
        _ setter: String,
        _ text: String?,
        _ limit: ClosedRange<Int>
    ) throws(RollcallCallException) {
        let count = text?.utf8.count ?? 0
        if count > limit.upperBound {
            throw .invalidSetting(setter, "a text of \(count) bytes: at most \(limit.upperBound) are allowed")
        }
    }
}
