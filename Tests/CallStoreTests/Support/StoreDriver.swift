import CallState
import Randomness
import Testing

@testable import CallStore

/// A few random calls and a keeper, with what each answer promises.
final class StoreDriver {
    private var random: SplitMix64
    private var calls: [RandomCall]
    private var claimed: Set<ByteString> = []
    private var releasing: Set<ByteString> = []
    /// Calls whose release was in a group that was refused.
    private var unreleased: [ByteString] = []
    /// What was answered to be kept.
    private(set) var kept = StoreModel()
    /// The same with the group that is carried out, should all of it be kept.
    private(set) var next = StoreModel()
    /// The highest epoch that was answered.
    private(set) var lastEpoch: UInt64 = 0
    private(set) var refusals = 0
    private(set) var groups = 0

    init(seed: UInt64, calls count: Int = 3) {
        random = SplitMix64(seed: seed)
        calls = (0..<count).map { RandomCall(ByteString("call \($0)"), seed: seed &* 31 &+ UInt64($0)) }
    }

    /// A relay that starts anew on what a keeper has found.
    func restart(_ found: StoreModel) {
        kept = found
        claimed = []
        releasing = []
        unreleased = []
    }

    /// Has a group of requests carried out and holds the answers to what they may be.
    func step(_ keeper: Keeper) throws {
        groups += 1
        let requests = requests()
        next = kept
        for session in unreleased { next.release(session) }
        for request in requests {
            switch request {
            case .claim(let session): next.calls[session]?.header.isClean = false
            case .append(let batch): next.keep(batch)
            case .release(let session): next.release(session)
            }
        }
        let answers = keeper.carryOut(requests)
        let asking = requests.filter { if case .release = $0 { false } else { true } }
        try #require(answers.count == asking.count)
        let works = answers.contains { if case .unavailable = $0 { false } else { true } }
        for (request, answer) in zip(asking, answers) { try check(answer, to: request, works: works) }
        if works || asking.isEmpty && keeper.lastFailure == nil {
            kept = next
            unreleased = []
        } else {
            refusals += 1
            for case .release(let session) in requests { unreleased.append(session) }
        }
        keeper.checkpointIfDue()
    }

    private func check(_ answer: StoreAnswer, to request: StoreRequest, works: Bool) throws {
        let place = calls.firstIndex { $0.session == request.session }!
        switch (request, answer) {
        case (.claim(let session), .claimed(let named, let claim)):
            #expect(session == named)
            #expect(claim.epoch > lastEpoch)
            lastEpoch = claim.epoch
            let found = unreleased.contains(session) ? next.calls[session] : kept.calls[session]
            #expect(claim.kept?.header == found?.header)
            #expect((claim.kept == found) == true)
            claimed.insert(session)
            if let found = claim.kept {
                try calls[place].resume(found, epoch: claim.epoch)
            } else {
                calls[place].begin(epoch: claim.epoch)
            }
        case (.append(let batch), .kept(let session, let seq)):
            #expect(session == batch.session && seq == batch.header.position.seq)
            calls[place].keeps(batch)
        case (_, .unavailable(let session, let reason)):
            #expect(!works, "a part of a transaction was refused")
            #expect(session == request.session && !reason.isEmpty)
        default: Issue.record("\(answer) to \(request)")
        }
    }

    private func requests() -> [StoreRequest] {
        var requests: [StoreRequest] = []
        for place in calls.indices where random.below(4) > 0 {
            let session = calls[place].session
            if !claimed.contains(session) {
                requests.append(.claim(session))
            } else if releasing.contains(session), !calls[place].isOccupied {
                releasing.remove(session)
                claimed.remove(session)
                requests.append(.release(session))
            } else {
                calls[place].live(1 + random.below(5))
                requests.append(.append(calls[place].batch(isClean: random.oneIn(6))))
                if !calls[place].isOccupied, random.oneIn(2) { releasing.insert(session) }
            }
        }
        return requests
    }
}
