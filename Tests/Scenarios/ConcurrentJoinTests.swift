import CallState
import Foundation
import Rollcall
import RollcallCalls
import RollcallProtocol
import TestSupport
import Testing

@Suite("B. Snapshot against live changes", .timeLimit(.minutes(5)))
struct ConcurrentJoinTests {
    @Test("B1: two join at once, and all are told the same of both", arguments: 0..<4)
    func twoAtOnce(round: Int) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", .make { $0.startAudioMuted(true) })
            let ben = stage.add("ben")
            let chloe = stage.add("chloe")
            let muted = SessionSettings.make { $0.startAudioMuted(true) }
            async let first: Void = ben.join(muted)
            async let second: Void = chloe.join(muted)
            _ = try await (first, second)
            try await stage.settle()
            for member in [ana, ben, chloe] {
                for uid in ["ana", "ben", "chloe"] {
                    #expect(member.recorder.heard(about: uid) == [.joined(uid), .muted(uid)], "\(member) of \(uid)")
                }
            }
        }
    }

    @Test("B2: snapshots and questions beside the stream never bring an older state back")
    func secondChannel() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let client = RollcallClient(stage.relay.address, options: Stage.patient)
            let ben = try await client.join(Stage.call, as: Identity(uid: "ben"))
            let positions = Task {
                var seen: [Position] = []
                for await update in ben.updates { seen.append(update.state.position) }
                return seen
            }
            for round in 0..<20 {
                async let peeked = stage.peek()
                // No more often than a client may that lacks something.
                if [2, 9, 16].contains(round) { ben.resync() }
                try await ana.perform(round.isMultiple(of: 2) ? .raiseHand : .lowerHand)
                _ = try await peeked
            }
            try await ana.perform(.raiseHand)
            for await update in ben.updates where update.state.position == ana.view.position { break }
            #expect(ben.state.raisedHands.map(\.uid) == ["ana"])
            let relay = try #require(try await stage.peek())
            #expect(ben.position == relay.position)
            #expect(ben.digest == relay.digest)
            await ben.leave()
            let seen = await positions.value
            #expect(seen == seen.sorted())
        }
    }

    @Test(
        "B4: the relay restarts, 50 come back at once while things change, and all equal the relay",
        arguments: [true, false]
    )
    func restart(isPlanned: Bool) async throws {
        try await Stage.run("--resume-after", "50ms") { stage in
            let members = (0..<50).map { number in
                stage.add("p\(number)", isCrowd: number > 2)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for member in members { group.addTask { try await member.join() } }
                try await group.waitForAll()
            }
            try await stage.restart(isPlanned ? SIGTERM : SIGKILL)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, member) in members.enumerated() {
                    group.addTask {
                        try await member.untilRestored()
                        if number.isMultiple(of: 5) { try await member.perform(.raiseHand) }
                    }
                }
                try await group.waitForAll()
            }
            try await stage.settle()
            for member in members {
                #expect(member.view.rows.count == 50, "\(member)")
                #expect(member.view.hands.count == 10, "\(member)")
            }
        }
    }

    @Test(
        "B5, B10: what changes while somebody's join is on its way reaches them",
        arguments: [
            SessionCommand.startRecording, .setTitle("plans"), .spotlight(participantIds: ["ana"]), .raiseHand,
            .muteAudio, .pauseVideo, .startScreenSharing, .setStandingMute(true), .setDisplayName("Ana Maria"),
            .setAttribute("seat", [7]), .setModerator(participantId: "ana", true),
        ]
    )
    func changeDuringJoin(command: SessionCommand) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let network = try stage.network()
            let ben = stage.add("ben", over: network)
            await network.hold(.toClient)
            async let joined: Void = ben.join()
            // The relay has answered with a state, which ben does not have yet.
            try await ana.recorder.until(.joined("ben"))
            try await network.until("the snapshot waits") { $0.held[.toClient, default: 0] > 100 }
            try await ana.perform(command)
            await network.release(.toClient)
            try await joined
            try await stage.settle()
            #expect(ben.view.shared == ana.view.shared)
        }
    }

    @Test("B5: who leaves, and who is removed, while somebody's join is on its way is gone for them")
    func departureDuringJoin() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let chloe = try await stage.join("chloe")
            let dan = try await stage.join("dan")
            let network = try stage.network()
            let ben = stage.add("ben", over: network)
            await network.hold(.toClient)
            async let joined: Void = ben.join()
            try await ana.recorder.until(.joined("ben"))
            await chloe.session.leave()
            try await ana.perform(.removeParticipant(participantId: "dan"))
            try await dan.recorder.until(.sessionLeft)
            #expect(dan.session.endReason == .removed)
            await network.release(.toClient)
            try await joined
            try await stage.settle()
            #expect(ben.view.uids == ["ana", "ben"])
        }
    }

    @Test("B7: a call of 400 is complete for who joins, and a change of the last of them arrives")
    func manyPeople() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", isCrowd: true)
            let bot = try await stage.bot()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        let status = Status(audio: .on, video: .on)
                        let name = "Somebody with a longer name, number \(number)"
                        try await bot.bringIn("p\(number)", device: "d", name: name, status: status)
                    }
                    // No more at once than a client may have unanswered.
                    if number >= 40 { try await group.next() }
                }
                try await group.waitForAll()
            }
            let late = try await stage.join("late", isCrowd: true)
            #expect(late.view.rows.count == 402)
            let last = try #require(late.view.uids.last { $0 != "late" })
            for member in [ana, late] { #expect(member.view[last]?.isMuted == false) }
            try await bot.state([.audioMuted(true), .handRaised(true)], of: last)
            for member in [ana, late] {
                try await member.recorder.until(.muted(last))
                try await member.recorder.until(.handRaised(last))
            }
            await bot.leave()
        }
    }

    @Test("B9: A then B and B then A give the same callbacks")
    func eitherFirst() async throws {
        var told: [[String: [Heard]]] = []
        for order in [["ana", "ben"], ["ben", "ana"]] {
            try await Stage.run { stage in
                for uid in order { try await stage.join(uid, .make { $0.startAudioMuted(uid == "ana") }) }
                try await stage.settle()
                for member in stage.members {
                    told.append([
                        "ana": member.recorder.heard(about: "ana"), "ben": member.recorder.heard(about: "ben"),
                    ])
                }
            }
        }
        #expect(Set(told).count == 1)
        #expect(told.first?["ana"] == [.joined("ana"), .muted("ana")])
    }

    @Test("B12: two begin a call at once; both are in the same meeting from the first callback on", arguments: 0..<4)
    func beginning(round: Int) async throws {
        try await Stage.run { stage in
            let ana = stage.add("ana")
            let ben = stage.add("ben")
            async let first: Void = ana.join()
            async let second: Void = ben.join()
            _ = try await (first, second)
            try await stage.settle()
            let meeting = try #require(ana.view.meeting)
            for member in [ana, ben] {
                #expect(member.recorder.hearings.allSatisfy { $0.view.meeting == meeting })
                #expect(member.recorder.hearings.first?.view.rows.isEmpty == false)
                #expect(member.session.participant(uid: "ana")?.mid == meeting)
            }
        }
    }

    @Test("B12: a call that was empty for a moment is another meeting, and nobody is left over from the first")
    func anotherMeeting() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            try await ana.perform(.raiseHand)
            let first = ana.view.meeting
            await ana.session.leave()
            let ben = try await stage.join("ben")
            #expect(ben.view.uids == ["ben"] && ben.view.hands.isEmpty)
            #expect(ben.view.meeting != nil && ben.view.meeting != first)
            try await ana.join()
            try await ben.recorder.until(.joined("ana"))
            #expect(ana.view.meeting == ben.view.meeting)
            #expect(ana.view.hands.isEmpty)
        }
    }
}
