import Rollcall
import RollcallCalls
import TestSupport
import Testing

@Suite("H. The order of hands", .timeLimit(.minutes(1)))
struct HandOrderTests {
    @Test("H5: who raised first at the relay is first for all, whatever an app had shown at once")
    func optimisticHand() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            let network = try #require(ana.network)
            // ana's hand is up on her own screen, and the relay does not know it before ben's.
            await network.hold(.toRelay)
            ana.session.raiseHand()
            try await ana.recorder.until(.handRaised("ana"))
            try await ben.perform(.raiseHand)
            try await ana.recorder.until(.handRaised("ben"))
            #expect(ana.view.hands == ["ben", "ana"])
            await network.release(.toRelay)
            try await ben.recorder.until(.handRaised("ana"))
            try await stage.settle()
            let cho = try await stage.join("cho")
            for member in [ana, ben, cho] {
                #expect(member.view.hands == ["ben", "ana"])
                #expect(member.session.raisedHands.map(\.place) == [1, 2])
                #expect(member.recorder.queue == ["ben", "ana"], "by what \(member) was told")
                #expect(member.view["ana"]?.handAt == cho.view["ana"]?.handAt)
            }
        }
    }

    @Test("H5: many hands at once have one order, for those who saw them go up and for who comes late")
    func manyHands() async throws {
        try await Stage.run { stage in
            var members: [Member] = []
            for number in 0..<8 { members.append(try await stage.join("p\(number)")) }
            await withTaskGroup(of: Void.self) { group in
                for member in members {
                    group.addTask {
                        member.session.raiseHand()
                        if member.uid == "p3" { member.session.lowerHand() }
                        if member.uid == "p3" { member.session.raiseHand() }
                    }
                }
            }
            for member in members { try await member.catchUp() }
            try await stage.settle()
            members.append(try await stage.join("late"))
            let relay = try #require(try await stage.peek()).raisedHands.map(\.uid)
            #expect(relay.count == 8)
            for member in members {
                #expect(member.view.hands == relay)
                #expect(member.recorder.queue == relay, "by what \(member) was told")
            }
        }
    }

    @Test("H5: the order outlives a slow app, a lost link, another device and a hand in the middle that goes down")
    func orderStays() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let ben = try await stage.join("ben")
            let cho = try await stage.join("cho")
            for member in [ana, ben, cho] { try await member.perform(.raiseHand) }
            cho.holdApp()
            await ana.lose()
            try await ana.untilLost()
            try await ben.perform(.lowerHand)
            try await ben.perform(.raiseHand)
            cho.releaseApp()
            await ana.reconnect()
            try await ana.untilRestored()
            let again = try await stage.join("ana", device: "laptop")
            try await again.perform(.raiseHand)
            try await stage.settle()
            for member in [ana, ben, cho, again] {
                #expect(member.view.hands == ["ana", "cho", "ben"])
                #expect(member.recorder.queue == ["ana", "cho", "ben"], "by what \(member) was told")
            }
        }
    }
}

extension Recorder {
    /// The queue of an app that appends a hand that goes up, and removes one that goes down.
    fileprivate var queue: [String] {
        var queue: [String] = []
        for heard in heard {
            switch heard {
            case .handRaised(let uid): queue.append(uid)
            case .handLowered(let uid): queue.removeAll { $0 == uid }
            default: continue
            }
        }
        return queue
    }
}
