import CallState
import Randomness

/// A call that lives a random life by the relay's own operations, and what a relay gives to a store of it.
struct RandomCall {
    let session: ByteString
    private(set) var state = CallState()
    private var random: SplitMix64
    private var clock: UInt64 = 1_700_000_000_000
    private var meetings = 0
    /// What the store is known to have.
    private(set) var kept: UInt64 = 0
    private var gone: [Slot] = []
    private var attendance: [TimedAttendanceChange] = []
    private var privates: [UInt64: [UInt8]?] = [:]
    private var changes: [AttendanceChange] = []

    init(_ session: ByteString, seed: UInt64) {
        self.session = session
        random = SplitMix64(seed: seed)
    }

    var isOccupied: Bool { state.peopleCount > 0 }

    /// Goes on with what was kept, in a new epoch.
    mutating func resume(_ kept: KeptCall, epoch: UInt64) throws {
        state = try CallState(restoring: kept)
        state.beginEpoch(epoch)
        self.kept = state.position.seq
        gone = []
        attendance = []
        privates = [:]
    }

    /// Begins an epoch that the store has given, with nothing kept.
    mutating func begin(epoch: UInt64) {
        state = CallState()
        state.beginEpoch(epoch)
        kept = 0
        gone = []
        attendance = []
        privates = [:]
    }

    /// Everything since what the store has.
    func batch(isClean: Bool = false) -> CallBatch {
        var header = KeptHeader(state)
        header.clock = clock
        header.isOccupied = isOccupied
        header.isClean = isClean
        header.history = meetings > 1 ? [Position(epoch: 3, seq: UInt64(meetings))] : []
        header.rules = [UInt8(truncatingIfNeeded: meetings), 0, 255]
        var batch = CallBatch(session: session, from: kept, header: header)
        state.appendKept(since: kept, to: &batch.records)
        batch.gone = gone.sorted()
        batch.privates = privates.sorted { $0.key < $1.key }.map { KeptPrivate(key: $0.key, bytes: $0.value) }
        batch.attendance = attendance
        return batch
    }

    /// The store has kept the last batch.
    mutating func keeps(_ batch: CallBatch) {
        kept = batch.header.position.seq
        gone = []
        attendance = []
        privates = [:]
    }

    /// Some commits.
    mutating func live(_ commits: Int) {
        for _ in 0..<commits { step() }
    }

    private mutating func step() {
        clock += UInt64(random.below(5_000))
        state.beginCommit()
        for _ in 0...random.below(3) { change() }
        if random.oneIn(10) {
            state.rollbackCommit()
            return
        }
        guard state.endCommit() else { return }
        if state.lastCommitChangesAttendance {
            state.appendAttendanceChanges(to: &changes)
            attendance += changes.map { TimedAttendanceChange(at: clock, $0) }
            changes.removeAll()
        }
        let key = UInt64(random.below(6)) | (random.oneIn(9) ? 1 << 63 : 0)
        privates[key] = .some(random.oneIn(3) ? nil : (0..<random.below(80)).map { _ in UInt8(random.below(256)) })
        if random.oneIn(5) {
            let held = state.position.seq > 5 ? state.position.seq - UInt64(random.below(5)) : 0
            state.dropTombstones(through: held) { gone.append($0) }
        }
    }

    private mutating func change() {
        guard state.call.meetingID != nil else {
            meetings += 1
            let name = ByteString("\(session)-\(meetings)-\(clock)")
            state.beginMeeting(name, at: clock, grace: 15_000, idle: 300_000)
            return join()
        }
        switch random.below(24) {
        case 0..<6: join()
        case 6..<9: leave()
        case 9..<14: changeDevice()
        case 14..<19: changePerson()
        case 19..<23: changeCall()
        default: if random.oneIn(8) { state.endMeeting(at: clock) }
        }
    }

    private mutating func join() {
        let uid = ByteString("u\(random.below(9))")
        let person =
            state.personSlot(uid: uid)
            ?? state.addPerson(uid: uid, name: text(), avatar: text(), role: Role(rawValue: 1), at: clock)
        let id = ByteString("d\(random.below(3))")
        if let device = state.deviceSlot(of: person, id: id) {
            _ = state.restoreLink(of: device)
        } else {
            _ = state.addDevice(
                person: person,
                id: id,
                clientName: text(),
                audioMuted: random.oneIn(2),
                videoPaused: random.oneIn(2),
                presenting: false,
                at: clock
            )
        }
    }

    private mutating func leave() {
        guard let device = state.deviceSlots.randomElement(using: &random) else { return }
        _ = state.removeDevice(device, at: clock, reason: .left)
        if state.peopleCount == 0 { state.endMeeting(at: clock) }
    }

    private mutating func changeDevice() {
        guard let device = state.deviceSlots.randomElement(using: &random) else { return }
        switch random.below(5) {
        case 0: _ = state.setAudioMuted(random.oneIn(2), of: device)
        case 1: _ = state.setVideoPaused(random.oneIn(2), of: device)
        case 2: _ = state.setPresenting(random.oneIn(2), of: device)
        case 3: _ = state.loseLink(of: device, until: clock + 15_000)
        default: _ = state.restoreLink(of: device)
        }
    }

    private mutating func changePerson() {
        guard let person = state.personSlots.randomElement(using: &random) else { return }
        switch random.below(6) {
        case 0: _ = state.setName(text(), of: person)
        case 1: _ = state.setAvatar(text(), of: person)
        case 2: _ = state.setAttribute(key(), of: person, to: random.oneIn(2) ? nil : Array(text().bytes))
        case 3: _ = state.lowerHand(of: person)
        case 4: _ = state.setAudioLocked(random.oneIn(2), of: person)
        default: _ = state.raiseHand(of: person, at: clock)
        }
    }

    private mutating func changeCall() {
        let person = state.personSlots.randomElement(using: &random)
        switch random.below(5) {
        case 0: _ = state.setTitle(text())
        case 1: _ = state.setCallAttribute(key(), to: random.oneIn(2) ? nil : [1, 2, 0])
        case 2: if let person { _ = state.startRecording(by: person, at: clock) }
        case 3: _ = state.stopRecording()
        default: _ = state.setDominantSpeaker(person)
        }
    }

    private mutating func text() -> ByteString {
        ["", "ana", "ben", "Chloë", "\u{65}\u{301}", ByteString([0x61, 0, 0x62]), "it's \"quoted\""][random.below(7)]
    }
    private mutating func key() -> ByteString { ByteString("k\(random.below(4))") }
}
