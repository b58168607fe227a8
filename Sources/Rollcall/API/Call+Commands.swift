public import CallState
import RollcallProtocol

// Each command is one `perform` and returns and throws as that does.

extension Call {
    // MARK: The own device

    /// Mutes or opens the own microphone.
    @discardableResult
    public func setAudio(_ audio: AudioState) async throws(RollcallError) -> Position {
        try await perform([Setting(.audioMuted(audio == .muted))])
    }

    /// Turns the own camera off or on.
    @discardableResult
    public func setVideo(_ video: VideoState) async throws(RollcallError) -> Position {
        try await perform([Setting(.videoPaused(video == .paused))])
    }

    /// Begins to share the own screen.
    @discardableResult
    public func startPresenting() async throws(RollcallError) -> Position {
        try await perform([Setting(.presenting(true))])
    }

    /// Stops sharing the own screen.
    @discardableResult
    public func stopPresenting() async throws(RollcallError) -> Position {
        try await perform([Setting(.presenting(false))])
    }

    // MARK: The own person

    /// Raises the own hand.
    ///
    /// One that is up already keeps its place.
    @discardableResult
    public func raiseHand() async throws(RollcallError) -> Position {
        try await perform([Setting(.handRaised(true))])
    }

    /// Lowers the own hand.
    @discardableResult
    public func lowerHand() async throws(RollcallError) -> Position {
        try await perform([Setting(.handRaised(false))])
    }

    /// Sets the own display name, at most 256 bytes.
    @discardableResult
    public func setName(_ name: String) async throws(RollcallError) -> Position {
        try await perform([Setting(.name(ByteString(name)))])
    }

    /// Sets the URL of the own picture, at most 2,048 bytes.
    @discardableResult
    public func setAvatar(_ avatar: String) async throws(RollcallError) -> Position {
        try await perform([Setting(.avatar(ByteString(avatar)))])
    }

    /// Sets (or with nil removes) an attribute of the own person: a key of 1..64 bytes, a value of at most 1,024.
    @discardableResult
    public func setAttribute(_ key: String, _ value: [UInt8]?) async throws(RollcallError) -> Position {
        try await perform([Setting(.attribute(Attribute(key: ByteString(key), value: value)))])
    }

    /// Declines a request to unmute.
    @discardableResult
    public func declineUnmute() async throws(RollcallError) -> Position {
        try await perform([Setting(.unmuteRequest(0))])
    }

    // MARK: Moderation

