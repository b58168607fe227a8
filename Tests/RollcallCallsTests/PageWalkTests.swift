import Testing

@testable import RollcallCalls

@Suite("Walking over pages")
struct PageWalkTests {
    /// Walks over `pages`, each named by its start; returns what arrived, "-" for nothing.
    private func walk(_ steps: String, over pages: [String]) -> String {
        var walk = PageWalk<String>()
        return steps.map { step in
            guard let page = walk.page(step == ">" ? .next : .previous) else { return "-" }
            let index = page.start.map { start in pages.firstIndex(of: start) ?? 0 } ?? 0
            walk.arrived(page, next: index + 1 < pages.count ? pages[index + 1] : nil)
            return pages[index]
        }.joined()
    }

    @Test("Next walks on to the end, previous back to the beginning")
    func bothWays() {
        #expect(walk(">>>", over: ["a", "b", "c"]) == "abc")
        #expect(walk(">>>>>", over: ["a", "b", "c"]) == "abc--")
        #expect(walk(">>><<<", over: ["a", "b", "c"]) == "abcba-")
        #expect(walk(">>>><", over: ["a", "b", "c"]) == "abc-b", "the end does not move the page")
        #expect(walk("<>", over: ["a"]) == "-a", "nothing is before the first page")
        #expect(walk("><>", over: ["a"]) == "a--", "the first page is the last one")
        #expect(walk(">><>>", over: ["a", "b", "c"]) == "ababc")
    }

    @Test("A page that did not arrive is asked for again")
    func failure() throws {
        var walk = PageWalk<String>()
        let first = try #require(walk.page(.next))
        #expect(first.start == nil && walk.page(.next)?.number == first.number)
        walk.arrived(first, next: "b")
        #expect(walk.page(.next)?.start == "b" && walk.page(.next)?.start == "b")
        #expect(walk.page(.previous) == nil)
    }

    @Test("A last page that has grown leads on")
    func growing() throws {
        var walk = PageWalk<String>()
        walk.arrived(try #require(walk.page(.next)), next: "b")
        let last = try #require(walk.page(.next))
        walk.arrived(last, next: nil)
        #expect(walk.page(.next) == nil)
        let first = try #require(walk.page(.previous))
        walk.arrived(first, next: "b")
        walk.arrived(try #require(walk.page(.next)), next: "c")
        #expect(walk.page(.next)?.start == "c")
    }
}

@Suite("Lengths of time for people")
struct DurationTextTests {
    @Test(
        "Minutes and seconds, and hours where there are any",
        arguments: [
            (0, "0:00"), (999, "0:00"), (59_999, "0:59"), (60_000, "1:00"), (3_599_000, "59:59"),
            (3_600_000, "1:00:00"), (3_661_000, "1:01:01"), (360_000_000, "100:00:00"),
        ] as [(UInt64, String)]
    )
    func text(milliseconds: UInt64, text: String) {
        #expect(durationText(milliseconds: milliseconds) == text)
    }
}
