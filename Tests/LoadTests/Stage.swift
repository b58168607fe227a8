import CallState
import Foundation
import Testing
import Traces

/// A call state that is changed by the steps of a plan, as a relay would: something to convert.
struct Stage {
    private(set) var state = CallState()
    private var time: UInt64 = 1000

    mutating func apply(_ action: PlanAction) throws {
        time += 1
        state.beginCommit()
        defer { _ = state.endCommit() }
        switch action {
        case .join(let device, let facts): try join(device, facts)
        case .leave(let device, _), .lost(let device, _):
            let slot = try slot(device)
            state.removeDevice(slot, at: time, reason: .left)
            if state.peopleCount == 0 { state.endMeeting(at: time) }
        case .setAudioMuted(let device, let muted): state.setAudioMuted(muted, of: try slot(device))
        case .setVideoPaused(let device, let paused): state.setVideoPaused(paused, of: try slot(device))
        case .setPresenting(let device, let presenting): state.setPresenting(presenting, of: try slot(device))
        case .raiseHand(let via): state.raiseHand(of: try person(via.uid), at: time)
        case .lowerHand(let uid, _):
            if let slot = state.personSlot(uid: ByteString(uid)) { state.lowerHand(of: slot) }
        case .setRecording(true, let via): state.startRecording(by: try person(via.uid), at: time)
        case .setRecording(false, _): state.stopRecording()
        case .rename(let name, let via): state.setName(ByteString(name), of: try person(via.uid))
        case .setCallAttribute(let key, let value, _):
            state.setCallAttribute(ByteString(key), to: value.map { Array($0.utf8) })
        case .stateDominantSpeaker(let uid): state.setDominantSpeaker(try uid.map { try person($0) })
        case .setSpeaking, .check: break
        }
    }

    private mutating func join(_ device: TraceDevice, _ facts: InitialFacts) throws {
        let uid = ByteString(device.uid)
        if state.peopleCount == 0 { state.beginMeeting("m", at: time, grace: 0, idle: 0) }
        let person = state.personSlot(uid: uid) ?? state.addPerson(uid: uid, at: time)
        let id = ByteString(device.device)
        let slot = state.deviceSlot(of: person, id: id) ?? state.addDevice(person: person, id: id, at: time)
        state.setInitialFacts(
            of: slot,
            audioMuted: facts.audioMuted,
            videoPaused: facts.videoPaused,
            presenting: false
        )
    }

    private func person(_ uid: String) throws -> Slot { try #require(state.personSlot(uid: ByteString(uid))) }

    private func slot(_ device: TraceDevice) throws -> Slot {
        try #require(state.deviceSlot(of: try person(device.uid), id: ByteString(device.device)))
    }
}

/// The seed of a random test: printed, and taken back from `LOAD_SEED`.
func loadSeed() -> UInt64 {
    let given = ProcessInfo.processInfo.environment["LOAD_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0..<1 << 53)
    print("LOAD_SEED=\(seed)")
    return seed
}
