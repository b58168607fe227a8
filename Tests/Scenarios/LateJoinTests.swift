import Rollcall
import RollcallCalls
import TestSupport
import Testing

@Suite("A. Late join", .timeLimit(.minutes(5)))
struct LateJoinTests {
    @Test("A1: a hand that was up before a late joiner came is up for them, with its time")
    func handBefore() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            try await ana.perform(.raiseHand)
            let at = try #require(ana.view["ana"]?.handAt)
            let ben = try await stage.join("ben")
            #expect(ben.view["ana"]?.handAt == at)
            #expect(ben.view.hands == ["ana"])
            #expect(ben.recorder.count(.handRaised("ana")) == 1)
        }
    }

    @Test("A1: of many hands a late joiner has those that are up, in the order of the queue")
    func handsBefore() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let network = try stage.network()
            let members = [
                try await stage.join("ana"), try await stage.join("ben", over: network), try await stage.join("chloe"),
            ]
            for member in members.reversed() { try await member.perform(.raiseHand) }
            try await members[2].perform(.lowerHand)
            // The hand of somebody whose link is lost stays up.
            await network.admit(.refuse)
            await network.cut()
            try await members[0].recorder.until(.reconnecting("ben"))
            let dan = try await stage.join("dan")
            #expect(dan.view.hands == ["ben", "ana"])
            #expect(
                dan.recorder.heard.filter { [.handRaised("ben"), .handRaised("ana")].contains($0) }
                    == [.handRaised("ben"), .handRaised("ana")]
            )
            #expect(dan.recorder.count(.handRaised("chloe")) == 0)
            #expect(dan.view["ben"]?.isReconnecting == true)
            await network.admit(.pass)
            try await members[1].untilRestored()
            #expect(dan.view.hands == ["ben", "ana"])
        }
    }

    @Test("A2: while a join is under way nothing is known, and nothing is shown for it")
    func nothingByDefault() async throws {
        try await Stage.run { stage in
            try await stage.join("ana").perform(.raiseHand)
            let network = try stage.network()
            let ben = stage.add("ben", over: network)
            await network.hold(.toClient)
            async let joined: Void = ben.join()
            try await network.until("the relay has answered") { $0.held[.toClient, default: 0] > 100 }
            #expect(ben.view == View())
            #expect(ben.session.participant(uid: "ana") == nil)
            #expect(ben.session.localParticipant == nil)
            #expect(!ben.session.isCallSessionActive())
            #expect(ben.recorder.heard.isEmpty)
            await network.release(.toClient)
            try await joined
            #expect(ben.view["ana"]?.handAt != nil)
        }
    }

    @Test("A3: joining where some are muted, the state has the microphone of everybody")
    func microphones() async throws {
        try await Stage.run { stage in
            try await stage.join("ana", .make { $0.startAudioMuted(true) })
            try await stage.join("ben")
            let chloe = try await stage.join("chloe")
            try await chloe.perform(.muteAudio)
            let dan = try await stage.join("dan")
            #expect(dan.view.rows.map(\.isMuted) == [true, false, true, false])
            #expect(dan.recorder.heard(about: "ana") == [.joined("ana"), .muted("ana")])
            #expect(dan.recorder.heard(about: "ben") == [.joined("ben")])
            #expect(dan.recorder.heard(about: "chloe") == [.joined("chloe"), .muted("chloe")])
        }
    }

    @Test("A3: everything else that was set before is there for a late joiner too")
    func everythingElse() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", .make { $0.setSessionType(.voice) })
            try await ana.perform(.setAttribute("seat", [7]))
            try await ana.perform(.setDisplayName("Ana Maria"))
            try await ana.perform(.setTitle("plans"))
            try await ana.perform(.lockAudio(participantId: "ben"))
            try await ana.perform(.spotlight(participantIds: ["ben", "ana"]))
            try await ana.perform(.setModerator(participantId: "ben", true))
            try await ana.perform(.requestUnmute(participantId: "ben"))
            try await ben.perform(.startScreenSharing)
            let chloe = try await stage.join("chloe")
            #expect(chloe.view["ana"]?.name == "Ana Maria")
            #expect(chloe.session.participant(uid: "ana")?.attributes == ["seat": [7]])
            #expect(chloe.view["ben"]?.isAudioLocked == true)
            #expect(chloe.session.spotlitParticipants.map(\.uid) == ["ben", "ana"])
            #expect(chloe.session.participant(uid: "ben")?.isModerator == true)
            #expect(chloe.session.participant(uid: "ben")?.status.isUnmuteRequested == true)
            #expect(chloe.view.title == "plans")
            // All show the same rows, to the last field.
            try await stage.settle()
            #expect(chloe.view.shared.rows == ana.view.shared.rows)
            #expect(chloe.view.shared.rows == ben.view.shared.rows)
        }
    }

    @Test("A4: joining where some cameras are off, a query right after the join knows them")
    func camerasAtOnce() async throws {
        try await Stage.run { stage in
            try await stage.join("ana", .make { $0.startVideoPaused(true) })
            let ben = try await stage.join("ben")
            let chloe = stage.add("chloe")
            // No callback has come yet, and the state is there.
            chloe.holdApp()
            try await chloe.enter()
            #expect(chloe.session.isCallSessionActive())
            #expect(chloe.view.rows.map(\.isPaused) == [true, false, false])
            #expect(chloe.recorder.heard.isEmpty)
            chloe.releaseApp()
            try await chloe.recorder.until(.sessionJoined)
            try await ben.perform(.pauseVideo)
            try await chloe.recorder.until(.paused("ben"))
        }
    }

    @Test(
        "A5: who joins is announced with microphone and camera as they are",
        arguments: [false, true],
        [false, true]
    )
    func initialState(isMuted: Bool, isPaused: Bool) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            try await stage.join("ben", .make { $0.startAudioMuted(isMuted).startVideoPaused(isPaused) })
            try await stage.settle()
            let joined = try #require(ana.recorder.hearings.first { $0.heard == .joined("ben") })
            #expect(joined.participant?.isAudioMuted == isMuted)
            #expect(joined.participant?.isVideoPaused == isPaused)
            #expect(joined.participant?.name == "Ben")
            let expected: [Heard] =
                [.joined("ben")] + (isMuted ? [.muted("ben")] : []) + (isPaused ? [.paused("ben")] : [])
            #expect(ana.recorder.heard(about: "ben") == expected)
        }
    }

    @Test("A6: what has been so since before is told once, by one event for each thing that is not at rest")
    func oneEventEach() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            for command in [SessionCommand.muteAudio, .pauseVideo, .startScreenSharing, .raiseHand, .startRecording] {
                try await ana.perform(command)
            }
            let bot = try await stage.bot()
            try await bot.stateDominantSpeaker("ben")
            try await ana.recorder.until(.dominant("ben"))
            let late = try await stage.join("chloe").recorder
            let later = ben.listener()
            try await later.until(.ownRecording)
            let told: [Heard] = [
                .joined("ana"), .muted("ana"), .paused("ana"), .sharing("ana"), .handRaised("ana"), .recording("ana"),
                .joined("ben"), .dominant("ben"), .ownRecording,
            ]
            for recorder in [late, later] {
                for heard in told { #expect(recorder.count(heard) == 1, "\(heard)") }
                #expect(recorder.heard.first == .sessionJoined)
                #expect(recorder.heard(about: "ben") == [.joined("ben"), .dominant("ben")])
            }
            try await stage.settle()
            #expect(later.faults().isEmpty)
        }
    }

    @Test("A8: nobody who joins muted is shown unmuted for a moment")
    func noIntermediateDefault() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            try await stage.join("ben", .make { $0.startAudioMuted(true).startVideoPaused(true) })
            // Nor is somebody whom the call mutes in joining.
            try await ana.perform(.setStandingMute(true))
            try await stage.join("chloe", .make { $0.startVideoPaused(true) })
            try await stage.settle()
            for hearing in ana.recorder.hearings {
                for row in hearing.view.rows where row.uid != "ana" && row.uid != Marker.uid {
                    #expect(row.isMuted && row.isPaused, "\(row) in \(hearing.heard)")
                }
            }
            for uid in ["ben", "chloe"] {
                #expect(ana.recorder.heard(about: uid) == [.joined(uid), .muted(uid), .paused(uid)])
            }
        }
    }
}
