import Rollcall
import RollcallCalls
import TestSupport
import Testing

// The same device once more: which of the two counts, and what others see of it.

extension DeviceTests {
    @Test("E5: the same device joins again: a takeover, with no left and no second joined", arguments: [true, false])
    func takeover(isOldLost: Bool) async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let old = try await stage.join("ben", over: stage.network())
            try await old.perform(.raiseHand)
            try await old.perform(.startScreenSharing)
            let before = try #require(ana.view["ben"])
            if isOldLost {
                await old.lose()
                try await ana.recorder.until(.reconnecting("ben"))
            }
            let place = ana.recorder.count
            let new = try await stage.join("ben", RollcallCalls.sessionSettingsBuilder.startAudioMuted(true).build())
            try await ana.recorder.until(.muted("ben"))
            // The device begins anew, the person goes on.
            let after = try #require(ana.view["ben"])
            #expect(after.handAt == before.handAt && after.joinedAt == before.joinedAt)
            #expect(after.isMuted && !after.isPresenting && after.devices == ["phone"])
            let heard = Set(ana.recorder.heard(since: place))
            #expect(heard.isDisjoint(with: [.joined("ben"), .left("ben"), .handLowered("ben"), .handRaised("ben")]))
            #expect(new.view.uids == ["ana", "ben"])
            await old.reconnect()
            try await old.recorder.until(.sessionLeft)
            #expect(old.session.endReason == .replaced)
        }
    }

    @Test("E7: the old connection ends after the new one is active, and the new one stays", arguments: Loss.allCases)
    func oldEndsLate(loss: Loss) async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ana = try await stage.join("ana")
            let old = try await stage.join("ben", over: stage.network())
            // What the old one still says is kept back until the new one is in.
            await old.network?.hold(.toRelay, .toClient)
            old.session.raiseHand()
            old.session.muteAudio()
            if loss == .silent { await old.lose(.silent) }
            let new = try await stage.join("ben")
            await old.network?.release(.toRelay, .toClient)
            if loss == .closed { try await old.recorder.until(.sessionLeft) }
            await old.lose(.closed)
            if loss == .silent { try await old.untilLost() }
            try await stage.settle()
            // Longer than the grace, so that a timer of the old connection would have struck.
            let server = try await stage.bot()
            let gone = try await stage.join("gone", over: stage.network())
            try await ana.recorder.until(.joined("gone"))
            await gone.lose()
            try await ana.recorder.until(.left("gone"))
            try await gone.untilLost()
            #expect(ana.view["ben"]?.isReconnecting == false && new.session.isCallSessionActive())
            #expect(ana.view.hands.isEmpty && ana.view["ben"]?.isMuted == false)
            #expect(ana.recorder.story(of: "ben") == [.joined("ben")])
            #expect(server.state.person(uid: "ben")?.devices.count == 1)
            await old.reconnect()
            try await old.recorder.until(.sessionLeft)
        }
    }

    @Test("E7: the end of the old connection comes first, and the new one is the same participant")
    func oldEndsEarly() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ben.perform(.raiseHand)
            for round in 1...3 {
                await ben.lose()
                try await ana.recorder.until(.reconnecting("ben"), times: round)
                await ben.reconnect()
                try await ben.untilRestored(times: round)
                try await ana.recorder.until(.reconnected("ben"), times: round)
            }
            #expect(ana.view.uids == ["ana", "ben"] && ana.view.hands == ["ben"])
            #expect(ana.recorder.count(.joined("ben")) == 1 && ana.recorder.count(.left("ben")) == 0)
            #expect(ana.recorder.count(.handRaised("ben")) == 1)
        }
    }

    @Test("E9: two apps of one account and device: the displaced one is told why, and stays away")
    func noWar() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let networks = [try stage.network(), try stage.network()]
            let first = try await stage.join("ben", over: networks[0])
            let second = try await stage.join("ben", over: networks[1])
            try await first.recorder.until(.sessionLeft)
            #expect(first.session.endReason == .replaced && !first.session.isCallSessionActive())
            // Neither a break of the other one's link nor its end calls it back.
            await networks[1].cut()
            try await second.untilRestored()
            await second.session.leave()
            try await ana.recorder.until(.left("ben"))
            #expect(await networks[0].status.accepted == 1)
            #expect(await networks[1].status.accepted == 2)
            #expect(first.recorder.heard.filter(\.isTerminal) == [.sessionLeft])
            #expect(first.recorder.count(.connectionLost) == 0)
            // Only when its user wants it does it come again.
            try await first.join()
            try await stage.settle()
            #expect(ana.view.uids == ["ana", "ben"])
        }
    }

    @Test("E10: whoever watches sees each person once, and what the relay's list has")
    func observersAgree() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let server = try await stage.bot()
            for round in 0..<3 {
                let ben = try await stage.join("ben", device: "phone", over: stage.network())
                let again = try await stage.join("ben", device: round == 1 ? "laptop" : "phone", over: stage.network())
                await again.network?.cut()
                try await again.untilRestored()
                let cho = try await stage.join("cho", over: stage.network())
                try await stage.settle()
                let relay = try #require(try await stage.peek())
                #expect(relay.people.map(\.uid) == ["ana", "ben", "cho"])
                #expect(ana.view.shared.differences(from: View(relay)) == [])
                #expect(server.position == relay.position && server.state.people == relay.people)
                for member in [ben, again, cho] { await member.session.leave() }
                try await ana.recorder.until(.left("ben"), times: round + 1)
                try await ana.recorder.until(.left("cho"), times: round + 1)
            }
            #expect(ana.recorder.count(.joined("ben")) == 3)
        }
    }
}
