import Foundation
import Synchronization
import TestSupport
import Testing
import Traces

/// The proof that existing apps work: over every recorded meeting, whoever joined when, the apps show the same wherever
/// they are at equal positions, and what an app gathers from callbacks alone is the library's own state.
@Suite(.serialized) struct MeetingTests {
    /// Sums over the recorded meetings.
    private static let sums = Mutex((meetings: 0, counts: Ledger.Counts(), tally: [String: Int]()))

    /// The seed: the same in each run unless `MEETING_SEED` gives another, so that what failed once fails again.
    private static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["MEETING_SEED"].flatMap { UInt64($0) }
        let seed = given ?? 20_240_229
        print("MEETING_SEED=\(seed)")
        return seed
    }()

    private func play(_ trace: Trace, _ name: String) async throws -> (counts: Ledger.Counts, tally: [String: Int]) {
        let relay = try await RelayProcess.onBoth()
        // Each meeting has moments of its own, whatever else is played beside it.
        let seed = name.utf8.reduce(Self.seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let plan = TracePlan(trace, statesDominantSpeaker: true)
        let meeting = Meeting(plan, unix: relay.unix, tcp: relay.tcp, seed: seed)
        let start = ContinuousClock.now
        let (differences, counts) = try await meeting.run()
        let tally = await meeting.tally
        #expect(differences == [], "MEETING_SEED=\(Self.seed)")
        #expect(tally["step"] == plan.steps.count)
        print(
            "\(name): \(plan.steps.count) steps, \(counts.positions) positions, \(counts.rows) rows, "
                + "\(counts.updates) updates, \(counts.callbacks) callbacks, "
                + "\(differences.count) differences, \(ContinuousClock.now - start)"
        )
        withExtendedLifetime(relay) {}
        return (counts, tally)
    }

    @Test("a made-up meeting with everything in it", .timeLimit(.minutes(2)))
    func madeUp() async throws {
        var sums = Ledger.Counts()
        for chance in 1...4 {
            sums.add(try await play(try SampleMeeting.trace(), "made-up-\(chance)").counts)
        }
        #expect(sums.positions > 10)
        #expect(sums.checked > 10)
        #expect(sums.panels > 10)
    }

    @Test("recorded meetings", .needsTraceData, .timeLimit(.minutes(5)), arguments: TraceData.paths)
    func recorded(path: String) async throws {
        let (counts, tally) = try await play(try TraceData.load(path), path)
        #expect(counts.positions > 0)
        Self.sums.withLock { sums in
            sums.meetings += 1
            sums.counts.add(counts)
            sums.tally.merge(tally, uniquingKeysWith: +)
            guard sums.meetings == TraceData.paths.count else { return }
            let meanwhile = sums.tally.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            print("all \(sums.meetings) recorded meetings: \(sums.counts); \(meanwhile.joined(separator: ", "))")
        }
    }
}

extension Ledger.Counts {
    fileprivate mutating func add(_ other: Ledger.Counts) {
        positions += other.positions
        checked += other.checked
        rows += other.rows
        panels += other.panels
        callbacks += other.callbacks
        updates += other.updates
    }
}
