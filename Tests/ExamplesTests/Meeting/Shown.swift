import CallState
import Foundation
import Rollcall

@testable import Examples

/// What the three apps show that must be the same on every client: all but the own device and the pin.
struct Shown: Equatable {
    var people: [ParticipantListApp.Row] = []
    /// The people that a search finds.
    var found: [ParticipantListApp.Row] = []
    var title = ""
    var attendance: [ParticipantListApp.Attendance] = []
    var hands: [RaisedHandQueueApp.Row] = []
    var isRecording = false
    var participantCount = 0

    /// How many rows that is.
    var rowCount: Int { people.count + found.count + attendance.count + hands.count }
}

/// What a control panel shows of its own device.
struct OwnDevice: Hashable {
    var isAudioMuted: Bool
    var isVideoPaused: Bool
    var isPresenting: Bool
}

extension ParticipantListApp.Row {
    /// The row as it is on every client.
    var shared: Self {
        var row = self
        row.isLocal = false
        row.badges.removeAll { $0 == .pinned }
        return row
    }
}

extension Shown {
    /// What the apps must show of a call, made from the relay's own copy without the listener API.
    ///
    /// What a search finds is left out: it is compared among clients.
    init(_ state: CallState) {
        for person in state.people {
            var badges: [ParticipantListApp.Badge] = []
            if person.devices.allSatisfy(\.isAudioMuted) { badges.append(.muted) }
            if person.devices.allSatisfy(\.isVideoPaused) { badges.append(.cameraOff) }
            if person.devices.contains(where: \.isPresenting) { badges.append(.presenting) }
            if person.hand != nil { badges.append(.handRaised) }
            if person.devices.allSatisfy({ $0.link == .reconnecting }) { badges.append(.reconnecting) }
            let name = person.name.isEmpty ? person.uid.string : person.name.string
            people.append(
                ParticipantListApp.Row(uid: person.uid.string, name: name, badges: badges, isLocal: false)
            )
            attendance.append(
                ParticipantListApp.Attendance(uid: person.uid.string, name: name, joinedAt: Int(person.joinedAt / 1000))
            )
        }
        for (index, person) in state.raisedHands.enumerated() {
            hands.append(
                RaisedHandQueueApp.Row(
                    place: index + 1,
                    uid: person.uid.string,
                    name: person.name.isEmpty ? person.uid.string : person.name.string,
                    raisedAt: Date(timeIntervalSince1970: Double(person.hand?.at ?? 0) / 1000)
                )
            )
        }
        title = "Participants (\(people.count))"
        participantCount = people.count
        isRecording = state.call.recording != nil
    }
}

extension OwnDevice {
    /// The device in the relay's own copy; nil when it is not in it.
    init?(_ state: CallState, uid: String, device: String) {
        guard let person = state.personSlot(uid: ByteString(uid)),
            let slot = state.deviceSlot(of: person, id: ByteString(device)), let found = state.device(slot)
        else { return nil }
        self.init(
            isAudioMuted: found.isAudioMuted,
            isVideoPaused: found.isVideoPaused,
            isPresenting: found.isPresenting
        )
    }
}
