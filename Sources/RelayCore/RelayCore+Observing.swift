import CallState
import RollcallProtocol

// A Join of an observer: who only looks, and who acts for others.
extension RelayCore {
    mutating func observe(_ join: Join, in call: Int, on index: Int) {
        guard calls[call]!.observers < configuration.maximumObservers else {
            let text = "the call has \(configuration.maximumObservers) observers, which is the limit"
            return close(index, Refusal(code: .limit, text: text))
        }
        let rights = rightsRule(index).observer
        let acts = rights.contains(.actForOthers)
        let follow = follow(join.resume, in: call, looks: !acts || !canResume(join))
        guard acts else {
            var record = PrivateRecord(incarnation: 0, secret: [])
            attach(index, to: call, record: &record, attempt: join.attempt)
            connections[index].role = .observer
            return welcome(index, join, .observer, record, device: 0, follow, in: call)
        }
        var record: PrivateRecord
        // First: all of the relay would be copied to work it out in between.
        let proof = join.resume?.secret ?? []
        if let place = actor(proving: proof, in: call) {
            record = comesBack(place, in: call, join, on: index)
            attach(index, to: call, record: &record, attempt: join.attempt)
            // Its place may be another one by now.
            if let place = self.place(ofActor: record.incarnation, in: call) { calls[call]!.actors[place] = record }
        } else {
            record = PrivateRecord(incarnation: nextIncarnation(), secret: canResume(join) ? secret() : [])
            attach(index, to: call, record: &record, attempt: join.attempt)
            calls[call]!.actors.append(record)
            if canResume(join) { mark(call, .actor(record.incarnation)) }
        }
        connections[index].role = .actor(record.incarnation)
        welcome(index, join, .observer, record, device: 0, follow, in: call)
    }

    /// The observer at `place` of its call's list comes back on another connection: the one that it had ends, and what
    /// it brought in has a link again.
    private mutating func comesBack(_ place: Int, in call: Int, _ join: Join, on index: Int) -> PrivateRecord {
        let record = calls[call]!.actors[place]
        mark(call, .actor(record.incarnation))
        if let connection = record.connection, let old = self.index(of: connection) {
            let isSame = record.instance == connections[index].instance
            close(old, replaced(join.uid, join.device, advice: isSame ? .now : .never))
        }
        restoreBrought(by: place, in: call)
        return record
    }

    private func actor(proving secret: [UInt8], in call: Int) -> Int? {
        secret.isEmpty ? nil : calls[call]!.actors.firstIndex { $0.proves(secret) }
    }

    /// Where an observer that acts for others is in its call's list.
    ///
    /// - Complexity: O(log *n*): whoever may act for others is such an observer, and a call may have thousands that
    ///   only look.
    func place(ofActor incarnation: UInt64, in call: Int) -> Int? {
        calls[call]!.actors.place(of: incarnation)
    }
}

// Of the list and not of its call, which would be copied to be asked.
extension [PrivateRecord] {
    /// Where the one of an incarnation is, in a list in order of incarnation.
    func place(of incarnation: UInt64) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].incarnation < incarnation { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].incarnation == incarnation ? low : nil
    }
}
