import Rollcall
import RollcallCalls
import TestSupport
import Testing

@Suite("E. One person, several devices", .timeLimit(.minutes(1)))
struct DeviceTests {
    private static let silent = RollcallCalls.sessionSettingsBuilder.startAudioMuted(true).startVideoPaused(true)
        .build()

    /// Something that each device has for itself.
    enum Fact: CaseIterable, Sendable {
        case microphone, camera, screen

        /// What turns it off.
        var off: SessionCommand {
            switch self {
            case .microphone: .muteAudio
            case .camera: .pauseVideo
            case .screen: .stopScreenSharing
            }
        }

        /// What turns it on.
        var on: SessionCommand {
            switch self {
            case .microphone: .unmuteAudio
            case .camera: .resumeVideo
            case .screen: .startScreenSharing
            }
        }

        /// Whether a device has it on.
        func isOn(_ device: ParticipantDevice) -> Bool {
            switch self {
            case .microphone: !device.isAudioMuted
            case .camera: !device.isVideoPaused
            case .screen: device.isPresenting
            }
        }

        /// Whether the own device has it on.
        func isOn(_ media: LocalMedia) -> Bool {
            switch self {
            case .microphone: !media.isAudioMuted
            case .camera: !media.isVideoPaused
            case .screen: media.isPresenting
            }
        }

        /// What is heard of the person when the last device turns it off, or the first one on.
        func heard(_ uid: String, isOn: Bool) -> Heard {
            switch self {
            case .microphone: isOn ? .unmuted(uid) : .muted(uid)
            case .camera: isOn ? .resumed(uid) : .paused(uid)
            case .screen: isOn ? .sharing(uid) : .notSharing(uid)
            }
        }

        /// What a device hears of itself.
        func heardOwn(isOn: Bool) -> Heard {
            switch self {
            case .microphone: isOn ? .ownUnmuted : .ownMuted
            case .camera: isOn ? .ownResumed : .ownPaused
            case .screen: isOn ? .ownSharing : .ownNotSharing
            }
        }
    }

    @Test(
        "E1: what one device turns off is off on that device, and for the person with the last",
        arguments: Fact.allCases
    )
    func perDevice(fact: Fact) async throws {
        try await Stage.run { stage in
            let phone = try await stage.join("ana", device: "phone", Self.silent)
            let laptop = try await stage.join("ana", device: "laptop", Self.silent)
            let ben = try await stage.join("ben")
            for member in [phone, laptop] { try await member.perform(fact.on) }
            try await ben.recorder.until(fact.heard("ana", isOn: true))
            let place = ben.recorder.count

            try await phone.perform(fact.off)
            try await stage.settle()
            let devices = try #require(ben.session.participant(uid: "ana")?.devices)
            #expect(devices.map(\.deviceID) == ["phone", "laptop"])
            #expect(devices.map(fact.isOn) == [false, true])
            #expect(!ben.recorder.heard(since: place).contains(fact.heard("ana", isOn: false)))
            #expect(fact.isOn(try #require(phone.session.localMedia)) == false)
            #expect(fact.isOn(try #require(laptop.session.localMedia)) == true)
            #expect(laptop.recorder.count(fact.heardOwn(isOn: false)) == phoneStart(fact))

            try await laptop.perform(fact.off)
            try await stage.settle()
            #expect(ben.recorder.heard(since: place).filter { $0 == fact.heard("ana", isOn: false) }.count == 1)
            for member in [ben, phone, laptop] {
                #expect(member.session.participant(uid: "ana")?.devices.contains(where: fact.isOn) == false)
            }
        }
    }

    /// How often a device that joins silent has heard that the fact is off.
    private func phoneStart(_ fact: Fact) -> Int { fact == .screen ? 0 : 1 }

    @Test("E1: a device that comes or goes changes the person only if it makes a difference")
    func devicesComeAndGo() async throws {
        try await Stage.run { stage in
            let ben = try await stage.join("ben")
            let phone = try await stage.join("ana", device: "phone", Self.silent)
            let place = ben.recorder.count
            let laptop = try await stage.join("ana", device: "laptop")
            try await ben.recorder.until(.resumed("ana"))
            #expect(ben.recorder.heard(since: place).filter { $0.uid == "ana" }.contains(.unmuted("ana")))
            try await stage.settle()
            // The silent device goes: nothing changes for the person.
            let before = ben.recorder.count
            await phone.session.leave()
            try await stage.settle()
            #expect(ben.recorder.heard(since: before).filter { $0.uid == "ana" } == [])
            #expect(laptop.session.localMedia?.isAudioMuted == false)
            #expect(ben.view["ana"]?.devices == ["laptop"])
        }
    }

