extension ReferenceModel {
    /// What the model shows otherwise than the source's server said; see ``ReferenceView/failures(of:guests:)``.
    public func failures(of check: TraceCheck) -> [String] {
        view.failures(of: check, guests: guests)
    }
}

extension ReferenceView {
    /// What this view shows otherwise than the source's server said, a line for each; empty when it holds.
    ///
    /// Counts are of connections. A queue that holds one person twice counts the first place; its order is
    /// compared only where the trace says that it agrees. Participants are the telephone lines, in no order.
    ///
    /// - Parameter guests: uids beside those of the trace; they are not counted.
    public func failures(of check: TraceCheck, guests: Set<String> = []) -> [String] {
        let people = people.filter { !guests.contains($0.uid) }
        switch check.statement {
        case .counts(let joined, let audioOn, let videoOn):
            let devices = people.flatMap(\.devices)
            let rows: [(String, Int, Int?)] = [
                ("joined", devices.count, joined),
                ("microphones on", devices.count { !$0.audioMuted }, audioOn),
                ("cameras on", devices.count { !$0.videoPaused }, videoOn),
            ]
            return rows.compactMap { name, actual, wanted in
                guard let wanted, wanted != actual else { return nil }
                return "\(name): \(actual), the source's server says \(wanted)"
            }
        case .queue(let queue):
            var wanted: [String] = []
            for uid in queue where !wanted.contains(uid) { wanted.append(uid) }
            let actual = hands.filter { !guests.contains($0) }
            if check.agreesInOrder ? actual == wanted : actual.sorted() == wanted.sorted() { return [] }
            return ["hands: \(actual), the source's server says \(wanted)"]
        case .participants(let participants):
            let lines = people.flatMap { person in
                person.devices.map { TraceDevice(uid: person.uid, device: $0.device) }
            }
            let actual = Set(lines.filter { $0.device.hasPrefix("sip-") })
            let wanted = Set(participants)
            return actual.subtracting(wanted).map { "\($0): a line that the source's server does not have" }.sorted()
                + wanted.subtracting(actual).map { "\($0): missing, the source's server has this line" }.sorted()
        }
    }
}
