import CallState
import Randomness
import Testing

@testable import CallStore

/// What comes out of a file is what went in.
@Suite struct RoundTripTests {
    @Test("a call that was kept in pieces is the call that lived", arguments: 0..<12)
    func whole(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let machine = try Machine()
        var call = RandomCall("stand-up «daily»", seed: seed)
        var keeper = try machine.start()
        guard case .claimed(_, let claim)? = keeper.carryOut([.claim(call.session)]).first else { throw Unexpected() }
        call.begin(epoch: claim.epoch)
        for _ in 0..<40 {
            await Task.yield()
            call.live(1 + random.below(6))
            let batch = call.batch()
            #expect(keeper.carryOut([.append(batch)]) == [.kept(session: call.session, seq: call.state.position.seq)])
            call.keeps(batch)
            keeper.checkpointIfDue()
            guard random.oneIn(4) else { continue }
            keeper.close()
            let found = try #require(try machine.look().calls[call.session])
            let state = try CallState(restoring: found)
            #expect(state.position == call.state.position)
            #expect(state.digest == call.state.digest)
            #expect(state.floor == call.state.floor)
            #expect(state.nextSlot == call.state.nextSlot)
            #expect(state.tombstoneCount == call.state.tombstoneCount)
            var (mine, theirs) = (Diff(), Diff())
            for seq in [0] + Array(state.floor...state.position.seq) {
                state.diff(from: seq, into: &mine)
                call.state.diff(from: seq, into: &theirs)
                #expect(mine == theirs)
            }
            keeper = try machine.start()
            // The same relay goes on: a claim of its own changes nothing but the clean mark.
            guard case .claimed(_, let again)? = keeper.carryOut([.claim(call.session)]).first else {
                throw Unexpected()
            }
            #expect(again.kept == found)
        }
    }

    @Test("a clean mark is seen once, by the claim that takes it away") func cleanOnce() throws {
        let machine = try Machine()
        var call = RandomCall("standup", seed: 3)
        let keeper = try machine.start()
        func claim(_ keeper: Keeper) throws -> StoreAnswer.Claim {
            guard case .claimed(_, let claim)? = keeper.carryOut([.claim("standup")]).first else { throw Unexpected() }
            return claim
        }
        call.begin(epoch: try claim(keeper).epoch)
        call.live(5)
        while !call.isOccupied { call.live(1) }
        let batch = call.batch(isClean: true)
        _ = keeper.carryOut([.append(batch)])
        keeper.close()

        let next = try machine.start()
        #expect(try claim(next).kept?.header.isClean == true)
        // That relay ends without a word.
        machine.disk.restart(.nothing)
        #expect(try claim(try machine.start()).kept?.header.isClean == false)
    }

    @Test("epochs rise for ever, whatever the clock says") func epochsRise() throws {
        let machine = try Machine()
        var last: UInt64 = 1_000
        for start in 0..<6 {
            let keeper = try machine.start()
            for claim in 0..<5 {
                guard case .claimed(_, let claim)? = keeper.carryOut([.claim(ByteString("c\(claim)"))]).first else {
                    throw Unexpected()
                }
                #expect(claim.epoch > last && claim.epoch < 1 << 53)
                last = claim.epoch
            }
            if start % 2 == 0 { keeper.close() }
            machine.disk.restart(.nothing)
        }
        var source = EpochSource(after: 10)
        #expect(source.next(wall: 5_000) == 5_000)
        #expect(source.next(wall: 4_000) == 5_001)
        #expect(source.next(wall: .max) == 5_002)
        #expect(source.next() == 5_003)
    }

