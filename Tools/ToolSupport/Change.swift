package import CallState

/// One thing that changed in a call, in the words of a person.
package struct Change: Hashable, Sendable {
    /// What can change.
    package enum Field: String, CaseIterable, Sendable {
        case presence, device, link, mic, cam, share, hand, name, avatar, role, micLock = "mic-lock"
        case camLock = "cam-lock", unmuteRequest = "unmute-request", attribute, meeting, recording
        case dominantSpeaker = "dominant-speaker", spotlight, title, lock, callAttribute = "call-attribute", policy
    }

    /// Whose: the uid; nil for what belongs to the call.
    package var uid: ByteString?
    /// What people call the person, or `the call`.
    package var who: String
    /// Which device; nil where it is about all of them.
    package var device: ByteString?
    /// What.
    package var field: Field
    /// Which attribute or rule; nil elsewhere.
    package var key: String?
    /// The value before.
    package var old: String
    /// The value now.
    package var new: String

    init(
        _ person: Person?,
        device: ByteString? = nil,
        _ field: Field,
        key: String? = nil,
        _ old: String,
        _ new: String
    ) {
        uid = person?.uid
        who = person.map { personLabel(uid: $0.uid, name: $0.name) } ?? "the call"
        self.device = device
        self.field = field
        self.key = key
        self.old = old
        self.new = new
    }
}

/// What stands for no value.
let noValue = "-"

/// The changes that lead from one state of a call to another, in the order in which they are told.
package func changes(from old: CallState, to new: CallState) -> [Change] {
    let words = ChangeWords(old: old, new: new)
    return difference(old, new).flatMap { words.changes($0) }
}

/// Puts events into words.
private struct ChangeWords {
    let old: CallState
    let new: CallState
    let oldQueue: HandQueue
    let newQueue: HandQueue

    init(old: CallState, new: CallState) {
        self.old = old
        self.new = new
        oldQueue = HandQueue(old)
        newQueue = HandQueue(new)
    }

    func changes(_ event: CallEvent) -> [Change] {
        switch event {
        case .joined(let person):
            joined(person)
        case .deviceJoined(let device, let person):
            joined(device, person)
        case .left, .name, .avatar, .role, .audioLock, .videoLock, .unmuteRequest, .attribute, .handRaised,
            .handLowered:
            [personChange(event)].compactMap { $0 }
        case .audio, .video, .presenting, .link:
            [aggregateChange(event)].compactMap { $0 }
        case .deviceLeft, .deviceAudio, .deviceVideo, .devicePresenting, .deviceLink, .deviceInfo:
            [deviceChange(event)].compactMap { $0 }
        case .meetingBegan, .meetingEnded, .recordingStarted, .recordingStopped, .dominantSpeaker, .spotlight, .title,
            .callLock, .callAttribute:
            [callChange(event)].compactMap { $0 }
        case .policy(let now, let was):
            policyChanges(was, now)
        }
    }

    /// A person who came, and how: nobody has to know what microphones are like at rest.
    private func joined(_ person: Person) -> [Change] {
        let facts = person.aggregate
        return [
            Change(person, .presence, "out", "in"), Change(person, .mic, noValue, micWord(facts.isAudioMuted)),
            Change(person, .cam, noValue, onOff(!facts.isVideoPaused)),
        ]
    }

    /// A device that came, and how, where the person has others.
    private func joined(_ device: Device, _ person: Person) -> [Change] {
        let joined = Change(person, device: device.id, .device, "out", "in")
        if !hasMany(person) { return [joined] }
        return [
            joined, Change(person, device: device.id, .mic, noValue, micWord(device.isAudioMuted)),
            Change(person, device: device.id, .cam, noValue, onOff(!device.isVideoPaused)),
        ]
    }

    private func personChange(_ event: CallEvent) -> Change? {
        switch event {
        case .left(let person, let departure): Change(person, .presence, "in", leaveWord(departure.reason))
        case .name(let person, let was): Change(person, .name, text(was), text(person.name))
        case .avatar(let person, let was): Change(person, .avatar, text(was), text(person.avatar))
        case .role(let person, let was): Change(person, .role, roleWord(was), roleWord(person.role))
        case .audioLock(let person, let isLocked): Change(person, .micLock, onOff(!isLocked), onOff(isLocked))
        case .videoLock(let person, let isLocked): Change(person, .camLock, onOff(!isLocked), onOff(isLocked))
        case .unmuteRequest(let person, let was): Change(person, .unmuteRequest, asks(was), asks(person.unmuteRequest))
        case .attribute(let person, let key, let value):
            Change(
                person,
                .attribute,
                key: key.string,
                attributeText(old.entry(PersonField.attributes, key: key, of: person.slot)),
                attributeText(value)
            )
        case .handRaised(let person, _): Change(person, .hand, "down", place(newQueue, person))
        case .handLowered(let person, _): Change(person, .hand, place(oldQueue, person), "down")
        default: nil
        }
    }

