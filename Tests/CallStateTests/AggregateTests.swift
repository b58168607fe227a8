import CallState
import Testing

@Suite struct AggregateTests {
    @Test("R-49: muted when all are, presenting when any is, reconnecting when all are")
    func everyCombination() {
        for bits in 0..<64 {
            var state = CallState.meeting("ana")
            state.commit { state in
                state.join("ana", device: "phone")
                for (shift, device) in [(0, Slot(3)), (3, Slot(4))] {
                    state.setAudioMuted(bits >> shift & 1 == 1, of: device)
                    state.setPresenting(bits >> shift & 2 == 2, of: device)
                    if bits >> shift & 4 == 4 { state.loseLink(of: device, until: 1) }
                }
            }
            let aggregate = state.person(2)!.aggregate
            #expect(aggregate.isAudioMuted == (bits & 0b001001 == 0b001001))
            #expect(aggregate.isPresenting == (bits & 0b010010 != 0))
            #expect(aggregate.link == (bits & 0b100100 == 0b100100 ? .reconnecting : .active))
            #expect(!aggregate.isVideoPaused)
        }
    }

    @Test("R-49: a device counts while it is reconnecting and until it has left")
    func leaving() {
        var state = CallState.meeting("ana")
        state.commit { state in
            state.join("ana", device: "phone")
            state.setAudioMuted(true, of: 3)
            state.loseLink(of: 4, until: 1)
        }
        #expect(!state.person(2)!.aggregate.isAudioMuted)
        state.commit { $0.removeDevice(4, at: 1, reason: .lost) }
        #expect(state.person(2)!.aggregate.isAudioMuted)
    }
}
