import CallState

extension CallState {
    /// Runs one commit; true when it made one.
    @discardableResult
    mutating func commit(_ body: (inout CallState) -> Void) -> Bool {
        beginCommit()
        body(&self)
        return endCommit()
    }

    /// A call in its first meeting with people of one device each, all at rest: slots 2, 4, 6 ...
    ///
    /// and 3, 5, 7 ...
    static func meeting(_ uids: ByteString...) -> CallState {
        var state = CallState()
        state.beginEpoch(1)
        state.commit { state in
            state.beginMeeting("m-1", at: 1000, grace: 15_000, idle: 300_000)
            for uid in uids { state.join(uid) }
        }
        return state
    }

    /// A person comes with one device, unmuted and with the camera on.
    mutating func join(_ uid: ByteString, device: ByteString = "laptop", at: UInt64 = 1000) {
        let person = personSlot(uid: uid) ?? addPerson(uid: uid, at: at)
        _ = addDevice(person: person, id: device, audioMuted: false, videoPaused: false, at: at)
    }

    /// The difference from `seq`.
    func diff(from seq: UInt64) -> Diff {
        var diff = Diff()
        self.diff(from: seq, into: &diff)
        return diff
    }

    /// A copy made of a snapshot.
    func copied() throws -> CallState {
        var copy = CallState()
        try copy.replace(with: diff(from: 0), at: position)
        return copy
    }

    /// The person `uid`, who must be there.
    subscript(_ uid: ByteString) -> Slot { personSlot(uid: uid)! }

    /// The person's only device.
    func device(of uid: ByteString) -> Slot { deviceSlots(of: self[uid])[0] }
}

extension Diff {
    /// A difference of hand-made records.
    static func of(_ records: (Slot, RecordKind, [Field])...) -> Diff {
        var diff = Diff()
        for (slot, kind, fields) in records { diff.add(slot, kind, fields) }
        return diff
    }

    mutating func add(_ slot: Slot, _ kind: RecordKind, _ fields: [Field]) {
        let start = self.fields.count
        self.fields += fields
        records.append(Record(slot: slot, kind: kind, fields: start..<self.fields.count))
    }

    mutating func addTombstone(_ slot: Slot) {
        let removal = Removal(at: 1, reason: .left)
        records.append(Record(slot: slot, kind: .removed, removal: removal, fields: fields.count..<fields.count))
    }

    /// The record of `slot` and its fields.
    func fields(of slot: Slot) -> [Field]? {
        records.first { $0.slot == slot }.map { Array(fields[$0.fields]) }
    }
}

extension Diff.Field {
    static func number(_ number: UInt32, _ value: UInt64) -> Self { .init(number: number, value: .number(value)) }
    static func text(_ number: UInt32, _ value: ByteString) -> Self {
        .init(number: number, value: .bytes(value.bytes))
    }
    static func cleared(_ number: UInt32) -> Self { .init(number: number, value: nil) }
    static func entry(_ number: UInt32, _ key: ByteString, _ value: [UInt8]?) -> Self {
        .init(number: number, key: key, value: value.map { .bytes($0) })
    }
}
