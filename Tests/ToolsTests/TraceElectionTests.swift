import TestSupport
import Testing
import Traces

/// The reference election against the traces' own derived lines.
struct TraceElectionTests {
    @Test(.needsTraceData, arguments: TraceData.speeches)
    func theElectionGivesExactlyTheTracesDominantSpeakers(path: String) throws {
        let speech = try #require(SpeechPlan(try TraceData.load(path)))
        let changes = ReferenceElection.changes(of: speech)
        #expect(!speech.expected.isEmpty)
        #expect(changes == speech.expected)
        print("\(path): \(changes.count) of \(speech.expected.count) changes as in the trace")
    }

    private func changes(_ reports: [(Double, String, Bool)]) throws -> [String] {
        let lines = reports.map { time, uid, on in line(time, uid, "mic", on ? "speechStarted" : "speechStopped") }
        let speech = try #require(SpeechPlan(try trace(lines)))
        return ReferenceElection.changes(of: speech).map { "\(speech.people[$0.person].uid) \($0.time)" }
    }

    @Test func theFirstNeedsHalfASecondToo() throws {
        #expect(try changes([(0, "a", true), (0.499, "a", false), (1, "b", true)]) == ["b 1500"])
    }

    @Test func silenceInTheVeryMillisecondDoesNotQualify() throws {
        #expect(try changes([(0, "a", true), (0.5, "a", false)]).isEmpty)
    }

    @Test func whoBeganFirstTakesOverAtOnceWhenTheDominantFallsSilent() throws {
        let reports: [(Double, String, Bool)] = [
            (0, "a", true), (1, "c", true), (2, "b", true), (3, "a", false),
        ]
        #expect(try changes(reports) == ["a 500", "c 3000"])
    }

    @Test func aTieGoesToWhoJoinedFirst() throws {
        let reports: [(Double, String, Bool)] = [(0, "b", true), (0.1, "b", false), (1, "a", true), (1, "b", true)]
        #expect(try changes(reports) == ["b 1500"])
    }

    @Test func theDominantOneStaysInSilenceAndOnComingBack() throws {
        let reports: [(Double, String, Bool)] = [
            (0, "a", true), (1, "a", false), (2, "b", true), (2.4, "a", true), (3, "a", false),
        ]
        #expect(try changes(reports) == ["a 500", "b 3000"])
    }

    @Test func atMostFourChangesInAnySecond() throws {
        // Five people speak for long already; each falls silent 100 ms after the one before.
        let people = ["a", "b", "c", "d", "e", "f"]
        var reports = people.enumerated().map { (Double($0.offset) / 1000, $0.element, true) }
        for (index, uid) in people.enumerated() { reports.append((2 + Double(index) / 10, uid, false)) }
        #expect(try changes(reports) == ["a 500", "b 2000", "c 2100", "d 2200", "e 2300"])
        reports.removeLast()
        #expect(try changes(reports) == ["a 500", "b 2000", "c 2100", "d 2200", "e 2300", "f 3000"])
    }
}
