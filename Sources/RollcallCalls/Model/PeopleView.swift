import CallState
import Foundation
import Rollcall

/// Makes participants of the people of a state: what of a person stands elsewhere in the call is looked up once.
struct PeopleView {
    private let snapshot: CallSnapshot?
    private let meeting: String?
    private let ownPerson: Slot
    private let ownDevice: Slot
    private let spotlight: Set<Slot>
    private let dominant: Slot?
    private let pinned: Slot?
    private let handAskedAt: UInt64

    init(_ model: SessionModel) {
        let call = model.snapshot?.confirmed.call
        snapshot = model.snapshot
        meeting = call?.meetingID?.string
        ownPerson = model.snapshot?.ownPerson ?? 0
        ownDevice = model.snapshot?.ownDevice ?? 0
        spotlight = Set(call?.spotlight ?? [])
        dominant = call?.dominantSpeaker
        pinned = model.local.pin?.slot
        handAskedAt = model.local.handAskedAt
    }

    // MARK: Everybody

    /// The people, in order of joining.
    var participants: [Participant] { snapshot?.people.map(participant) ?? [] }

    /// The queue of hands.
    var raisedHands: [RaisedHand] {
        guard let snapshot else { return [] }
        return snapshot.raisedHands.enumerated().map { index, person in
            RaisedHand(participant: participant(person), place: index + 1, raisedAt: raisedAt(person) ?? Date(ms: 0))
        }
    }

    /// The recording that runs.
    var recording: CallRecording? {
        snapshot?.recording.map { CallRecording(participant: recorder($0), since: Date(ms: $0.since)) }
    }

    /// This client's own device.
    var localMedia: LocalMedia? {
        snapshot?.myDevice.map { device in
            LocalMedia(
                isAudioMuted: device.audio == .muted,
                isVideoPaused: device.video == .paused,
                isPresenting: device.isPresenting
            )
        }
    }

    /// Those of whom a status says something that stands elsewhere in the call: spotlit, pinned, the dominant speaker.
    var marked: Set<Slot> {
        var marked = spotlight
        if let dominant { marked.insert(dominant) }
        if let pinned { marked.insert(pinned) }
        return marked
    }

    // MARK: One

    func participant(_ person: CallSnapshot.Person) -> Participant {
        Participant(facts(person))
    }

    /// Somebody who has left: their hand, screen share and marks are over.
    func departed(_ person: CallSnapshot.Person, at time: UInt64?) -> Participant {
        var facts = facts(person)
        facts.hasLeft = true
        facts.leftAt = Int(clamping: (time ?? 0) / 1_000)
        facts.status.isPresenting = false
        facts.status.isHandRaised = false
        facts.status.handRaisedAt = nil
        facts.status.isPinned = false
        facts.status.isSpotlit = false
        facts.status.isDominantSpeaker = false
        return Participant(facts)
    }

    /// Who started a recording, in the call or not, as the record of it says.
    func recorder(_ recording: CallSnapshot.Recording) -> Participant {
        if let person = snapshot?.person(uid: recording.uid) { return participant(person) }
        var facts = Participant.Facts(uid: recording.uid)
        facts.name = recording.name
        facts.mid = meeting
        facts.hasLeft = true
        return Participant(facts)
    }

    /// Who had started a recording that is over: as they are now, if they are still there.
    func recorder(_ recording: CallSnapshot.Recording, now: PeopleView) -> Participant {
        now.snapshot?.meeting == meeting ? now.recorder(recording) : recorder(recording)
    }

    func status(_ person: CallSnapshot.Person) -> ParticipantStatus {
        var status = ParticipantStatus()
        status.isAudioMuted = person.audio == .muted
        status.isVideoPaused = person.video == .paused
        status.isPresenting = person.isPresenting
        status.isHandRaised = person.hand != nil
        status.handRaisedAt = raisedAt(person)
        status.isPinned = person.slot == pinned
        status.isSpotlit = spotlight.contains(person.slot)
        status.isDominantSpeaker = person.slot == dominant
        status.isReconnecting = person.isReconnecting
        status.isAudioLocked = person.isAudioLocked
        status.isVideoLocked = person.isVideoLocked
        status.isUnmuteRequested = person.unmuteRequest != nil
        return status
    }

    private func facts(_ person: CallSnapshot.Person) -> Participant.Facts {
        let isLocal = person.slot == ownPerson && ownPerson != 0
        let ownID = isLocal ? person.devices.first { $0.slot == ownDevice }?.deviceID : nil
        var facts = Participant.Facts(uid: person.uid)
        facts.name = person.name
        facts.avatar = person.avatar
        facts.mid = meeting
        facts.joinedAt = Int(clamping: person.joinedAt / 1_000)
        facts.deviceID = ownID ?? person.devices.first?.deviceID
        facts.status = status(person)
        facts.role = person.role.word
        facts.attributes = Dictionary(person.attributes.map { ($0.key.string, $0.value) }) { first, _ in first }
        facts.devices = person.devices.map(ParticipantDevice.init)
        facts.isLocal = isLocal
        return facts
    }

    private func raisedAt(_ person: CallSnapshot.Person) -> Date? {
        if person.hand == nil { return nil }
        return Date(ms: person.handRaisedAt ?? handAskedAt)
    }
}

extension ParticipantDevice {
    fileprivate init(_ device: CallSnapshot.Device) {
        self.init(
            deviceID: device.deviceID,
            isAudioMuted: device.audio == .muted,
            isVideoPaused: device.video == .paused,
            isPresenting: device.isPresenting,
            isReconnecting: device.isReconnecting,
            joinedAt: Date(ms: device.joinedAt),
            clientName: device.clientName
        )
    }
}

extension Role {
    /// The word for the role.
    fileprivate var word: String {
        switch self {
        case .participant: "participant"
        case .moderator: "moderator"
        default: "role-\(rawValue)"
        }
    }
}

extension Date {
    /// A time of the relay, in ms since 1970.
    init(ms: UInt64) {
        self.init(timeIntervalSince1970: Double(ms) / 1_000)
    }
}
