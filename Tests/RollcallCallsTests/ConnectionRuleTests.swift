import CallState
import Foundation
import Rollcall
import RollcallCalls
import RollcallProtocol
import Testing

/// What listeners are told about losses and ends, and about what this client asks for.
@Suite("Rules of the connection and of what a client does")
struct ConnectionRuleTests {
    private func joined(_ own: ByteString = "ana") -> CoreScript {
        var script = CoreScript(own: own, "ana", "ben", "chloe")
        _ = script.join()
        return script
    }

    @Test("L-12: lost, then what changed, then restored")
    func lossInSteps() {
        var script = joined()
        script.lose()
        #expect(script.turn() == ["lost"])
        #expect(script.turn().isEmpty, "once")
        script.commit { $0.removePerson($0.person("ben"), at: 1, reason: .left) }
        #expect(script.turn() == ["left ben", "list ana,chloe"])
        script.restore()
        #expect(script.turn() == ["restored"])
    }

    @Test("L-12: a loss that is over already is told all the same, in order")
    func unseenLoss() {
        var script = joined()
        script.lose()
        script.commit { $0.setAudioMuted(true, of: $0.device("ben")) }
        script.restore()
        let batches = script.core.advance(to: script.reading)
        #expect(batches.flatMap(\.callbacks).map(\.short) == ["lost", "muted ben", "status ben", "restored"])
        #expect(batches.map(\.model.isLost) == [true, true, false])
        #expect(batches[0].model.snapshot?.person(uid: "ben")?.audio == .on, "what was known at the loss")
    }

    @Test("L-12: while the copy is on its way nothing is told, and nothing half is shown")
    func halfWay() {
        var script = joined()
        script.lose()
        _ = script.turn()
        script.commit { $0.setAudioMuted(true, of: $0.device("ben")) }
        var reading = script.reading
        reading.snapshot = nil
        #expect(script.core.advance(to: reading).isEmpty)
        #expect(script.core.latest(reading).snapshot?.person(uid: "ben")?.audio == .on)
        script.restore()
        #expect(script.turn() == ["muted ben", "status ben", "restored"])
    }

    @Test("L-3 L-12: who listens while the connection is lost is told so")
    func lateListenerInLoss() {
        var script = joined()
        script.lose()
        _ = script.turn()
        #expect(script.core.replay.prefix(2).map(\.short) == ["session joined", "lost"])
    }

    @Test("L-13: away for too long: this person has left and joined, nobody's left is missing")
    func expired() {
        var script = joined()
        script.lose()
        _ = script.turn()
        script.commit { state in
            state.removePerson(state.person("ana"), at: 1, reason: .lost)
            state.removePerson(state.person("ben"), at: 2, reason: .left)
        }
        #expect(script.turn().isEmpty, "a state without the own person is none to show")
        script.commit { $0.join("ana") }
        script.restore()
        #expect(script.turn() == ["left ana", "left ben", "joined ana", "list chloe,ana", "restored"])
    }

