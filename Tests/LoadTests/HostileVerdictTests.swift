import Testing

@testable import rollcall_load

/// The judgements of the hostile cases: each must be able to fail.
struct HostileVerdictTests {
    private func failures(_ hostile: HostileCase, _ ends: [String: Int]) -> [String] {
        HostileOutcome(ends: ends).failures(of: hostile)
    }

    @Test func theDocumentedCodeIsEnough() {
        #expect(failures(.noPreface, ["Closed(2005)": 1]) == [])
        #expect(failures(.wrongPreface, ["Closed(4000)": 1]) == [])
        #expect(failures(.hugeFrame, ["Closed(4001)": 1]) == [])
        #expect(failures(.halfFrame, ["Closed(2004)": 1]) == [])
        #expect(failures(.garbage, ["Closed(4001)": 18, "Closed(4002)": 2]) == [])
        #expect(failures(.crowd, ["Closed(2005)": 10_000]) == [])
    }

    @Test(arguments: HostileCase.allCases) func anotherEndIsAFailure(hostile: HostileCase) {
        #expect(failures(hostile, ["Closed(4003)": hostile.connections]).count == 1)
        #expect(failures(hostile, [HostileOutcome.alive: hostile.connections]).count == 1)
        #expect(failures(hostile, [:]).count == 1)
        let silent = failures(hostile, ["\(HostileOutcome.ended) (end of stream)": hostile.connections])
        // Who never reads can't be told why; everybody else must be.
        #expect(silent.isEmpty == (hostile == .deaf))
    }

    @Test func onlySomeOfTheCrowdIsAFailure() {
        #expect(failures(.crowd, ["Closed(2005)": 9_999]).count == 1)
    }

    @Test func framesAreTheSameOrTheFirstDifferenceIsNamed() throws {
        let frames: [[UInt8]] = [[1, 2], [3], [4, 5]]
        #expect(HostileCommand.difference(frames, frames) == nil)
        let other = try #require(HostileCommand.difference(frames, [[1, 2], [9], [4, 5]]))
        #expect(other.contains("frame 2"))
        let fewer = try #require(HostileCommand.difference(frames, Array(frames.dropLast())))
        #expect(fewer.contains("3 frames") && fewer.contains("2 without"))
    }
}
