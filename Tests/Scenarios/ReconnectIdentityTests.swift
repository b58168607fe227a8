import Foundation
import Rollcall
import RollcallCalls
import RollcallProtocol
import TestSupport
import Testing

@Suite("C. Reconnect: who one is", .timeLimit(.minutes(5)))
struct ReconnectIdentityTests {
    @Test("C7: pin, layout and audio mode stay through a reconnect")
    func localPreferences() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let network = try stage.network()
            let ana = try await stage.join("ana", over: network)
            try await stage.join("ben")
            try await ana.recorder.until(.joined("ben"))
            ana.session.pinParticipant(participantId: "ben", type: "human")
            ana.session.setLayout(.spotlight)
            ana.session.setAudioMode(.bluetooth)
            ana.session.enablePictureInPictureLayout()
            await network.cut()
            try await ana.untilRestored()
            #expect(ana.view.pinned == "ben" && ana.session.pinType == "human")
            #expect(ana.session.participant(uid: "ben")?.isPinned == true)
            #expect(ana.view.layout == .spotlight && ana.view.audioMode == .bluetooth)
            #expect(ana.session.isPictureInPictureEnabled)
            for heard in [Heard.layout(.spotlight), .audioMode(.bluetooth), .pictureInPicture] {
                #expect(ana.recorder.count(heard) == 1, "\(heard)")
            }
        }
    }

    @Test("C7: the pin of somebody who has left meanwhile is gone, and does not come back with them")
    func pinOfSomebodyGone() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let network = try stage.network()
            let ana = try await stage.join("ana", over: network)
            let ben = try await stage.join("ben")
            try await ana.recorder.until(.joined("ben"))
            ana.session.pinParticipant(participantId: "ben")
            await network.admit(.refuse)
            await network.cut()
            try await ana.untilLost()
            await ben.session.leave()
            try await ben.join()
            await network.admit(.pass)
            try await ana.untilRestored()
            #expect(ana.view.pinned == nil)
            #expect(ana.session.participant(uid: "ben")?.isPinned == false)
        }
    }

    @Test("C9: a join that succeeds too late is taken over by its retry, and commands go to the right connection")
    func lateFirstJoin() async throws {
        try await Stage.run { stage in
            let ben = try await stage.join("ben")
            let network = try stage.network()
            let ana = stage.add("ana", over: network)
            await network.hold(.toClient)
            let first = Task { try await ana.enter() }
            // The relay has let the first in, and the app, whose connection breaks now, does not learn of it.
            try await ben.recorder.until(.joined("ana"))
            await network.cut()
            await #expect(throws: RollcallCallException.self) { try await first.value }
            await network.release(.toClient)
            try await ana.join()
            try await ana.perform(.raiseHand)
            try await ben.recorder.until(.handRaised("ana"))
            try await stage.settle()
            #expect(ben.view.uids == ["ben", "ana"])
            #expect(ben.view["ana"]?.devices == ["phone"])
            #expect(ana.view.hands == ["ana"])
        }
    }

    @Test("C10: after many flaps everybody is there once, and nobody left or joined")
    func flaps() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let network = try stage.network()
            let ana = try await stage.join("ana", over: network)
            let tablet = try await stage.join("ana", device: "tablet", over: network)
            let ben = try await stage.join("ben")
            for round in 1...4 {
                await network.cut()
                try await ana.untilRestored(times: round)
                try await tablet.untilRestored(times: round)
            }
            try await stage.settle()
            for member in [ana, tablet, ben] {
                #expect(member.view.uids == ["ana", "ben"])
                #expect(member.view["ana"]?.devices == ["phone", "tablet"])
                #expect(member.recorder.count(.joined("ana")) == 1)
                #expect(!member.recorder.heard.contains { if case .left = $0 { true } else { false } })
            }
            let flaps = ana.recorder.heard.filter { [.connectionLost, .connectionRestored].contains($0) }
            #expect(flaps == (1...4).flatMap { _ in [Heard.connectionLost, .connectionRestored] })
        }
    }

    @Test("C12: a resume goes by the relay's own secret, whatever became of the token of the join")
    func tokenGone() async throws {
        try await Stage.run("--grace", "2m") { stage in
            let network = try stage.network()
            let ben = try await stage.join("ben")
            let identity = Identity(uid: "ana", device: "phone", token: "")
            let client = RollcallClient(network.address, options: Stage.patient)
            let ana = try await client.join(Stage.call, as: identity)
            let first = ana.joined
            try await ana.raiseHand()
            await network.cut()
            for await state in ana.connectionUpdates where state.isLive && ana.joined.attachment != first.attachment {
                break
            }
            #expect(ana.joined.outcome == .resumed)
            #expect(ana.joined.incarnation == first.incarnation && ana.joined.secret == first.secret)
            try await ben.recorder.until(.reconnected("ana"))
            #expect(ben.view.hands == ["ana"])
            await ana.leave()
        }
    }

    @Test("C13: who was away for longer than the grace is in again by itself, and is told what is gone")
    func longerThanGrace() async throws {
        try await Stage.run("--grace", "300ms") { stage in
            let network = try stage.network()
            let ana = try await stage.join("ana", over: network)
            let ben = try await stage.join("ben")
            try await ana.perform(.raiseHand)
            await network.admit(.refuse)
            await network.cut()
            try await ana.untilLost()
            ana.session.muteAudio()
            ana.session.startRecording()
            try await ben.recorder.until(.left("ana"))
            await network.admit(.pass)
            try await ana.untilRestored()
            try await ben.recorder.until(.joined("ana"), times: 2)
            try await stage.settle()
            #expect(ana.session.isCallSessionActive())
            #expect(ana.view.uids == ["ben", "ana"] && ben.view.uids == ["ben", "ana"])
            // The hand went with the first membership; the device's fact is the initial status of the second.
            #expect(ana.view.hands.isEmpty && ana.recorder.count(.handLowered("ana")) == 1)
            #expect(ben.view["ana"]?.isMuted == true)
            #expect(ben.view.recorder == nil)
            #expect(ana.session.lastError?.underlying?.code == .expired)
        }
    }

    @Test(
        "C15: membership is the connection: a client that is killed is gone after the grace, without a word of its own"
    )
    func killedClient() async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ben = try await stage.join("ben")
            let address = stage.relay.address
            let probe = try ChildProcess(
                built: "rollcall-probe",
                ["set", Stage.call, "--connect", "\(address)", "--as", "ana", "--stay", "1h", "hand=up"]
            )
            try await ben.recorder.until(.handRaised("ana"))
            probe.send(SIGKILL)
            try await ben.recorder.until(.left("ana"))
            #expect(ben.recorder.heard(about: "ana").suffix(2) == [.handLowered("ana"), .left("ana")])
            #expect(ben.view.uids == ["ben"])
            _ = await probe.end()
        }
    }

    @Test("C16: differences that are lost on the way are noticed by their numbers and made good")
    func lostDifferences() async throws {
        try await Stage.run { stage in
            let network = try stage.network()
            let ana = try await stage.join("ana", over: network)
            let ben = try await stage.join("ben")
            try await ana.recorder.until(.joined("ben"))
            await network.lose(frames: 2)
            try await ben.perform(.raiseHand)
            try await ben.perform(.muteAudio)
            try await ben.perform(.pauseVideo)
            // A snapshot tells all three, in an order of its own.
            for event in [.paused("ben"), .muted("ben"), .handRaised("ben")] as [Heard] {
                try await ana.recorder.until(event)
            }
            #expect(ana.recorder.count(.handRaised("ben")) == 1)
            #expect(ana.recorder.count(.muted("ben")) == 1)
            #expect(ana.recorder.count(.connectionLost) == 0)
            try await stage.settle()
            #expect(ana.view.shared == ben.view.shared)
        }
    }

    @Test("C16: a loss that nothing follows is found by the next heartbeat")
    func lostLastDifference() async throws {
        try await Stage.run("--ping-interval", "100ms") { stage in
            let network = try stage.network()
            let ana = try await stage.join("ana", over: network)
            let ben = try await stage.join("ben")
            try await ana.recorder.until(.joined("ben"))
            await network.lose(frames: 1)
            try await ben.perform(.raiseHand)
            try await ana.recorder.until(.handRaised("ben"))
        }
    }

    @Test("C16: a connection that is cut in the middle of a frame loses nothing", arguments: [1, 5, 11, 40])
    func cutInsideFrame(count: Int) async throws {
        try await Stage.run("--grace", "2m") { stage in
            let network = try stage.network()
            let ana = try await stage.join("ana", over: network)
            let ben = try await stage.join("ben")
            try await ana.recorder.until(.joined("ben"))
            await network.cut(after: count, .toClient)
            for command in [SessionCommand.raiseHand, .muteAudio, .pauseVideo, .startScreenSharing, .lowerHand] {
                try await ben.perform(command)
            }
            try await ana.untilRestored()
            try await stage.settle()
            #expect(ana.view.shared == ben.view.shared)
            #expect(ana.recorder.count(.muted("ben")) == 1 && ana.recorder.count(.sharing("ben")) == 1)
        }
    }
}