    @Test("what was never claimed, or does not follow, is fenced and not written") func fenced() throws {
        let machine = try Machine()
        let keeper = try machine.start()
        var call = RandomCall("standup", seed: 4)
        call.begin(epoch: 5)
        call.live(4)
        let batch = call.batch()
        #expect(keeper.carryOut([.append(batch)]) == [.fenced(session: "standup")])
        _ = keeper.carryOut([.claim("standup")])
        var later = batch
        later.from = 3
        #expect(keeper.carryOut([.append(later)]) == [.fenced(session: "standup")])
        #expect(try machine.look().calls.isEmpty)
        _ = keeper.carryOut([.release("standup")])
        #expect(keeper.carryOut([.append(batch)]) == [.fenced(session: "standup")])
    }

    @Test("a batch of an epoch that is over is fenced and not written") func fencedByEpoch() throws {
        let machine = try Machine()
        let keeper = try machine.start()
        var call = RandomCall("standup", seed: 4)
        call.begin(epoch: 5)
        call.live(4)
        var batch = call.batch()
        _ = keeper.carryOut([.claim("standup"), .append(batch)])
        let kept = try machine.look()
        batch.header.position = Position(epoch: 4, seq: batch.header.position.seq + 1)
        #expect(keeper.carryOut([.append(batch)]) == [.fenced(session: "standup")])
        #expect(try machine.look() == kept)
    }

    @Test("a call that nobody is in is gone with its release, and with the next start; its attendance stays")
    func endedCallsGo() throws {
        let machine = try Machine()
        let keeper = try machine.start()
        var calls = [RandomCall("one", seed: 1), RandomCall("two", seed: 2), RandomCall("three", seed: 3)]
        for place in calls.indices {
            guard case .claimed(_, let claim)? = keeper.carryOut([.claim(calls[place].session)]).first else {
                throw Unexpected()
            }
            calls[place].begin(epoch: claim.epoch)
            calls[place].live(6)
            while calls[place].isOccupied != (place == 2) || calls[place].state.position.seq == 0 {
                calls[place].live(1)
            }
            _ = keeper.carryOut([.append(calls[place].batch())])
        }
        let attendance = try machine.look().attendance
        #expect(!attendance.isEmpty)
        _ = keeper.carryOut([.release("one"), .release("three"), .release("nobody")])
        // Somebody is in three: the relay may forget it, the store does not.
        #expect(try machine.look().calls.keys.sorted() == ["three", "two"])
        keeper.close()
        let next = try machine.start()
        var answers: [StoreAnswer] = []
        try next.readContents { answers.append($0) }
        #expect(answers.last == .occupied(["three"]))
        let found = try machine.look()
        #expect(found.calls.keys.sorted() == ["three"])
        #expect(found.attendance == attendance)
    }

    @Test("the store in memory means the same", arguments: 0..<4) func memory(seed: UInt64) throws {
        let machine = try Machine()
        let keeper = try machine.start()
        let memory = MemoryStore(startedAt: 1_000)
        var random = SplitMix64(seed: seed)
        var calls = (0..<3).map { RandomCall(ByteString("call \($0)"), seed: seed + UInt64($0)) }
        func both(_ request: StoreRequest) -> StoreAnswer? {
            let answer = memory.take(request)
            #expect(keeper.carryOut([request]).first == answer)
            return answer
        }
        for _ in 0..<80 {
            let place = random.below(3)
            let session = calls[place].session
            switch random.below(5) {
            case 0:
                guard case .claimed(_, let claim)? = both(.claim(session)) else { throw Unexpected() }
                if let kept = claim.kept {
                    try calls[place].resume(kept, epoch: claim.epoch)
                } else {
                    calls[place].begin(epoch: claim.epoch)
                }
            case 1: _ = both(.release(session))
            default:
                guard calls[place].state.position.epoch > 0 else { continue }
                calls[place].live(2)
                let batch = calls[place].batch(isClean: random.oneIn(3))
                if case .kept? = both(.append(batch)) { calls[place].keeps(batch) }
            }
        }
        var answers: [[StoreAnswer]] = [[], []]
        try keeper.readContents { answers[0].append($0) }
        memory.start({ _ in }, contents: { answers[1].append($0) })
        #expect(answers[0].last == answers[1].last)
    }
}
