import CallState
import Rollcall
import RollcallCalls
import Testing

// Of what is derived from media: who speaks, and who presents.

extension DerivedTests {
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
}
