import CallState
import Rollcall
import RollcallCalls
import RollcallProtocol

/// A ``SessionCore`` and the call that it is about, changed by hand.
struct CoreScript {
    /// The call as the client has it.
    var state = CallState()
    var core = SessionCore()
    var connection = ConnectionState.live
    var losses: UInt64 = 0
    /// What the client has asked for and the relay has not answered.
    var asking: [Setting] = []
    let uid: ByteString
    private var revision: UInt64 = 0

    static let cut = RollcallError(code: .linkLost, message: "cut")

    /// A call with these people, at rest; the client is `own`.
    init(own: ByteString = "ana", _ uids: ByteString...) {
        uid = own
        state.beginEpoch(1)
        commit { state in
            state.beginMeeting("m-1", at: 1_000_000, grace: 15_000, idle: 300_000)
            for uid in uids { state.join(uid) }
        }
    }

    mutating func commit(_ body: (inout CallState) -> Void) {
        state.beginCommit()
        body(&state)
        _ = state.endCommit()
        revision += 1
    }

    /// The snapshot that the client shows.
    var snapshot: CallSnapshot {
        let person = state.personSlot(uid: uid) ?? 0
        let device = state.deviceSlots(of: person).first ?? 0
        return CallSnapshot(state, session: "standup", person: person, device: device, asking: asking)
    }

    var reading: CallReading {
        CallReading(snapshot: snapshot, revision: revision, connection: connection, losses: losses)
    }

    /// Joins; gives what is in effect, as listeners are told.
    mutating func join(_ local: LocalState = LocalState()) -> [String] {
        core.begin(reading, state: snapshot, local: local)
        return core.replay.map(\.short)
    }

    /// What listeners are told in one turn.
    mutating func turn() -> [String] { callbacks().map(\.short) }

    mutating func callbacks() -> [Callback] { core.advance(to: reading).flatMap(\.callbacks) }

    /// Asks for something, which shows at once.
    mutating func ask(_ change: Setting.Change) {
        asking.append(Setting(change))
        revision += 1
    }

    /// The relay has answered everything.
    mutating func answer() {
        asking = []
        revision += 1
    }

    mutating func lose() {
        if connection.isLive { losses += 1 }
        connection = .reconnecting(attempt: 1, cause: Self.cut)
        revision += 1
    }

    mutating func restore() {
        connection = .live
        revision += 1
    }

    mutating func close(_ code: RollcallError.Code?) {
        connection = .closed(code.map { .ended(RollcallError(code: $0, message: "over")) } ?? .left)
        asking = []
        revision += 1
    }
}

extension CallState {
    /// A person comes with one device, unmuted and with the camera on.
    mutating func join(_ uid: ByteString, device: ByteString = "laptop", at time: UInt64 = 1_000_000) {
        let person = personSlot(uid: uid) ?? addPerson(uid: uid, at: time)
        _ = addDevice(person: person, id: device, audioMuted: false, videoPaused: false, at: time)
    }

    /// The person's slot; the call's own, which is nobody, without one.
    func person(_ uid: ByteString) -> Slot { personSlot(uid: uid) ?? .call }

    /// The slot of one of the person's devices.
    func device(_ uid: ByteString, _ id: ByteString = "laptop") -> Slot {
        deviceSlot(of: person(uid), id: id) ?? .call
    }
}
