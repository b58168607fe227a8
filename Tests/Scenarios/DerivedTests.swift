import CallState
import Rollcall
import RollcallCalls
import Testing

@Suite("F. Derived state that outlives its owner", .timeLimit(.minutes(1)))
struct DerivedTests {
    /// How somebody goes.
    enum Way: CaseIterable, Sendable {
        case leave, lost, removed

        /// Lets `member` go.
        func go(_ member: Member, removedBy other: Member) async throws {
            switch self {
            case .leave: await member.session.leave()
            case .lost:
                await member.lose()
                try await member.untilLost()
            case .removed:
                try await other.perform(.removeParticipant(participantId: member.uid))
                try await member.recorder.until(.sessionLeft)
            }
        }
    }

    @Test("F1, F8: who goes leaves no hand, share, spotlight, highlight or pin behind", arguments: Way.allCases)
    func nothingStays(way: Way) async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            let server = try await stage.bot()
            try await ben.perform(.raiseHand)
            try await ben.perform(.startScreenSharing)
            try await ben.perform(.spotlight(participantIds: ["ben", "ana"]))
            try await ana.recorder.until(.handRaised("ben"))
            ana.session.pinParticipant(participantId: "ben")
            try await stage.speak("ben", through: server, heardBy: [ana])
            try await stage.settle()
            #expect(ana.view.pinned == "ben" && ana.session.spotlitParticipants.map(\.uid) == ["ben", "ana"])

            try await way.go(ben, removedBy: ana)
            try await ana.recorder.until(.left("ben"))
            await ana.drain()
            let end: [Heard] = [.notSharing("ben"), .handLowered("ben"), .nobodyDominant, .left("ben")]
            #expect(ana.recorder.order(of: end) == end)
            // The list comes last, and in all of them nothing points at who is gone.
            let hearings = ana.recorder.hearings
            let first = try #require(hearings.firstIndex { $0.heard == .notSharing("ben") })
            #expect(hearings.last { if case .list = $0.heard { true } else { false } }?.heard == .list(["ana"]))
            for hearing in hearings[first...] {
                #expect(hearing.view.uids == ["ana"] && hearing.view.hands.isEmpty)
                #expect(hearing.view.dominant == nil && hearing.view.pinned == nil)
                #expect(hearing.view["ana"]?.isSpotlit == true)
            }
            #expect(ana.session.spotlitParticipants.map(\.uid) == ["ana"] && ana.session.pinType == nil)

