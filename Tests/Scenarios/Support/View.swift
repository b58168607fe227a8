import CallState
import Foundation
import Rollcall
import RollcallCalls

/// What a session's queries answer at one moment, as an app would show it.
struct View: Hashable, Sendable {
    /// One row of a list of participants: all that is the same for everybody.
    struct Row: Hashable, Sendable {
        var uid: String
        var name: String?
        var isMuted: Bool
        var isPaused: Bool
        var isPresenting: Bool
        /// When the hand went up, ms since 1970; nil is down.
        var handAt: Int?
        var isReconnecting: Bool
        var isSpotlit: Bool
        var isDominant: Bool
        var isAudioLocked: Bool
        var role: String
        var attributes: [String: [UInt8]]
        var devices: [String]
        var joinedAt: Int
        /// All that the session says about what the person does; nil by the relay's word.
        var status: ParticipantStatus?
    }

    /// What the own device does.
    struct Media: Hashable, Sendable {
        var isMuted = false
        var isPaused = false
        var isPresenting = false
    }

    /// The people in order of joining.
    var rows: [Row] = []
    /// The raised hands in the order of the queue.
    var hands: [String] = []
    /// Who records; nil is nobody.
    var recorder: String?
    /// Since when, ms since 1970.
    var recordingSince: Int?
    var dominant: String?
    var meeting: String?
    var title: String?
    var position: Position?

    // What is this client's own.
    var pinned: String?
    var media: Media?
    var layout = LayoutType.tile
    var audioMode = AudioMode.speaker

    /// Nothing and nobody.
    init() {}

    /// What a session answers now.
    init(_ session: CallSession) {
        rows = session.participants.map(Row.init)
        hands = session.raisedHands.map(\.uid)
        recorder = session.recording?.participant.uid
        recordingSince = session.recording.map { milliseconds($0.since) }
        dominant = session.dominantSpeaker?.uid
        meeting = session.meetingID
        title = session.title
        position = session.position
        pinned = session.pinnedParticipant?.uid
        media = session.localMedia.map {
            Media(isMuted: $0.isAudioMuted, isPaused: $0.isVideoPaused, isPresenting: $0.isPresenting)
        }
        layout = session.layout
        audioMode = session.audioMode
    }

    /// What a session should answer, by the relay's own word.
    init(_ snapshot: CallSnapshot) {
        rows = snapshot.people.map { Row($0, in: snapshot) }
        hands = snapshot.raisedHands.map(\.uid)
        recorder = snapshot.recording?.uid
        recordingSince = snapshot.recording.map { Int($0.since) }
        dominant = snapshot.dominantSpeaker?.uid
        meeting = snapshot.meeting
        title = snapshot.title.isEmpty ? nil : snapshot.title
        position = snapshot.position
    }

    /// Without what is each client's own.
    var shared: View {
        var view = self
        for index in rows.indices { view.rows[index].status = nil }
        (view.pinned, view.media, view.layout, view.audioMode) = (nil, nil, .tile, .speaker)
        return view
    }

    /// The row of a person; nil when it is not there.
    subscript(uid: String) -> Row? { rows.first { $0.uid == uid } }

    /// The position, for people.
    var place: String { position.map { "\($0)" } ?? "nowhere" }

    /// The uids in order of joining.
    var uids: [String] { rows.map(\.uid) }

    /// What differs from another view, in words; empty when nothing does.
    func differences(from other: View) -> [String] {
        var differences: [String] = []
        func compare<Value: Equatable>(_ name: String, _ path: KeyPath<View, Value>) {
            let (own, others) = (self[keyPath: path], other[keyPath: path])
            if own != others { differences.append("\(name): \(own) instead of \(others)") }
        }
        compare("people", \.uids)
        for row in rows {
            guard let others = other[row.uid], others != row else { continue }
            differences.append("\(row) instead of \(others)")
        }
        compare("hands", \.hands)
        compare("recorder", \.recorder)
        compare("recording since", \.recordingSince)
        compare("dominant speaker", \.dominant)
        compare("meeting", \.meeting)
        compare("title", \.title)
        compare("position", \.position)
        compare("pin", \.pinned)
        compare("own media", \.media)
        return differences
    }
}

extension View.Row {
    fileprivate init(_ participant: Participant) {
        let status = participant.status
        uid = participant.uid ?? ""
        name = participant.name
        isMuted = status.isAudioMuted
        isPaused = status.isVideoPaused
        isPresenting = status.isPresenting
        handAt = status.handRaisedAt.map(milliseconds)
        isReconnecting = status.isReconnecting
        isSpotlit = status.isSpotlit
        isDominant = status.isDominantSpeaker
        isAudioLocked = status.isAudioLocked
        role = participant.role
        attributes = participant.attributes
        devices = participant.devices.map(\.deviceID)
        joinedAt = participant.joinedAt
        self.status = status
    }

    fileprivate init(_ person: CallSnapshot.Person, in snapshot: CallSnapshot) {
        uid = person.uid
        name = person.name.isEmpty ? nil : person.name
        isMuted = person.audio == .muted
        isPaused = person.video == .paused
        isPresenting = person.isPresenting
        handAt = snapshot.confirmed.person(person.slot)?.hand.map { Int($0.at) }
        isReconnecting = person.isReconnecting
        isSpotlit = snapshot.spotlight.contains { $0.slot == person.slot }
        isDominant = snapshot.dominantSpeaker?.slot == person.slot
        isAudioLocked = person.isAudioLocked
        role = person.role == .moderator ? "moderator" : "participant"
        attributes = Dictionary(uniqueKeysWithValues: person.attributes.map { ($0.key.string, $0.value) })
        devices = person.devices.map(\.deviceID)
        joinedAt = Int(person.joinedAt / 1_000)
    }
}

/// A time in ms since 1970.
private func milliseconds(_ date: Date) -> Int { Int((date.timeIntervalSince1970 * 1_000).rounded()) }