    @Test("E3: to mute in the list is to mute all devices of the person, and each is told")
    func muteAllDevices() async throws {
        try await Stage.run { stage in
            let phone = try await stage.join("ana", device: "phone")
            let laptop = try await stage.join("ana", device: "laptop")
            let ben = try await stage.join("ben")
            try await ben.perform(.muteParticipant(participantId: "ana"))
            try await ben.perform(.pauseParticipantVideo(participantId: "ana"))
            for member in [phone, laptop] {
                try await member.recorder.until(.ownMuted)
                try await member.recorder.until(.ownPaused)
                #expect(member.view.media == View.Media(isMuted: true, isPaused: true))
                try await member.perform(.startScreenSharing)
            }
            #expect(
                ben.session.participant(uid: "ana")?.devices.allSatisfy { $0.isAudioMuted && $0.isVideoPaused } == true
            )
            try await ben.perform(.stopParticipantScreenShare(participantId: "ana"))
            for member in [phone, laptop] { try await member.recorder.until(.ownNotSharing) }
            // One opens its microphone again: that one alone.
            try await laptop.perform(.unmuteAudio)
            #expect(phone.session.localMedia?.isAudioMuted == true)
            try await ben.recorder.until(.unmuted("ana"))
            // A lock holds on every device, also on one that comes later.
            try await ben.perform(.lockAudio(participantId: "ana"))
            let tablet = try await stage.join("ana", device: "tablet")
            for member in [phone, laptop, tablet] {
                let error = await #expect(throws: RollcallCallException.self) {
                    try await member.perform(.unmuteAudio)
                }
                #expect(error?.errorCode == "ERR_HELD_DOWN")
                #expect(member.session.localMedia?.isAudioMuted == true)
            }
        }
    }

    @Test("E3: a hand is the person's: one device raises it, the other one lowers it")
    func oneHand() async throws {
        try await Stage.run { stage in
            let phone = try await stage.join("ana", device: "phone")
            let laptop = try await stage.join("ana", device: "laptop")
            let ben = try await stage.join("ben")
            try await phone.perform(.raiseHand)
            try await ben.perform(.raiseHand)
            let at = ben.view["ana"]?.handAt
            // To raise it again from the other device keeps time and place.
            try await laptop.perform(.raiseHand)
            try await stage.settle()
            for member in [phone, laptop, ben] {
                #expect(member.view.hands == ["ana", "ben"])
                #expect(member.view["ana"]?.handAt == at)
                #expect(member.recorder.count(.handRaised("ana")) == 1)
            }
            try await laptop.perform(.lowerHand)
            for member in [phone, laptop, ben] {
                try await member.recorder.until(.handLowered("ana"))
                #expect(member.view.hands == ["ben"])
            }
        }
    }

    @Test("E3: to remove a person is to remove all devices, and none comes back")
    func removeAllDevices() async throws {
        try await Stage.run { stage in
            let phone = try await stage.join("ana", device: "phone", over: stage.network())
            let laptop = try await stage.join("ana", device: "laptop")
            let ben = try await stage.join("ben")
            // One of them is away in this moment.
            await phone.lose()
            try await phone.untilLost()
            try await ben.perform(.removeParticipant(participantId: "ana"))
            await phone.reconnect()
            for member in [phone, laptop] {
                try await member.recorder.until(.sessionLeft)
                #expect(member.session.endReason == .removed)
            }
            let again = stage.add("ana", device: "tablet")
            await #expect(throws: RollcallCallException.self) { try await again.join() }
            #expect(ben.view.uids == ["ben"] && ben.recorder.count(.left("ana")) == 1)
        }
    }

    @Test("E4: whoever is admitted is visible: the third device of an account, and those in a locked call")
    func thirdDevice() async throws {
        try await Stage.run("--max-devices", "3") { stage in
            let ben = try await stage.join("ben")
            var devices: [String] = []
            for device in ["phone", "laptop", "tablet"] {
                devices.append(device)
                if device == "tablet" { try await ben.perform(.lockCall(true)) }
                let ana = try await stage.join("ana", device: device)
                #expect(ana.view["ana"]?.devices == devices)
                try await ben.catchUp()
                #expect(ben.view["ana"]?.devices == devices)
            }
            // One more than the relay lets in is not in at all, and knows it.
            let fourth = stage.add("ana", device: "watch")
            do {
                try await fourth.join()
                Issue.record("a fourth device was let in")
            } catch let error as RollcallCallException {
                #expect(error.errorCode == "ERR_LIMIT")
            }
            #expect(!fourth.session.isCallSessionActive() && fourth.recorder.heard.isEmpty)
            try await ben.perform(.lockCall(false))
            try await stage.settle()
            #expect(ben.view["ana"]?.devices == devices && ben.view.uids == ["ben", "ana"])
            #expect(ben.recorder.count(.joined("ana")) == 1)
        }
    }

    @Test("E13: one device declines, leaves or is lost: the other one goes on as it was")
    func otherGoesOn() async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ben = try await stage.join("ben")
            let laptop = try await stage.join("ana", device: "laptop", Self.silent)
            try await laptop.perform(.raiseHand)
            try await laptop.perform(.startScreenSharing)
            for loss in [nil, Loss.closed] {
                let phone = try await stage.join("ana", device: "phone", over: stage.network(), Self.silent)
                try await ben.perform(.requestUnmute(participantId: "ana"))
                try await phone.perform(.declineUnmute)
                if loss == nil {
                    await phone.session.leave()
                } else {
                    await phone.lose()
                    try await phone.untilLost()
                }
                // The grace of the phone is over when that of somebody who went later is.
                let gone = try await stage.join("gone", over: stage.network())
                try await ben.recorder.until(.joined("gone"), times: loss == nil ? 1 : 2)
                await gone.lose()
                try await ben.recorder.until(.left("gone"), times: loss == nil ? 1 : 2)
                try await gone.untilLost()
                await gone.session.leave()
                #expect(ben.view["ana"]?.devices == ["laptop"])
            }
            #expect(laptop.session.isCallSessionActive())
            #expect(laptop.recorder.heard.filter(\.isTerminal).isEmpty && laptop.recorder.count(.connectionLost) == 0)
            let story = ben.recorder.story(of: "ana")
            #expect(
                Set(story).isDisjoint(with: [
                    .left("ana"), .reconnecting("ana"), .handLowered("ana"), .notSharing("ana"),
                ])
            )
            #expect(ben.view.hands == ["ana"] && ben.view["ana"]?.isPresenting == true)
        }
    }
}
