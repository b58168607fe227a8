import Testing

@testable import RollcallCalls

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
