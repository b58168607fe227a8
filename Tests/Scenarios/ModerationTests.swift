import CallState
import Rollcall
import RollcallCalls
import RollcallProtocol
import TestSupport
import Testing

@Suite("G. Moderation", .timeLimit(.minutes(1)))
struct ModerationTests {
    /// Something that a moderator turns off.
    enum Off: CaseIterable, Sendable {
        case microphone, camera, screen, hand

        var own: (on: SessionCommand, off: SessionCommand) {
            switch self {
            case .microphone: (.unmuteAudio, .muteAudio)
            case .camera: (.resumeVideo, .pauseVideo)
            case .screen: (.startScreenSharing, .stopScreenSharing)
            case .hand: (.raiseHand, .lowerHand)
            }
        }

        /// The own app says that it is off, and goes on.
        func sayOff(in session: CallSession) {
            switch self {
            case .microphone: session.muteAudio()
            case .camera: session.pauseVideo()
            case .screen: session.stopScreenSharing()
            case .hand: session.lowerHand()
            }
        }

        /// The moderator's command about `uid`.
        func command(_ uid: String) -> SessionCommand {
            switch self {
            case .microphone: .muteParticipant(participantId: uid)
            case .camera: .pauseParticipantVideo(participantId: uid)
            case .screen: .stopParticipantScreenShare(participantId: uid)
            case .hand: .lowerParticipantHand(participantId: uid)
            }
        }

        /// The setting that turns it on, which no moderator may.
        var on: Setting.Change {
            switch self {
            case .microphone: .audioMuted(false)
            case .camera: .videoPaused(false)
            case .screen: .presenting(true)
            case .hand: .handRaised(true)
            }
        }

        /// Whether it is on.
        func isOn(_ row: View.Row?) -> Bool {
            switch self {
            case .microphone: row?.isMuted == false
            case .camera: row?.isPaused == false
            case .screen: row?.isPresenting == true
            case .hand: row?.handAt != nil
            }
        }
    }

    @Test("G1: a moderator's command works although the moderator's screen still shows it off", arguments: Off.allCases)
    func staleModerator(off: Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            try await ben.perform(off.own.off)
            try await stage.settle()
            let network = try #require(ana.network)
            // What ben does now, ana has not heard of when she gives the command.
            await network.hold(.toClient)
            try await ben.perform(off.own.on)
            #expect(!off.isOn(ana.view["ben"]))
            let place = ben.recorder.count
            async let done: Void = ana.perform(off.command("ben"))
            try await ben.recorder.until("it is off again") { !off.isOn($0.last?.view["ben"]) }
            await network.release(.toClient)
            try await done
            #expect(!off.isOn(ana.view["ben"]) && !off.isOn(ben.view["ben"]))
            #expect(ben.recorder.heard(since: place).isEmpty == false)
        }
    }

    @Test("G1: nor does it matter what the other one's app believes of itself", arguments: Off.allCases)
    func staleTarget(off: Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ben.perform(off.own.on)
            let network = try #require(ben.network)
            // ben's app shows off already, and its word has not come to the relay.
            await network.hold(.toRelay)
            off.sayOff(in: ben.session)
            #expect(!off.isOn(ben.view["ben"]))
            let relay = try #require(try await stage.peek())
            #expect(off.isOn(View(relay)["ben"]))
            try await silence(ben, off, by: ana) {
                await network.release(.toRelay)
                try await ben.catchUp()
            }
        }
    }

    @Test("G1: who is cut off is silenced too, and is so when it is back", arguments: Off.allCases)
    func absentTarget(off: Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ben.perform(off.own.on)
            await ben.lose()
            try await ben.untilLost()
            try await silence(ben, off, by: ana) {
                await ben.reconnect()
                try await ben.untilRestored()
            }
        }
    }

    /// Turns something off of somebody whose network fails, and holds that it is off for both once that is over.
    private func silence(
        _ member: Member,
        _ off: Off,
        by moderator: Member,
        whenBack recover: () async throws -> Void
    ) async throws {
        try await moderator.perform(off.command(member.uid))
        #expect(!off.isOn(moderator.view[member.uid]))
        try await recover()
        #expect(!off.isOn(member.view[member.uid]))
    }

    @Test("G1: to silence what is silent is done, and tells nobody anything", arguments: Off.allCases)
    func alreadyOff(off: Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            try await ben.perform(off.own.off)
            try await stage.settle()
            let place = ben.recorder.count
            try await ana.perform(off.command("ben"))
            try await ana.perform(.muteAll)
            try await ana.perform(.lowerAllHands)
            try await stage.settle()
            let heard = ben.recorder.heard(since: place).filter { if case .list = $0 { false } else { true } }
            // The microphone was open still, unless it is the one that is silent.
            let expected: [Heard] = off == .microphone ? [] : [.muted("ben"), .status("ben"), .ownMuted]
            #expect(Set(heard) == Set(expected))
        }
    }

    @Test("G4: nobody turns on anything of another, a moderator neither", arguments: Off.allCases)
    func remoteOn(off: Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            try await ben.perform(off.own.off)
            let eve = try await RollcallClient(stage.relay.address).join(
                Stage.call,
                as: Identity(uid: "eve", device: "own"),
                options: JoinOptions(role: .moderator)
            )
            let place = ben.recorder.count
            for target in [Target(uid: "ben"), Target(uid: "ben", device: "phone")] {
                let error = await #expect(throws: RollcallError.self) {
                    try await eve.perform([Setting(target: target, off.on)])
                }
                #expect(error?.code == .denied && error?.message.contains("another") == true)
            }
            await #expect(throws: RollcallError.self) { try await eve.perform([Setting(target: .everyone, off.on)]) }
            await eve.leave()
            try await stage.settle()
            #expect(!off.isOn(ben.view["ben"]) && !off.isOn(ana.view["ben"]))
            #expect(ben.recorder.heard(since: place).filter { $0.uid == "ben" } == [])
        }
    }

    @Test("G4: a request, a lifted lock or a lifted standing mute opens no microphone")
    func nothingOpens() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            let laptop = try await stage.join("ben", device: "laptop")
            try await ana.perform(.muteParticipant(participantId: "ben"))
            try await ana.perform(.requestUnmute(participantId: "ben"))
            try await stage.settle()
            #expect(ben.view["ben"]?.status?.isUnmuteRequested == true && ben.view["ben"]?.isMuted == true)
            for (on, off) in [
                (SessionCommand.lockAudio(participantId: "ben"), SessionCommand.unlockAudio(participantId: "ben")),
                (.setStandingMute(true), .setStandingMute(false)),
            ] {
                try await ana.perform(on)
                await #expect(throws: RollcallCallException.self) { try await ben.perform(.unmuteAudio) }
                #expect(ben.session.localMedia?.isAudioMuted == true)
                try await ana.perform(off)
                try await stage.settle()
                #expect(ben.view["ben"]?.isMuted == true && laptop.session.localMedia?.isAudioMuted == true)
            }
            // Only the device itself does, and that ends the request.
            try await ben.perform(.unmuteAudio)
            try await stage.settle()
            #expect(ana.view["ben"]?.isMuted == false && laptop.session.localMedia?.isAudioMuted == true)
            #expect(ana.view["ben"]?.status?.isUnmuteRequested == false)
            #expect(laptop.recorder.count(.ownUnmuted) == 0)
        }
    }
}
