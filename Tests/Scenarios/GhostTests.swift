import Foundation
import Rollcall
import RollcallCalls
import RollcallProtocol
import TestSupport
import Testing

@Suite("D. Ghosts", .timeLimit(.minutes(1)))
struct GhostTests {
    @Test("D1: who is cut off for good is out of every list after the grace", arguments: Loss.allCases)
    func cutForGood(loss: Loss) async throws {
        try await Stage.run(options: Stage.impatient) { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            let cho = try await stage.join("cho")
            try await ben.perform(.raiseHand)
            try await stage.settle()
            await ben.lose(loss)
            for member in [ana, cho] {
                try await member.recorder.until(.left("ben"))
                let expected: [Heard] = [.joined("ben"), .handRaised("ben"), .handLowered("ben"), .left("ben")]
                #expect(member.recorder.summary(of: "ben") == expected)
                #expect(member.view.uids == ["ana", "cho"] && member.view.hands.isEmpty)
                #expect(member.session.participant(uid: "ben") == nil)
            }
            let dan = try await stage.join("dan")
            #expect(dan.view.uids == ["ana", "cho", "dan"])
            #expect(dan.recorder.heard(about: "ben").isEmpty)
            try await ben.noticeLoss()
        }
    }

    @Test("D1: nobody outlives a relay that crashed without coming back", arguments: [SIGTERM, SIGKILL])
    func relayGoes(signal: Int32) async throws {
        try await Stage.run("--resume-after", "0") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            await ben.lose()
            try await ben.untilLost()
            try await ana.recorder.until(.reconnecting("ben"))
            try await stage.restart(signal)
            try await ana.untilRestored()
            #expect(ana.view.uids == ["ana"])
            #expect(ana.recorder.count(.left("ben")) == 1)
        }
    }

    @Test("D1: the people of a bridge go with it")
    func bridgeDies() async throws {
        try await Stage.run("--grace", "1s") { stage in
            let ana = try await stage.join("ana")
            let network = try stage.network()
            let bridge = try await stage.bridge(over: network)
            try await bridge.bringIn("pstn", device: "line 1", name: "Caller")
            try await bridge.state([.handRaised(true)], of: "pstn")
            try await ana.recorder.until(.handRaised("pstn"))
            await network.cut()
            try await ana.recorder.until(.left("pstn"))
            #expect(ana.recorder.summary(of: "pstn").suffix(2) == [.handLowered("pstn"), .left("pstn")])
            #expect(ana.view.uids == ["ana"] && ana.view.hands.isEmpty)
            await bridge.leave()
        }
    }

    @Test("D3: an app that was killed and starts again is one participant", arguments: Loss.allCases)
    func startsAgain(loss: Loss) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ben.perform(.raiseHand)
            let at = try #require(ben.view["ben"]?.handAt)
            await ben.lose(loss)
            let again = try await stage.join("ben", SessionSettingsBuilder().startAudioMuted(true).build())
            try await ana.recorder.until(.muted("ben"))
            for member in [ana, again] {
                #expect(member.view.uids == ["ana", "ben"])
                #expect(member.view["ben"]?.devices == ["phone"])
                #expect(member.view["ben"]?.handAt == at)
                #expect(member.view["ben"]?.isReconnecting == false)
            }
            #expect(ana.recorder.count(.joined("ben")) == 1 && ana.recorder.count(.left("ben")) == 0)
            // The old app was only cut off: it learns that it is not wanted any more, and takes nothing back.
            await ben.reconnect()
            try await ben.recorder.until(.sessionLeft)
            #expect(ben.session.endReason == .replaced)
            #expect(ana.view["ben"]?.isMuted == true)
        }
    }

    @Test("D3: nor is it two participants when it has lost its device id", arguments: Loss.allCases)
    func startsAgainAsNewDevice(loss: Loss) async throws {
        // It starts again within the grace, however busy the machine is.
        try await Stage.run(options: Stage.forgiving) { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            await ben.lose(loss)
            let again = try await stage.join(
                "ben",
                device: "another",
                SessionSettingsBuilder().startAudioMuted(true).build()
            )
            // The microphone of the one that is gone counts until its grace is over.
            try await ana.recorder.until(.muted("ben"))
            try await ben.noticeLoss()
            try await stage.settle()
            for member in [ana, again] {
                #expect(member.view.uids == ["ana", "ben"])
                #expect(member.view["ben"]?.devices == ["another"])
            }
            #expect(ana.recorder.count(.joined("ben")) == 1 && ana.recorder.count(.left("ben")) == 0)
        }
    }

    @Test("D4: a lost link shows at once, and left comes when the relay's grace ends", arguments: [0, 1_000])
    func graceOfTheRelay(grace: Int) async throws {
        try await Stage.run("--grace", "\(grace)ms") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ana.recorder.until(.joined("ben"))
            await ben.lose()
            try await ana.recorder.until(.left("ben"))
            #expect(ana.recorder.summary(of: "ben") == [.joined("ben"), .left("ben")])
            if grace == 0 { #expect(ana.recorder.count(.reconnecting("ben")) == 0) }
            try await ben.untilLost()
        }
    }

    @Test("D4: the call says how long it waits, and whoever joins meanwhile sees who is waited for")
    func graceOfTheCall() async throws {
        try await Stage.run("--grace", "120s") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            let server = try await stage.bot()
            await ben.lose()
            try await ana.recorder.until(.reconnecting("ben"))
            let cho = try await stage.join("cho")
            #expect(cho.view["ben"]?.isReconnecting == true)
            #expect(cho.recorder.story(of: "ben") == [.joined("ben"), .reconnecting("ben")])
            await ben.reconnect()
            try await ben.untilRestored()
            try await ana.recorder.until(.reconnected("ben"))
            #expect(ana.recorder.count(.left("ben")) == 0)
            try await server.setGrace(.milliseconds(50))
            await ben.lose()
            try await ana.recorder.until(.left("ben"))
            try await ben.untilLost(times: 2)
        }
    }

    @Test("D5: the other one dies: left, the list and the idle countdown agree", arguments: Loss.allCases)
    func otherDies(loss: Loss) async throws {
        try await Stage.run(options: Stage.impatient) { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            let server = try await stage.bot()
            try await server.setIdle(.milliseconds(300))
            await ben.lose(loss)
            try await ana.recorder.until(.sessionTimedOut)
            let things: [Heard] = [.left("ben"), .list(["ana"]), .sessionTimedOut]
            #expect(ana.recorder.order(of: things).suffix(3) == things)
            #expect(ana.session.endReason == .timedOut && !ana.session.isCallSessionActive())
            #expect(ana.recorder.count(.left("ana")) == 0)
            #expect(try await stage.peek()?.people.isEmpty != false)
            try await ben.noticeLoss()
        }
    }

    @Test("D5: who leaves starts the countdown too; who is waited for, and who comes, stops it")
    func countdown() async throws {
        try await Stage.run("--grace", "120s") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            let server = try await stage.bot()
            // Shorter than any way back: if the countdown ran while ben is waited for, ana would be out.
            try await server.setIdle(.milliseconds(100))
            await ben.lose()
            try await ana.recorder.until(.reconnecting("ben"))
            await ben.reconnect()
            try await ben.untilRestored()
            try await ana.recorder.until(.reconnected("ben"))
            #expect(ana.session.isCallSessionActive())
            await ben.session.leave()
            try await ana.recorder.until(.sessionTimedOut)
            #expect(ana.recorder.count(.sessionTimedOut) == 1)
            #expect(ana.recorder.order(of: [.left("ben"), .sessionTimedOut]) == [.left("ben"), .sessionTimedOut])
        }
    }

    @Test("D6: a closed socket and a silent death are told alike, to a second listener and a late one too")
    func alike() async throws {
        try await Stage.run(options: Stage.impatient) { stage in
            let ana = try await stage.join("ana")
            let second = ana.listener()
            let ben = try await stage.join("ben", over: stage.network())
            let cho = try await stage.join("cho", over: stage.network())
            for member in [ben, cho] {
                try await member.perform(.startScreenSharing)
                try await member.perform(.raiseHand)
            }
            try await ana.recorder.until(.handRaised("cho"))
            let late = ana.listener()
            await ben.lose(.closed)
            await cho.lose(.silent)
            for recorder in [ana.recorder, second, late] {
                try await recorder.until(.left("ben"))
                try await recorder.until(.left("cho"))
                let closed = recorder.summary(of: "ben").map { $0.about("one") }
                let silent = recorder.summary(of: "cho").map { $0.about("one") }
                #expect(closed == silent)
                #expect(
                    closed.suffix(3) == [.notSharing("one"), .handLowered("one"), .left("one")]
                )
            }
            for member in [ben, cho] { try await member.noticeLoss() }
            try await stage.settle()
            for recorder in [second, late] { #expect(recorder.faults() == []) }
        }
    }

    @Test("D8: left comes once for each joined, to a slow app too, and counters never go below zero")
    func counters() async throws {
        try await Stage.run("--grace", "0") { stage in
            let ana = try await stage.join("ana")
            for round in 0..<6 {
                let isSlow = !round.isMultiple(of: 3)
                if isSlow { ana.holdApp() }
                let ben = try await stage.join("ben", over: stage.network())
                let cho = try await stage.join("cho", device: "laptop \(round)")
                await ben.lose()
                try await ben.untilLost()
                await ben.session.leave()
                await cho.session.leave()
                if isSlow { ana.releaseApp() }
            }
            try await stage.settle()
            var present: [String: Int] = [:]
            for heard in ana.recorder.heard {
                switch heard {
                case .joined(let uid): present[uid, default: 0] += 1
                case .left(let uid): present[uid, default: 0] -= 1
                default: continue
                }
                #expect(present.values.allSatisfy { (0...1).contains($0) })
            }
            #expect(present.filter { $0.value == 1 }.keys.sorted() == ["ana"])
            #expect(ana.recorder.count(.left("ana")) == 0)
        }
    }

    @Test("D11: an app that is swiped away is out by the policy, and one that says goodbye at once")
    func swipedAway() async throws {
        try await Stage.run("--grace", "1s") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ana.recorder.until(.joined("ben"))
            await ben.lose()
            try await ana.recorder.until(.left("ben"))
            #expect(ana.recorder.summary(of: "ben") == [.joined("ben"), .left("ben")])
            try await ben.untilLost()

            let cho = try await stage.join("cho")
            try await ana.recorder.until(.joined("cho"))
            await cho.session.leave()
            try await ana.recorder.until(.left("cho"))
            #expect(ana.recorder.story(of: "cho") == [.joined("cho"), .left("cho")])

            // What it had just said before it went still counts.
            let dan = try await stage.join("dan", over: stage.network())
            try await dan.perform(.startRecording)
            try await ana.recorder.until(.joined("dan"))
            await dan.lose()
            try await ana.recorder.until(.left("dan"))
            #expect(ana.view.recorder == "dan")
            try await dan.untilLost()
        }
    }
}

extension Heard {
    /// The same about somebody else, to compare two stories.
    fileprivate func about(_ other: String) -> Heard {
        switch self {
        case .joined: .joined(other)
        case .left: .left(other)
        case .sharing: .sharing(other)
        case .notSharing: .notSharing(other)
        case .handRaised: .handRaised(other)
        case .handLowered: .handLowered(other)
        case .reconnecting: .reconnecting(other)
        case .reconnected: .reconnected(other)
        default: self
        }
    }
}
