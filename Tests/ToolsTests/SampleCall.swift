import CallState

/// The call of the documentation: ana presents, ben is muted and reconnecting with his hand up, chloe has two devices.
struct SampleCall {
    /// 2026-11-30T14:00:00Z.
    static let begin: UInt64 = 1_796_047_200_000

    var state = CallState()
    private(set) var ana: Slot = 0
    private(set) var ben: Slot = 0
    private(set) var chloe: Slot = 0

    init() {
        state.beginEpoch(1)
        var slots: [Slot] = []
        commit { state in
            state.beginMeeting("m1", at: Self.begin, grace: 15_000, idle: 300_000)
            slots.append(state.addPerson(uid: "ana", at: Self.begin))
            _ = state.addDevice(
                person: slots[0],
                id: "laptop",
                audioMuted: false,
                videoPaused: false,
                presenting: true,
                at: Self.begin
            )
        }
        commit { state in
            slots.append(state.addPerson(uid: "ben", name: "Ben", at: Self.begin + 6000))
            _ = state.addDevice(person: slots[1], id: "phone", videoPaused: false, at: Self.begin + 6000)
        }
        commit { state in
            slots.append(state.addPerson(uid: "u-3", name: "Chloe", role: .moderator, at: Self.begin + 40_000))
            _ = state.addDevice(person: slots[2], id: "laptop", audioMuted: false, at: Self.begin + 40_000)
        }
        commit { _ = $0.addDevice(person: slots[2], id: "phone", at: Self.begin + 50_000) }
        commit { $0.raiseHand(of: slots[1], at: Self.begin + 60_000) }
        commit { $0.raiseHand(of: slots[2], at: Self.begin + 61_000) }
        commit { state in
            state.loseLink(of: state.deviceSlots(of: slots[1])[0], until: Self.begin + 139_000)
        }
        commit { state in
            state.startRecording(by: slots[0], at: Self.begin + 70_000)
            state.setDominantSpeaker(slots[2])
        }
        (ana, ben, chloe) = (slots[0], slots[1], slots[2])
    }

    /// Changes the call in one commit.
    mutating func commit(_ body: (inout CallState) -> Void) {
        state.beginCommit()
        body(&state)
        _ = state.endCommit()
    }

    /// The changes that a commit makes.
    func after(_ body: (inout CallState) -> Void) -> CallState {
        var copy = self
        copy.commit(body)
        return copy.state
    }

    func device(_ person: Slot, _ index: Int = 0) -> Slot { state.deviceSlots(of: person)[index] }
}
