import CallState
import Rollcall
import RollcallCalls
import RollcallProtocol
import TestSupport
import Testing

@Suite("G. Commands", .timeLimit(.minutes(1)))
struct CommandTests {
    /// A setting that an app can give quickly, one value after the other.
    enum Quick: CaseIterable, Sendable {
        case microphone, camera, screen, hand, recording, spotlight, lock

        /// Gives it one of two values, and goes on.
        func say(_ isOn: Bool, in session: CallSession) {
            switch self {
            case .microphone: isOn ? session.unmuteAudio() : session.muteAudio()
            case .camera: isOn ? session.resumeVideo() : session.pauseVideo()
            case .screen: isOn ? session.startScreenSharing() : session.stopScreenSharing()
            case .hand: isOn ? session.raiseHand() : session.lowerHand()
            case .recording: isOn ? session.startRecording() : session.stopRecording()
            case .spotlight: session.spotlight(participantIds: isOn ? ["ana"] : [])
            case .lock: isOn ? session.lockAudio(participantId: "ben") : session.unlockAudio(participantId: "ben")
            }
        }

        /// Whether a call has the first value.
        func isOn(_ snapshot: CallSnapshot) -> Bool {
            let ana = snapshot.person(uid: "ana")
            return switch self {
            case .microphone: ana?.audio == .on
            case .camera: ana?.video == .on
            case .screen: ana?.isPresenting == true
            case .hand: ana?.hand != nil
            case .recording: snapshot.recording != nil
            case .spotlight: snapshot.spotlight.map(\.uid) == ["ana"]
            case .lock: snapshot.person(uid: "ben")?.isAudioLocked == true
            }
        }
    }

    @Test("G5: a hundred and one values in a row: the last one is in force, for all", arguments: Quick.allCases)
    func burst(setting: Quick) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            for number in 0...100 { setting.say(number.isMultiple(of: 2), in: ana.session) }
            try await ana.catchUp()
            let relay = try #require(try await stage.peek())
            #expect(setting.isOn(relay))
            #expect(ana.session.lastError == nil)
            try await stage.settle()
            #expect(ben.view.shared.differences(from: View(relay)).filter { !$0.hasPrefix("position") } == [])
        }
    }

    @Test("G5: the same while the connection breaks, once and again", arguments: ModerationTests.Off.allCases)
    func burstThroughCuts(toggle: ModerationTests.Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            for round in 1...3 {
                for number in 0...60 {
                    toggle.say(isOn: number.isMultiple(of: 2), in: ana.session)
                    if number == 20 * round { await ana.network?.cut() }
                }
                #expect(toggle.isOn(ana.view["ana"]))
                try await ana.catchUp()
                #expect(toggle.isOn(ana.view["ana"]))
                try await stage.settle()
                #expect(toggle.isOn(ben.view["ana"]))
            }
            #expect(ana.session.lastError == nil)
        }
    }

    @Test(
        "G5: more than the window while nothing is answered: nothing is lost, nothing overtakes",
        arguments: ModerationTests.Off.allCases
    )
    func window(toggle: ModerationTests.Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let network = try #require(ana.network)
            await network.hold(.toClient)
            for number in 0...300 { toggle.say(isOn: number.isMultiple(of: 2), in: ana.session) }
            #expect(toggle.isOn(ana.view["ana"]))
            await network.release(.toClient)
            try await ana.catchUp()
            #expect(toggle.isOn(ana.view["ana"]))
            let relay = try #require(try await stage.peek())
            #expect(toggle.isOn(View(relay)["ana"]) && ana.session.lastError == nil)
        }
    }

    @Test(
        "G5: what is refused in the middle of a burst is taken back visibly",
        arguments: [ModerationTests.Off.microphone, .hand]
    )
    func refused(toggle: ModerationTests.Off) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            toggle.say(isOn: false, in: ana.session)
            try await ana.catchUp()
            await ana.drain()
            let place = ana.recorder.count
            let network = try #require(ana.network)
            let (on, off): (Heard, Heard) =
                toggle == .hand
                ? (.handRaised("ana"), .handLowered("ana")) : (.unmuted("ana"), .muted("ana"))
            // No answer comes before the app has shown what it asked for.
            await network.hold(.toClient)
            try await ben.perform(toggle == .hand ? .setHandsEnabled(false) : .setStandingMute(true))
            for number in 0...20 { toggle.say(isOn: number.isMultiple(of: 2), in: ana.session) }
            #expect(toggle.isOn(ana.view["ana"]))
            try await ana.recorder.until("it shows as on") { toggle.isOn($0.last?.view["ana"]) }
            await network.release(.toClient)
            try await ana.catchUp()
            #expect(!toggle.isOn(ana.view["ana"]))
            #expect(ana.session.lastError?.errorCode == "ERR_HELD_DOWN")
            try await stage.settle()
            #expect(!toggle.isOn(ben.view["ana"]))
            // What was shown was taken back as often.
            let told = ana.recorder.heard(since: place).filter { $0 == on || $0 == off }
            #expect(!told.isEmpty && told.count.isMultiple(of: 2))
            for (number, heard) in told.enumerated() { #expect(heard == (number.isMultiple(of: 2) ? on : off)) }
            #expect(ben.recorder.count(on) == 0)
        }
    }

    @Test("G5: two people set the same thing quickly: what the relay did last is so for both")
    func twoAtOnce() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            for number in 0..<40 {
                ana.session.spotlight(participantIds: number.isMultiple(of: 2) ? ["ana"] : [])
                ben.session.spotlight(participantIds: number.isMultiple(of: 3) ? ["ben"] : ["ana", "ben"])
                ben.session.muteParticipant(participantId: "ana")
                ana.session.unmuteAudio()
            }
            for member in [ana, ben] { try await member.catchUp() }
            try await stage.settle()
            let relay = try #require(try await stage.peek())
            for member in [ana, ben] {
                #expect(member.session.spotlitParticipants.map(\.uid) == relay.spotlight.map(\.uid))
                #expect(member.view["ana"]?.isMuted == (relay.person(uid: "ana")?.audio == .muted))
                #expect(member.session.lastError == nil)
            }
            #expect(ana.view.media?.isMuted == ana.view["ana"]?.isMuted)
        }
    }
}

extension ModerationTests.Off {
    /// The own app says so, and goes on.
    func say(isOn: Bool, in session: CallSession) {
        switch (self, isOn) {
        case (_, false): sayOff(in: session)
        case (.microphone, true): session.unmuteAudio()
        case (.camera, true): session.resumeVideo()
        case (.screen, true): session.startScreenSharing()
        case (.hand, true): session.raiseHand()
        }
    }
}
