import CallState
package import Rollcall
package import Traces

extension ReferenceView {
    /// What a client of the library sees, in the terms of the reference model.
    ///
    /// It reads what an app reads: the people with their aggregates and the places of their hands.
    ///
    /// - Parameter isElected: whether the relay elects the dominant speaker, which the model then leaves open.
    package init(_ snapshot: CallSnapshot, isElected: Bool) {
        let speaker: DominantSpeaker =
            isElected ? .elected : snapshot.dominantSpeaker.map { .person($0.uid) } ?? .nobody
        var attributes: [String: String] = [:]
        for attribute in snapshot.attributes {
            attributes[attribute.key.string] = String(decoding: attribute.value, as: UTF8.self)
        }
        self.init(
            people: snapshot.people.map { Person($0) },
            recordingBy: snapshot.recording?.uid,
            dominantSpeaker: speaker,
            attributes: attributes
        )
    }
}

extension ReferenceView.Person {
    fileprivate init(_ person: CallSnapshot.Person) {
        self.init(
            uid: person.uid,
            // The model knows no empty names: nobody was given one.
            name: person.name.isEmpty ? nil : person.name,
            devices: person.devices.map { ReferenceView.Device($0) },
            audioMuted: person.audio == .muted,
            videoPaused: person.video == .paused,
            presenting: person.isPresenting,
            handPlace: person.hand
        )
    }
}

extension ReferenceView.Device {
    fileprivate init(_ device: CallSnapshot.Device) {
        self.init(
            device: device.deviceID,
            audioMuted: device.audio == .muted,
            videoPaused: device.video == .paused,
            presenting: device.isPresenting
        )
    }
}