    /// Mutes a person on all devices.
    ///
    /// Nobody can unmute another: see ``requestUnmute(_:for:)``.
    @discardableResult
    public func mute(_ uid: String) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .audioMuted(true))])
    }

    /// Turns a person's cameras off.
    @discardableResult
    public func pauseVideo(_ uid: String) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .videoPaused(true))])
    }

    /// Stops a person's screen share.
    @discardableResult
    public func stopPresenting(_ uid: String) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .presenting(false))])
    }

    /// Lowers a person's hand.
    @discardableResult
    public func lowerHand(_ uid: String) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .handRaised(false))])
    }

    /// Lowers every hand, the own one too.
    @discardableResult
    public func lowerAllHands() async throws(RollcallError) -> Position {
        try await perform(withOwn(.handRaised(false)))
    }

    /// Mutes everybody else, once.
    ///
    /// For those who join later as well see ``setStandingMute(_:)``.
    @discardableResult
    public func muteAll() async throws(RollcallError) -> Position {
        try await perform([Setting(target: .everyone, .audioMuted(true))])
    }

    /// Keeps a person muted, or lets them unmute again.
    @discardableResult
    public func lockAudio(_ uid: String, _ locked: Bool) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .audioLocked(locked))])
    }

    /// Keeps a person's cameras off, or lets them turn them on again.
    @discardableResult
    public func lockVideo(_ uid: String, _ locked: Bool) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .videoLocked(locked))])
    }

    /// Asks a person to unmute; the request lapses after `time`, and zero withdraws it.
    @discardableResult
    public func requestUnmute(_ uid: String, for time: Duration) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .unmuteRequest(time.milliseconds))])
    }

    /// Removes a person until the meeting ends.
    @discardableResult
    public func remove(_ uid: String) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .removed(true))])
    }

    /// Lets a removed person in again.
    @discardableResult
    public func readmit(_ uid: String) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .removed(false))])
    }

    /// Sets a person's role.
    @discardableResult
    public func setRole(_ role: Role, of uid: String) async throws(RollcallError) -> Position {
        try await perform([Setting(target: .person(uid), .role(role))])
    }

    // MARK: The call

    /// Puts people into the spotlight, in that order, for everyone; at most 32.
    ///
    /// An empty list is nobody.
    @discardableResult
    public func spotlight(_ uids: [String]) async throws(RollcallError) -> Position {
        try await perform([Setting(.spotlight(uids.map { ByteString($0) }))])
    }

    /// Sets the title, at most 256 bytes.
    @discardableResult
    public func setTitle(_ title: String) async throws(RollcallError) -> Position {
        try await perform([Setting(.title(ByteString(title)))])
    }

    /// Sets (or with nil removes) an attribute of the call.
    @discardableResult
    public func setCallAttribute(_ key: String, _ value: [UInt8]?) async throws(RollcallError) -> Position {
        try await perform([Setting(.callAttribute(Attribute(key: ByteString(key), value: value)))])
    }

    /// Keeps out new people, or lets them in again.
    @discardableResult
    public func lockCall(_ locked: Bool) async throws(RollcallError) -> Position {
        try await perform([Setting(.callLocked(locked))])
    }

    /// Starts the recording; one that runs goes on as it is.
    @discardableResult
    public func startRecording() async throws(RollcallError) -> Position {
        try await perform([Setting(.recording(true))])
    }

    /// Stops the recording.
    @discardableResult
    public func stopRecording() async throws(RollcallError) -> Position {
        try await perform([Setting(.recording(false))])
    }

    // MARK: Policy

    /// Says who may moderate.
    ///
    /// `moderators` is refused while nobody in the call has that role: nobody could undo it.
    @discardableResult
    public func setModeration(_ moderation: Moderation) async throws(RollcallError) -> Position {
        try await perform([Setting(.moderation(moderation))])
    }

    /// Keeps everybody muted, also those who join later.
    @discardableResult
    public func setStandingMute(_ on: Bool) async throws(RollcallError) -> Position {
        try await perform([Setting(.standingMute(on))])
    }

    /// Keeps everybody's camera off, also of those who join later.
    @discardableResult
    public func setStandingCameraOff(_ on: Bool) async throws(RollcallError) -> Position {
        try await perform([Setting(.standingCameraOff(on))])
    }

    /// Says whether hands may be raised; no lowers those that are up.
    @discardableResult
    public func setHandsEnabled(_ enabled: Bool) async throws(RollcallError) -> Position {
        try await perform([Setting(.handsEnabled(enabled))])
    }

    /// Says how many may present at once.
    @discardableResult
    public func setPresenters(_ presenters: Presenters) async throws(RollcallError) -> Position {
        try await perform([Setting(.presenters(presenters))])
    }

    /// Says how long a lost device may come back, up to 120 s.
    @discardableResult
    public func setGrace(_ grace: Duration) async throws(RollcallError) -> Position {
        try await perform([Setting(.grace(grace.milliseconds))])
    }

    /// Says how long the call lives with at most one person in it; zero is for ever.
    @discardableResult
    public func setIdle(_ idle: Duration) async throws(RollcallError) -> Position {
        try await perform([Setting(.idle(idle.milliseconds))])
    }

    /// One change for everybody else and, where there is one, for the own person.
    private func withOwn(_ change: Setting.Change) -> [Setting] {
        let forOthers = Setting(target: .everyone, change)
        return driver.isObserver ? [forOthers] : [forOthers, Setting(change)]
    }
}

extension Target {
    /// A person.
    static func person(_ uid: String) -> Target { Target(uid: ByteString(uid)) }
}
