import CallState
import Rollcall
import RollcallCalls
import RollcallProtocol
import TestSupport
import Testing

@Suite("A. Late join: who is there, and what runs", .timeLimit(.minutes(5)))
struct LateJoinPresenceTests {
    @Test("A9: somebody who says nothing of microphone and camera is shown with both off")
    func noMedia() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let bare = try await RawConnection.open(stage.relay.address, timeout: .seconds(120))
            _ = try await bare.hello(clientName: "bare", instance: ClientOptions.processInstance)
            bare.send(.join(Join(session: ByteString(Stage.call), uid: "ben", device: "phone")))
            try await ana.recorder.until(.joined("ben"))
            let chloe = try await stage.join("chloe")
            for member in [ana, chloe] {
                try await member.recorder.until(.paused("ben"))
                #expect(member.recorder.heard(about: "ben") == [.joined("ben"), .muted("ben"), .paused("ben")])
                #expect(member.view["ben"].map { $0.isMuted && $0.isPaused && !$0.isPresenting } == true)
            }
            bare.send(.leave(.left))
            try await ana.recorder.until(.left("ben"))
            bare.close()
        }
    }

    @Test("A11: a join costs one snapshot for who joins and one difference for the others, and nobody sends anything")
    func costOfJoining() async throws {
        try await Stage.run { stage in
            let frames = FrameCount()
            let network = try stage.network()
            let ana = stage.add("ana", over: network) { $0.onFrame = { frames.add($0.frame, of: "ana") } }
            try await ana.join()
            let before = await network.status.passed[.toRelay]
            let crowd = (0..<16).map { number in
                stage.add("p\(number)") { $0.onFrame = { frames.add($0.frame, of: "p\(number)") } }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for member in crowd { group.addTask { try await member.join() } }
                try await group.waitForAll()
            }
            try await ana.recorder.until("all of the crowd") { $0.last?.view.rows.count == 17 }
            #expect(await network.status.passed[.toRelay] == before)
            for member in crowd { #expect(frames.of(member.uid).snapshots == 1, "\(member)") }
            #expect(frames.of("ana").snapshots == 1)
            #expect(frames.of("ana").deltas <= crowd.count)
        }
    }

    @Test("A12: a share that was on before shows who presents")
    func shareBefore() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            try await ben.perform(.startScreenSharing)
            let chloe = try await stage.join("chloe")
            let started = try #require(chloe.recorder.hearings.first { $0.heard == .sharing("ben") })
            #expect(started.participant?.name == "Ben")
            #expect(chloe.view.rows.map(\.isPresenting) == [false, true, false])
            #expect(chloe.recorder.count(.ownSharing) == 0)
            try await ben.perform(.stopScreenSharing)
            let dan = try await stage.join("dan")
            #expect(dan.recorder.count(.sharing("ben")) == 0)
            #expect(
                ana.recorder.heard(about: "ben").filter { if case .status = $0 { false } else { true } }
                    == [.joined("ben"), .sharing("ben"), .notSharing("ben")]
            )
        }
    }

    @Test("A14: when the session is told to be joined its list is complete and readable")
    func joinedWithRoster() async throws {
        try await Stage.run { stage in
            for uid in ["ana", "ben", "chloe"] { try await stage.join(uid).perform(.raiseHand) }
            let dan = try await stage.join("dan")
            let first = try #require(dan.recorder.hearings.first)
            #expect(first.heard == .sessionJoined)
            #expect(first.view.uids == ["ana", "ben", "chloe", "dan"])
            #expect(first.view.hands == ["ana", "ben", "chloe"])
            // It is the state of all that is told with it, too.
            let replay = dan.recorder.hearings.prefix { $0.view.position == first.view.position }
            #expect(replay.allSatisfy { $0.view == first.view })
            #expect(replay.contains { $0.heard == .hands(["ana", "ben", "chloe"]) })
        }
    }

    @Test("A15: who joins a recorded call learns it, by whom and since when")
    func recordedSinceBefore() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            try await ana.perform(.startRecording)
            try await ben.recorder.until(.ownRecording)
            let since = try #require(ben.view.recordingSince)
            let chloe = try await stage.join("chloe")
            #expect(chloe.view.recorder == "ana" && chloe.view.recordingSince == since)
            #expect(chloe.recorder.count(.ownRecording) == 1 && chloe.recorder.count(.recording("ana")) == 1)
            // Also once the starter is gone.
            await ana.session.leave()
            let dan = try await stage.join("dan")
            #expect(dan.view.recorder == "ana" && dan.view.recordingSince == since)
            #expect(dan.session.recording?.participant.name == "Ana")
            #expect(dan.recorder.count(.ownRecording) == 1)
            try await dan.perform(.stopRecording)
            try await ben.recorder.until(.ownNotRecording)
            let eve = try await stage.join("eve")
            #expect(eve.recorder.count(.ownRecording) == 0 && eve.view.recorder == nil)
        }
    }

    @Test("A17: to mute all at once leaves who joins later alone; to keep all muted does not, and the state says so")
    func muteAll() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            try await ana.perform(.muteAll)
            try await ben.recorder.until(.ownMuted)
            let chloe = try await stage.join("chloe")
            #expect(chloe.view["chloe"]?.isMuted == false && chloe.view["ben"]?.isMuted == true)
            #expect(chloe.session.policy?.isStandingMuteOn == false)
            try await ben.perform(.unmuteAudio)

            try await ana.perform(.setStandingMute(true))
            try await chloe.recorder.until(.ownMuted)
            let dan = try await stage.join("dan")
            #expect(dan.view["dan"]?.isMuted == true && dan.view.media?.isMuted == true)
            #expect(dan.recorder.count(.ownMuted) == 1)
            #expect(dan.session.policy?.isStandingMuteOn == true)
            await #expect(throws: RollcallCallException.self) { try await dan.perform(.unmuteAudio) }
            #expect(dan.view.media?.isMuted == true)
            try await ana.perform(.setStandingMute(false))
            try await dan.perform(.unmuteAudio)
            #expect(dan.session.policy?.isStandingMuteOn == false)
        }
    }

    @Test("A18: a participant with everything off is announced and listed as anybody else")
    func everythingOff() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", .make { $0.startAudioMuted(true).startVideoPaused(true) })
            try await ana.recorder.until(.list(["ana", "ben"]))
            let chloe = try await stage.join("chloe")
            #expect(chloe.view.uids == ["ana", "ben", "chloe"])
            await ben.session.leave()
            try await chloe.recorder.until(.left("ben"))
            #expect(chloe.recorder.count(.joined("ben")) == 1)
        }
    }

    @Test("A20: what a listener has heard, the relay's own record has: who joins upon it sees it")
    func recordFirst() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            for round in 1...5 {
                try await ana.perform(round.isMultiple(of: 2) ? .unmuteAudio : .muteAudio)
                let heard: Heard = round.isMultiple(of: 2) ? .unmuted("ana") : .muted("ana")
                try await ben.recorder.until(heard, times: (round + 1) / 2)
                let late = try await stage.join("late\(round)")
                #expect(late.recorder.hearings.first?.view["ana"]?.isMuted == !round.isMultiple(of: 2))
                await late.session.leave()
            }
        }
    }
}
