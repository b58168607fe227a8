import Randomness

@testable import CallState

/// A call that lives a random life by the relay's own operations, with the state after each commit.
struct RandomHistory {
    var random: SplitMix64
    var state = CallState()
    /// The state after each commit, beginning with the empty call.
    var states: [CallState] = []
    /// When each state came to be, ms since 1970.
    private(set) var times: [UInt64] = []
    /// Whether tombstones are dropped on the way.
    var dropsTombstones: Bool
    /// The slots whose tombstones were dropped.
    var forgotten: [Slot] = []
    private var clock: UInt64 = 1_700_000_000_000
    private var meetings = 0

    init(seed: UInt64, commits: Int, dropsTombstones: Bool = false) {
        random = SplitMix64(seed: seed)
        self.dropsTombstones = dropsTombstones
        state.beginEpoch(1 + seed % 1000)
        states.append(state)
        times.append(clock)
        while states.count <= commits { step() }
    }

    /// One commit, or an attempt that changes nothing or is undone.
    mutating func step() {
        clock += UInt64(random.below(5000))
        if state.call.meetingID == nil, meetings > 0 { state.beginEpoch(state.position.epoch + 1) }
        state.beginCommit()
        for _ in 0...random.below(3) { change() }
        if random.oneIn(8) {
            state.rollbackCommit()
            return
        }
        if state.endCommit() {
            states.append(state)
            times.append(clock)
        }
        if dropsTombstones, random.oneIn(6) {
            let held = state.position.seq > 4 ? state.position.seq - UInt64(random.below(5)) : 0
            state.dropTombstones(through: held) { forgotten.append($0) }
            states[states.count - 1] = state
        }
    }

    /// A change inside the running commit.
    mutating func change() {
        if state.call.meetingID == nil { return begin() }
        switch random.below(100) {
        case 0..<12: join()
        case 12..<19: leave()
        case 19..<59: changeDevice()
        case 59..<80: changePerson()
        case 80..<92: changeCall()
        case 92..<98: changePolicy()
        case 98: changeUnknown()
        default: if random.oneIn(6) { state.endMeeting(at: clock) }
        }
    }

    private mutating func begin() {
        meetings += 1
        state.beginMeeting(ByteString("m-\(meetings)"), at: clock, grace: 15_000, idle: 300_000)
        join()
    }

    private mutating func join() {
        let uid = ByteString("u\(random.below(12))")
        let person =
            state.personSlot(uid: uid)
            ?? state.addPerson(uid: uid, name: text(), avatar: text(), role: Role(rawValue: number(2)), at: clock)
        let id = ByteString("d\(random.below(3))")
        if let device = state.deviceSlot(of: person, id: id) {
            state.setInitialFacts(of: device, audioMuted: flag(), videoPaused: flag(), presenting: flag())
            state.restoreLink(of: device)
        } else {
            _ = state.addDevice(
                person: person,
                id: id,
                clientName: text(),
                audioMuted: flag(),
                videoPaused: flag(),
                presenting: random.oneIn(5),
                at: clock
            )
        }
    }

    private mutating func leave() {
        guard let device = state.deviceSlots.randomElement(using: &random) else { return }
        let reason = LeaveReason(rawValue: number(6))
        if random.oneIn(3), let person = state.owner(of: device) {
            state.removePerson(person, at: clock, reason: reason)
        } else {
            state.removeDevice(device, at: clock, reason: reason)
        }
        if state.peopleCount == 0 { state.endMeeting(at: clock) }
    }

    private mutating func changeDevice() {
        guard let device = state.deviceSlots.randomElement(using: &random) else { return }
        switch random.below(6) {
        case 0: state.setAudioMuted(flag(), of: device)
        case 1: state.setVideoPaused(flag(), of: device)
        case 2: state.setPresenting(flag(), of: device)
        case 3: state.loseLink(of: device, until: clock + 15_000)
        case 4: state.restoreLink(of: device)
        default: state.setClientName(text(), of: device)
        }
    }

    private mutating func changePerson() {
        guard let person = state.personSlots.randomElement(using: &random) else { return }
        switch random.below(12) {
        case 0: state.setName(text(), of: person)
        case 1: state.setAvatar(text(), of: person)
        case 2: state.setRole(Role(rawValue: number(3)), of: person)
        case 3: state.setAudioLocked(flag(), of: person)
        case 4: state.setVideoLocked(flag(), of: person)
        case 5: state.requestUnmute(of: person, byUID: "u1", until: clock + 10_000)
        case 6: state.withdrawUnmuteRequest(of: person)
        case 7: state.setAttribute(key(), of: person, to: random.oneIn(2) ? nil : [UInt8(number(250))])
        case 8, 9: state.lowerHand(of: person)
        default: state.raiseHand(of: person, at: clock)
        }
    }

    private mutating func changeCall() {
        let person = state.personSlots.randomElement(using: &random)
        switch random.below(8) {
        case 0: state.setTitle(text())
        case 1: state.setCallLocked(flag())
        case 2: state.setCallAttribute(key(), to: random.oneIn(2) ? nil : Array(text().bytes))
        case 3: if let person { state.startRecording(by: person, at: clock) }
        case 4: state.stopRecording()
        case 5: state.setSpotlight(state.personSlots.shuffled(using: &random).dropLast(random.below(4)))
        case 6: state.setDominantSpeaker(random.oneIn(4) ? nil : person)
        default: _ = random.oneIn(2) ? state.lowerAllHands(except: person) : state.muteEverybody(except: person)
        }
    }

    private mutating func changePolicy() {
        switch random.below(8) {
        case 0: state.setModeration(Moderation(rawValue: number(2)))
        case 1: state.setStandingMute(flag())
        case 2: state.setStandingCameraOff(flag())
        case 3: state.setHandsEnabled(!random.oneIn(4))
        case 4: state.setPresenters(Presenters(rawValue: number(2)))
        case 5: state.setGrace(UInt64(number(120_000)))
        case 6: state.setIdle(UInt64(number(2) * 300_000))
        default: state.pauseEverybody()
        }
    }

    /// What a later version of the protocol may bring: a kind and fields that nobody knows yet.
    private mutating func changeUnknown() {
        let slot = random.oneIn(3) ? state.append(RecordKind(rawValue: 6 + number(8))) : Slot.call
        state.set(100 + number(2), of: slot, to: .number(UInt64(number(3))))
        state.setEntry(200, key: key(), of: slot, to: random.oneIn(2) ? nil : [1])
        if slot == .call, random.oneIn(2) { state.clear(100, of: slot) }
    }

    private mutating func flag() -> Bool { random.oneIn(2) }
    private mutating func number(_ bound: UInt32) -> UInt32 { UInt32(random.below(Int(bound))) }
    private mutating func text() -> ByteString { ["", "ana", "ben", "Chloë", "\u{65}\u{301}", "dan"][random.below(6)] }
    private mutating func key() -> ByteString { ByteString("k\(random.below(4))") }
}
