import Rollcall
import TestSupport
import Testing

@testable import RollcallCalls

@Suite("C. Reconnect", .timeLimit(.minutes(5)))
struct ReconnectTests {
    /// Somebody whose link is lost and can't be made again until ``FaultProxy/admit(_:)``.
    private func away(_ member: Member) async throws -> FaultProxy {
        let network = try #require(member.network)
        await network.admit(.refuse)
        await network.cut()
        try await member.untilLost()
        return network
    }

    @Test("C1: who leaves while another is away is gone for them before their connection is told to be restored")
    func leaveWhileAway() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            try await stage.join("chloe")
            try await ben.perform(.raiseHand)
            try await ana.recorder.until(.handRaised("ben"))
            let network = try await away(ana)
            await ben.session.leave()
            #expect(ana.view.uids == ["ana", "ben", "chloe"])
            await network.admit(.pass)
            try await ana.untilRestored()
            let heard = ana.recorder.heard
            let told = heard.suffix(from: try #require(heard.lastIndex(of: .connectionLost)))
            let order: [Heard] = [.handLowered("ben"), .left("ben"), .list(["ana", "chloe"]), .connectionRestored]
            #expect(told.filter(order.contains) == order)
            #expect(ana.view.uids == ["ana", "chloe"])
        }
    }

    @Test("C1: everything that happens while somebody is away is told before their connection is restored")
    func changesWhileAway() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            let chloe = try await stage.join("chloe")
            try await chloe.perform(.startScreenSharing)
            try await ana.recorder.until(.sharing("chloe"))
            let network = try await away(ana)
            for command in [SessionCommand.muteAudio, .pauseVideo, .raiseHand, .startRecording, .setDisplayName("B")] {
                try await ben.perform(command)
            }
            try await ben.perform(.muteParticipant(participantId: "ana"))
            try await chloe.perform(.stopScreenSharing)
            try await stage.join("dan")
            // Gone and back again: another joining, not the same person.
            await chloe.session.leave()
            try await chloe.join()
            await network.admit(.pass)
            try await ana.untilRestored()
            let heard = ana.recorder.heard
            let told = heard.suffix(from: try #require(heard.lastIndex(of: .connectionLost)))
            #expect(told.last == .connectionRestored)
            let expected: [Heard] = [
                .muted("ben"), .paused("ben"), .handRaised("ben"), .recording("ben"), .ownRecording, .muted("ana"),
                .ownMuted, .notSharing("chloe"), .left("chloe"), .joined("chloe"), .joined("dan"),
                .list(["ana", "ben", "dan", "chloe"]),
            ]
            for item in expected { #expect(told.filter { $0 == item }.count == 1, "\(item)") }
            #expect(ana.view["ben"]?.name == "B")
        }
    }

    @Test("C1: who is removed while away is told so, and nothing else any more")
    func removedWhileAway() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            let network = try await away(ana)
            try await ben.perform(.removeParticipant(participantId: "ana"))
            try await ben.recorder.until(.left("ana"))
            await network.admit(.pass)
            try await ana.recorder.until(.sessionLeft)
            #expect(ana.session.endReason == .removed)
            #expect(ana.recorder.heard.last == .sessionLeft)
            #expect(ana.recorder.count(.connectionRestored) == 0)
        }
    }

    @Test("C3: a difference is not taken for the list: nobody vanishes in a reconnect")
    func nobodyVanishes() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let frames = FrameCount()
            let ana = stage.add("ana", over: try stage.network()) { $0.onFrame = { frames.add($0.frame, of: "ana") } }
            try await ana.join()
            let others = ["ben", "chloe", "dan", "eve"]
            for uid in others { try await stage.join(uid) }
            try await ana.recorder.until(.list(["ana"] + others))
            let complete = ana.recorder.count
            let network = try await away(ana)
            let ben = try #require(stage.members.first { $0.uid == "ben" })
            try await ben.perform(.muteAudio)
            await network.admit(.pass)
            try await ana.untilRestored()
            // The difference alone came, and it changed one person.
            #expect(frames.of("ana").snapshots == 1)
            for hearing in ana.recorder.hearings.dropFirst(complete) { #expect(hearing.view.rows.count == 5) }
            #expect(!ana.recorder.heard.contains { if case .left = $0 { true } else { false } })
        }
    }

    @Test("C4: a hand stays up through a reconnect of its owner, in its place, for everybody")
    func handThroughReconnect() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            try await ana.perform(.raiseHand)
            try await ben.perform(.raiseHand)
            let at = ben.view["ana"]?.handAt
            let network = try await away(ana)
            try await ben.recorder.until(.reconnecting("ana"))
            #expect(ana.view.hands == ["ana", "ben"])
            let chloe = try await stage.join("chloe")
            await network.admit(.pass)
            try await ana.untilRestored()
            try await ben.recorder.until(.reconnected("ana"))
            for member in [ana, ben, chloe] {
                #expect(member.view.hands == ["ana", "ben"])
                #expect(member.view["ana"]?.handAt == at)
                #expect(member.recorder.count(.handLowered("ana")) == 0)
                #expect(member.recorder.count(.handRaised("ana")) == 1)
            }
        }
    }

    @Test("C4: what was on stays on through a reconnect, and what others took away meanwhile is off for the owner too")
    func statesThroughReconnect() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            for command in [SessionCommand.startScreenSharing, .raiseHand, .startRecording] {
                try await ana.perform(command)
            }
            try await ben.recorder.until(.ownRecording)
            let network = try await away(ana)
            try await ben.perform(.lowerParticipantHand(participantId: "ana"))
            try await ben.perform(.muteParticipant(participantId: "ana"))
            await network.admit(.pass)
            try await ana.untilRestored()
            #expect(ana.recorder.count(.handLowered("ana")) == 1)
            #expect(ana.recorder.count(.ownMuted) == 1)
            for member in [ana, ben] {
                #expect(member.view["ana"].map { $0.isMuted && !$0.isPaused && $0.isPresenting } == true)
                #expect(member.view.hands.isEmpty)
                #expect(member.view.recorder == "ana")
                #expect(member.recorder.count(.notSharing("ana")) == 0)
            }
        }
    }

    @Test(
        "C5: what is asked for offline is in force at the relay before the connection is told to be restored",
        arguments: [
            SessionCommand.muteAudio, .pauseVideo, .startScreenSharing, .raiseHand, .setDisplayName("A"),
            .startRecording, .setTitle("plans"), .muteParticipant(participantId: "ben"),
        ]
    )
    func askedOffline(command: SessionCommand) async throws {
        try await Stage.run("--grace", "2m") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            let network = try await away(ana)
            // It has been asked for when this returns; a task that does so may be late.
            ana.session.ask(command)
            ana.session.setLayout(.sidebar)
            await network.admit(.pass)
            try await ana.untilRestored()
            let view = try View(#require(try await stage.peek()))
            switch command {
            case .muteAudio: #expect(view["ana"]?.isMuted == true)
            case .pauseVideo: #expect(view["ana"]?.isPaused == true)
            case .startScreenSharing: #expect(view["ana"]?.isPresenting == true)
            case .raiseHand: #expect(view.hands == ["ana"])
            case .setDisplayName: #expect(view["ana"]?.name == "A")
            case .startRecording: #expect(view.recorder == "ana")
            case .setTitle: #expect(view.title == "plans")
            default: #expect(view["ben"]?.isMuted == true)
            }
            #expect(ana.recorder.hearings.last { $0.heard == .connectionRestored }?.view.shared.rows == view.rows)
            _ = ben
        }
    }

    @Test("C5: of what is asked for offline the last value counts, shows at once, and the others see nothing else")
    func lastValueOffline() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            let network = try await away(ana)
            ana.session.muteAudio()
            #expect(ana.view.media?.isMuted == true && ana.view["ana"]?.isMuted == true)
            ana.session.unmuteAudio()
            ana.session.muteAudio()
            ana.session.pauseVideo()
            ana.session.resumeVideo()
            #expect(ana.view.media == View.Media(isMuted: true))
            await network.admit(.pass)
            try await ana.untilRestored()
            try await ben.recorder.until(.muted("ana"))
            try await stage.settle()
            let told = ben.recorder.heard(about: "ana").filter { if case .status = $0 { false } else { true } }
            #expect(told.filter { $0 == .muted("ana") }.count == 1)
            #expect(!told.contains(.unmuted("ana")) && !told.contains(.paused("ana")))
            #expect(ana.session.lastError == nil)
        }
    }
}