    private func aggregateChange(_ event: CallEvent) -> Change? {
        switch event {
        case .audio(let person, let isMuted) where !isNew(person.slot):
            Change(person, .mic, micWord(!isMuted), micWord(isMuted))
        case .video(let person, let isPaused) where !isNew(person.slot):
            Change(person, .cam, onOff(isPaused), onOff(!isPaused))
        case .presenting(let person, let isOn): Change(person, .share, yesNo(!isOn), yesNo(isOn))
        case .link(let person, let link): Change(person, .link, otherLink(link), linkWord(link))
        default: nil
        }
    }

    /// A change of one device; nil where the person has only this one, so that the person's change says it all.
    private func deviceChange(_ event: CallEvent) -> Change? {
        switch event {
        case .deviceLeft(let device, let person, let departure):
            Change(person, device: device.id, .device, "in", leaveWord(departure.reason))
        case .deviceAudio(let device, let person, let isMuted) where hasMany(person) && !isNew(device.slot):
            Change(person, device: device.id, .mic, micWord(!isMuted), micWord(isMuted))
        case .deviceVideo(let device, let person, let isPaused) where hasMany(person) && !isNew(device.slot):
            Change(person, device: device.id, .cam, onOff(isPaused), onOff(!isPaused))
        case .devicePresenting(let device, let person, let isOn) where hasMany(person):
            Change(person, device: device.id, .share, yesNo(!isOn), yesNo(isOn))
        case .deviceLink(let device, let person, let link) where hasMany(person) && self.link(of: device) != link:
            Change(person, device: device.id, .link, otherLink(link), linkWord(link))
        default: nil
        }
    }

    private func callChange(_ event: CallEvent) -> Change? {
        switch event {
        case .meetingBegan(let id, _): Change(nil, .meeting, noValue, id.string)
        case .meetingEnded(let id): Change(nil, .meeting, id.string, "ended")
        case .recordingStarted(let recording): Change(nil, .recording, "off", recorder(recording))
        case .recordingStopped(let recording): Change(nil, .recording, recorder(recording), "off")
        case .dominantSpeaker(let now, let was): Change(nil, .dominantSpeaker, label(was), label(now))
        case .spotlight(let now, let was): Change(nil, .spotlight, labels(was, old), labels(now, new))
        case .title(let now, let was): Change(nil, .title, text(was), text(now))
        case .callLock(let isLocked): Change(nil, .lock, onOff(!isLocked), onOff(isLocked))
        case .callAttribute(let key, let value):
            Change(
                nil,
                .callAttribute,
                key: key.string,
                attributeText(old.entry(CallField.attributes, key: key, of: .call)),
                attributeText(value)
            )
        default: nil
        }
    }

    private func policyChanges(_ was: CallPolicy, _ now: CallPolicy) -> [Change] {
        let rules = [
            ("moderation", moderationWord(was.moderation), moderationWord(now.moderation)),
            ("standing-mute", onOff(was.standingMute), onOff(now.standingMute)),
            ("standing-camera-off", onOff(was.standingCameraOff), onOff(now.standingCameraOff)),
            ("hands", onOff(was.handsEnabled), onOff(now.handsEnabled)),
            ("presenters", presentersWord(was.presenters), presentersWord(now.presenters)),
            ("grace", TimeText.duration(was.grace), TimeText.duration(now.grace)),
            ("idle", TimeText.duration(was.idle), TimeText.duration(now.idle)),
        ]
        return rules.filter { $0.1 != $0.2 }.map { Change(nil, .policy, key: $0.0, $0.1, $0.2) }
    }

    // MARK: Words

    private func text(_ value: ByteString) -> String { value.isEmpty ? noValue : value.string }
    private func onOff(_ on: Bool) -> String { on ? "on" : "off" }
    private func yesNo(_ yes: Bool) -> String { yes ? "yes" : "no" }
    private func micWord(_ isMuted: Bool) -> String { isMuted ? "muted" : "on" }
    private func otherLink(_ link: LinkState) -> String { linkWord(link == .active ? .reconnecting : .active) }
    private func asks(_ request: UnmuteRequest?) -> String { request.map { "by \($0.byUID)" } ?? noValue }
    private func label(_ person: Person?) -> String {
        person.map { personLabel(uid: $0.uid, name: $0.name) } ?? "nobody"
    }
    private func recorder(_ recording: Recording) -> String {
        "by \(personLabel(uid: recording.byUID, name: recording.byName))"
    }

    private func attributeText(_ value: [UInt8]?) -> String {
        guard let value else { return noValue }
        return String(validating: value, as: UTF8.self) ?? hexText(value)
    }

    private func labels(_ slots: [Slot], _ state: CallState) -> String {
        slots.isEmpty ? "nobody" : slots.compactMap { state.person($0) }.map { label($0) }.joined(separator: ", ")
    }

    private func place(_ queue: HandQueue, _ person: Person) -> String {
        queue.place(of: person).map(ordinal) ?? "up"
    }

    private func hasMany(_ person: Person) -> Bool {
        max(old.deviceSlots(of: person.slot).count, new.deviceSlots(of: person.slot).count) > 1
    }

    private func isNew(_ slot: Slot) -> Bool { old.kind(of: slot) == nil }

    private func link(of device: Device) -> LinkState? { old.device(device.slot)?.link }
}