    @Test("L-13: away until another meeting: everybody of the old one has left")
    func anotherMeeting() {
        var script = joined()
        script.core.local.pin = .init(slot: script.state.person("ben"), meeting: "m-1", type: "pin")
        script.lose()
        _ = script.turn()
        script.commit { $0.endMeeting(at: 5) }
        script.state.beginEpoch(2)
        script.commit { state in
            state.beginMeeting("m-2", at: 2_000_000, grace: 1, idle: 1)
            state.join("ben")
            state.join("ana")
        }
        script.restore()
        #expect(
            script.turn() == [
                "left ana", "left ben", "left chloe", "joined ben", "joined ana", "list ben,ana", "restored",
            ]
        )
        #expect(script.core.local.pin == nil, "L-16")
    }

    @Test(
        "L-14: one terminal callback, and nothing after it",
        arguments: [
            (nil, SessionEndReason.left), (.removed, .removed), (.replaced, .replaced), (.staleAttempt, .replaced),
            (.idle, .timedOut), (.linkLost, .connectionClosed), (.unauthenticated, .connectionClosed),
        ] as [(RollcallError.Code?, SessionEndReason)]
    )
    func terminal(code: RollcallError.Code?, reason: SessionEndReason) {
        var script = joined()
        script.commit { $0.removePerson($0.person("ana"), at: 1, reason: .removed) }
        script.close(code)
        #expect(script.turn() == ["session ended \(reason)"])
        script.commit { $0.removePerson($0.person("ben"), at: 1, reason: .left) }
        #expect(script.turn().isEmpty && script.core.replay.isEmpty)
        #expect(script.core.shown.phase == .ended(reason))
        #expect(script.core.shown.snapshot?.people.map(\.uid) == ["ana", "ben", "chloe"], "L-5: as it was last")
    }

    @Test("L-14: what others did before the end is told before it")
    func changesBeforeEnd() {
        var script = joined()
        script.commit { $0.setAudioMuted(true, of: $0.device("ben")) }
        script.close(.linkLost)
        #expect(script.turn() == ["muted ben", "status ben", "session ended connectionClosed"])
    }

    @Test("L-14: what this client had asked for is not taken back at the end")
    func askingAtEnd() {
        var script = joined()
        script.ask(.audioMuted(true))
        _ = script.turn()
        script.close(nil)
        #expect(script.turn() == ["session ended left"])
    }

    @Test("L-12 L-14: lost, and closed because it can't be restored")
    func lostThenClosed() {
        var script = joined()
        script.lose()
        script.close(.linkLost)
        #expect(script.turn() == ["lost", "session ended connectionClosed"])
    }

    @Test("L-15: what is asked for shows at once; the relay's yes changes nothing more")
    func optimistic() {
        var script = joined()
        script.ask(.audioMuted(true))
        #expect(script.turn() == ["muted ana", "own muted", "status ana"])
        script.commit { $0.setAudioMuted(true, of: $0.device("ana")) }
        script.answer()
        #expect(script.turn().isEmpty)
    }

    @Test("L-15: a refusal takes it back, with an event")
    func refused() {
        var script = joined()
        script.ask(.audioMuted(true))
        _ = script.turn()
        script.answer()
        #expect(script.turn() == ["unmuted ana", "own unmuted", "status ana"])
    }

    @Test("L-15: the own hand has the time of this device until the relay has one")
    func handTime() {
        var script = joined()
        script.commit { $0.raiseHand(of: $0.person("ben"), at: 900_000) }
        _ = script.turn()
        script.core.local.handAskedAt = 1_500_000
        script.ask(.handRaised(true))
        #expect(script.turn() == ["raised ana", "hands ben,ana", "status ana"])
        script.commit { $0.raiseHand(of: $0.person("ana"), at: 1_400_000) }
        script.answer()
        let callbacks = script.callbacks()
        #expect(callbacks.map(\.short) == ["hands ben,ana", "status ana"])
        for case .raisedHandsChanged(let hands) in callbacks {
            #expect(hands.map { Int($0.raisedAt.timeIntervalSince1970) } == [900, 1_400])
            #expect(hands.map(\.place) == [1, 2])
        }
    }

    @Test("L-16: what is local is told, its sums too, and never asked of the relay")
    func local() {
        var script = joined()
        script.core.local.audioMode = .bluetooth
        script.core.local.cameraFacing = .REAR
        script.core.local.layout = .spotlight
        script.core.local.isParticipantListVisible = true
        script.core.local.isPictureInPicture = true
        #expect(
            script.turn() == [
                "audio mode bluetooth", "camera REAR", "layout spotlight", "list visible", "picture in picture",
            ]
        )
        script.core.local.isParticipantListVisible = false
        script.core.local.isParticipantListVisible = true
        #expect(script.turn().isEmpty)
    }

    @Test("L-16: a pin survives a reconnect, and another one takes its place")
    func pin() {
        var script = joined()
        script.core.local.pin = .init(slot: script.state.person("ben"), meeting: "m-1", type: "pin")
        #expect(script.turn() == ["status ben"])
        script.lose()
        script.commit { $0.setAudioMuted(true, of: $0.device("chloe")) }
        script.restore()
        #expect(script.turn() == ["lost", "muted chloe", "status chloe", "restored"])
        #expect(script.core.local.pin?.type == "pin")
        script.core.local.pin = .init(slot: script.state.person("chloe"), meeting: "m-1", type: "screen-share")
        #expect(script.turn() == ["status ben", "status chloe"])
    }
}
