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
            await ana.drain()
            #expect(ana.view.recorder == nil && ana.recorder.count(.ownNotRecording) == 1)
        }
    }
}