            // Who comes now hears of none of it.
            let cho = try await stage.join("cho")
            #expect(cho.recorder.heard(about: "ben").isEmpty && cho.view.hands.isEmpty && cho.view.dominant == nil)
            if way == .removed { return }
            // And who comes back begins anew.
            if way == .lost { await ben.session.leave() }
            let again = try await stage.join("ben", device: "another")
            let row = try #require(again.view["ben"])
            #expect(row.handAt == nil && !row.isPresenting && !row.isSpotlit && !row.isDominant)
            try await stage.settle()
            #expect(ana.view.pinned == nil && ana.view["ben"]?.status?.isPinned == false)
        }
    }

    @Test(
        "F1: a hand goes down with its owner also while the app is slow, and the queue closes up",
        arguments: Way.allCases
    )
    func slowApp(way: Way) async throws {
        try await Stage.run("--grace", "0") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            let cho = try await stage.join("cho")
            ana.holdApp()
            try await ben.perform(.raiseHand)
            try await cho.perform(.raiseHand)
            try await way.go(ben, removedBy: cho)
            try await cho.recorder.until(.left("ben"))
            ana.releaseApp()
            try await stage.settle()
            #expect(ana.view.hands == ["cho"] && ana.session.raisedHands.map(\.place) == [1])
            #expect(
                ana.recorder.heard(about: "ben").filter { $0 == .handRaised("ben") }.count
                    == ana.recorder.count(.handLowered("ben"))
            )
        }
    }

    @Test("F3: who shares and goes without a stop is told to have stopped, before left", arguments: Way.allCases)
    func sharer(way: Way) async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ben.perform(.startScreenSharing)
            try await ana.recorder.until(.sharing("ben"))
            try await way.go(ben, removedBy: ana)
            try await ana.recorder.until(.left("ben"))
            let end: [Heard] = [.sharing("ben"), .notSharing("ben"), .left("ben")]
            #expect(ana.recorder.order(of: end) == end)
            #expect(ana.recorder.last(.notSharing("ben"))?.participant?.name == "Ben")
        }
    }

    @Test("F3: the device that shares goes, the other one stays: stopped without left", arguments: [true, false])
    func sharingDevice(isLost: Bool) async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ana = try await stage.join("ana")
            let phone = try await stage.join("ben", device: "phone")
            let laptop = try await stage.join("ben", device: "laptop", over: stage.network())
            try await laptop.perform(.startScreenSharing)
            try await ana.recorder.until(.sharing("ben"))
            try await (isLost ? Way.lost : .leave).go(laptop, removedBy: ana)
            try await ana.recorder.until(.notSharing("ben"))
            try await phone.recorder.until(.notSharing("ben"))
            #expect(ana.view.uids == ["ana", "ben"] && ana.recorder.count(.left("ben")) == 0)
            #expect(phone.recorder.count(.ownSharing) == 0 && phone.recorder.count(.ownNotSharing) == 0)
        }
    }

    /// How the dominant speaker stops being one.
    enum Silence: CaseIterable, Sendable {
        case mutes, isMuted, allMuted, locked, standing, leaves, removed

        func make(_ speaker: Member, by other: Member) async throws {
            switch self {
            case .mutes: try await speaker.perform(.muteAudio)
            case .isMuted: try await other.perform(.muteParticipant(participantId: speaker.uid))
            case .allMuted: try await other.perform(.muteAll)
            case .locked: try await other.perform(.lockAudio(participantId: speaker.uid))
            case .standing: try await other.perform(.setStandingMute(true))
            case .leaves: await speaker.session.leave()
            case .removed: try await other.perform(.removeParticipant(participantId: speaker.uid))
            }
        }
    }

    @Test(
        "F5: the dominant speaker is silenced: nobody is dominant, for all, also for who comes",
        arguments: Silence.allCases
    )
    func silenced(way: Silence) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            let server = try await stage.bot()
            try await stage.speak("ben", through: server, heardBy: [ana, ben])
            #expect(ana.view["ben"]?.isDominant == true)
            try await way.make(ben, by: ana)
            try await ana.recorder.until(.nobodyDominant)
            #expect(ana.view.dominant == nil && ana.session.dominantSpeaker == nil)
            let cho = try await stage.join("cho")
            #expect(cho.view.dominant == nil && cho.recorder.count(.dominant("ben")) == 0)
            // What still comes from the one who is silent makes nobody dominant.
            server.speaking(true, for: "ben")
            try await stage.settle()
            #expect(ana.view.dominant == nil)
        }
    }

    @Test("F5: another who speaks takes over, and is present")
    func another() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            let cho = try await stage.join("cho")
            let server = try await stage.bot()
            try await stage.speak("ben", through: server, heardBy: [ana, cho])
            server.speaking(true, for: "cho")
            try await ben.perform(.muteAudio)
            try await ana.recorder.until(.dominant("cho"))
            await cho.session.leave()
            try await ana.recorder.until(.left("cho"))
            #expect(ana.view.dominant == nil)
            for hearing in ana.recorder.hearings {
                guard let dominant = hearing.view.dominant else { continue }
                #expect(hearing.view.uids.contains(dominant) && hearing.view[dominant]?.isMuted == false)
            }
        }
    }

    @Test(
        "F5: who is dominant by a media server's word goes with leaving; a second device keeps the place",
        arguments: [true, false]
    )
    func stated(hasSecondDevice: Bool) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            let second = hasSecondDevice ? try await stage.join("ben", device: "laptop") : nil
            let server = try await stage.bot()
            try await server.stateDominantSpeaker("ben")
            try await ana.recorder.until(.dominant("ben"))
            await ben.session.leave()
            try await stage.settle()
            #expect(ana.view.dominant == (hasSecondDevice ? "ben" : nil))
            await second?.session.leave()
            try await ana.recorder.until(.nobodyDominant)
        }
    }

    @Test("F6: where one may present, a new start stops the old one in the same update", arguments: [true, false])
    func onePresenter(isOwnOtherDevice: Bool) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let server = try await stage.bot()
            try await server.setPresenters(.one)
            let ben = try await stage.join("ben")
            let cho = try await stage.join(isOwnOtherDevice ? "ben" : "cho", device: "laptop")
            for (number, presenter) in [ben, cho, ben].enumerated() {
                try await presenter.perform(.startScreenSharing)
                try await stage.settle()
                let presenters = ana.session.participants.flatMap { participant in
                    participant.devices.filter(\.isPresenting).map { "\(participant) \($0.deviceID)" }
                }
                #expect(presenters.count == 1 && presenters[0].hasSuffix(presenter.device), "after \(number)")
                #expect([ben, cho].filter { $0.view.media?.isPresenting == true }.map(\.device) == [presenter.device])
            }
            #expect(ben.recorder.count(.ownSharing) == 2 && ben.recorder.count(.ownNotSharing) == 1)
            #expect(cho.recorder.count(.ownSharing) == 1 && cho.recorder.count(.ownNotSharing) == 1)
            // Nobody who watches ever saw two at once, nor none in between.
            let counts = ana.recorder.hearings.map { $0.view.rows.filter(\.isPresenting).count }
            #expect(counts.allSatisfy { $0 <= 1 })
            #expect(counts.drop { $0 == 0 }.allSatisfy { $0 == 1 })
        }
    }

    @Test("F6: where many may, nobody is stopped")
    func manyPresenters() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            for member in [ana, ben] { try await member.perform(.startScreenSharing) }
            try await stage.settle()
            #expect(ana.view.rows.map(\.isPresenting) == [true, true])
            #expect(ana.recorder.count(.notSharing("ana")) == 0)
        }
    }

    @Test("F8: a pin goes when its person goes unseen, while the connection was lost", arguments: [true, false])
    func pinnedLeavesUnseen(comesBack: Bool) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            try await stage.settle()
            ana.session.pinParticipant(participantId: "ben", type: "screen")
            #expect(ana.session.pinType == "screen")
            await ana.lose()
            try await ana.untilLost()
            await ben.session.leave()
            if comesBack { try await ben.join() }
            await ana.reconnect()
            try await ana.untilRestored()
            #expect(ana.recorder.count(.left("ben")) == 1)
            #expect(ana.view.pinned == nil && ana.session.pinType == nil)
            #expect(ana.view.uids == (comesBack ? ["ana", "ben"] : ["ana"]))
        }
    }

    @Test("F8: nobody who is not there can be pinned or put into the spotlight")
    func absent() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            ana.session.pinParticipant(participantId: "nobody")
            #expect(ana.view.pinned == nil)
            await #expect(throws: RollcallCallException.self) {
                try await ana.perform(.spotlight(participantIds: ["ana", "nobody"]))
            }
            #expect(ana.session.spotlitParticipants.isEmpty)
        }
    }

    @Test("F9: left has the whole participant, as last seen, with the times", arguments: Way.allCases)
    func identity(way: Way) async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ben.perform(.setAttribute("team", Array("blue".utf8)))
            try await ben.perform(.setDisplayName("Benjamin"))
            try await stage.settle()
            let present = try #require(ana.session.participant(uid: "ben"))
            try await way.go(ben, removedBy: ana)
            try await ana.recorder.until(.left("ben"))
            let left = try #require(ana.recorder.last(.left("ben"))?.participant)
            #expect(left.uid == "ben" && left.name == "Benjamin" && left.deviceID == "phone")
            #expect(left.mid == present.mid && left.mid == ana.session.meetingID)
            #expect(left.joinedAt == present.joinedAt && left.joinedAt > 1_600_000_000)
            #expect(left.leftAt >= left.joinedAt && left.isJoined && left.state == "ended")
            #expect(left.attribute("team") == "blue" && left.role == present.role)
        }
    }

    @Test("F10: the one who started the recording goes, and it stays, with its starter", arguments: Way.allCases)
    func recording(way: Way) async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ben.perform(.startRecording)
            try await ana.recorder.until(.recording("ben"))
            let since = try #require(ana.view.recordingSince)
            try await way.go(ben, removedBy: ana)
            try await ana.recorder.until(.left("ben"))
            let cho = try await stage.join("cho")
            for member in [ana, cho] {
                #expect(member.view.recorder == "ben" && member.view.recordingSince == since)
                #expect(member.session.recording?.participant.name == "Ben")
                #expect(member.recorder.count(.recording("ben")) == 1 && member.recorder.count(.ownRecording) == 1)
                #expect(member.recorder.count(.notRecording("ben")) == 0)
            }
            // To start what runs changes nothing; to stop it names who had started it.
            try await cho.perform(.startRecording)
            #expect(cho.view.recorder == "ben" && cho.view.recordingSince == since)
            try await cho.perform(.stopRecording)
            try await ana.recorder.until(.notRecording("ben"))
            #expect(ana.view.recorder == nil && ana.recorder.count(.ownNotRecording) == 1)
        }
    }
}
