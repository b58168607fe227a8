import Foundation
import Testing
import ToolSupport

struct ValueTextTests {
    @Test func `JSON keeps the order of members and escapes what a terminal would obey`() throws {
        let value = JSONValue.members([
            "z": .number(9_007_199_254_740_991), "a": .array([.null, .bool(true), .decimal(1.0006)]),
            "text": .string("\"\\\n\u{1B}\u{9B}é😀"),
        ])
        #expect(value.text == #"{"z":9007199254740991,"a":[null,true,1.001],"text":"\"\\\n\u001b\u009bé😀"}"#)
        let parsed = try #require(JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
        #expect(parsed["text"] as? String == "\"\\\n\u{1B}\u{9B}é😀")
    }

    @Test func `Every scalar survives JSON`() throws {
        var all = String.UnicodeScalarView()
        for number in 0...0x2FFF { if let scalar = Unicode.Scalar(UInt32(number)) { all.append(scalar) } }
        let text = JSONValue.array([.string(String(all))]).text
        let parsed = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String])
        #expect(Array(parsed[0].utf8) == Array(String(all).utf8))
    }

    @Test(arguments: [(0.0, "0.000"), (0.4206, "0.421"), (-1.5, "-1.500"), (12.9999, "13.000"), (.infinity, "0.000")])
    func `Decimals have three places`(value: Double, text: String) {
        #expect(decimalText(value) == text)
    }

    @Test func `Times are ISO 8601 in UTC for programs`() {
        #expect(timeJSON(SampleCall.begin + 7) == .string("2026-11-30T14:00:00.007Z"))
        #expect(timeJSON(0) == .null)
    }

    @Test func `A time of another day shows its date`() {
        let now = SampleCall.begin
        #expect(TimeText.clock(now, now: now).wholeMatch(of: /\d\d:\d\d:\d\d/) != nil)
        #expect(TimeText.clock(now - 3 * 86_400_000, now: now).wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil)
        #expect(TimeText.clockWithMilliseconds(now + 32).hasSuffix(".032"))
    }

    @Test(arguments: [
        (0, "now"), (999, "now"), (1000, "1s"), (59_999, "59s"), (124_000, "2m04s"), (3_900_000, "1h05m"),
        (266_400_000, "3d02h"),
    ])
    func `Ages are short`(age: UInt64, text: String) {
        #expect(TimeText.age(of: SampleCall.begin, now: SampleCall.begin + age) == text)
        // A clock that is behind the relay's must not show nonsense.
        #expect(TimeText.age(of: SampleCall.begin + 5000, now: SampleCall.begin) == "now")
    }

    @Test(arguments: [(UInt64(0), "0 s"), (250, "250 ms"), (15_000, "15 s"), (300_000, "5 min")])
    func `Durations are in words`(time: UInt64, text: String) {
        #expect(TimeText.duration(time) == text)
    }

    @Test(arguments: [(UInt64(812), "812 B"), (65_536, "64.0 KiB"), (1_572_864, "1.5 MiB")])
    func `Sizes have units`(bytes: UInt64, text: String) {
        #expect(sizeText(bytes) == text)
    }

    @Test(arguments: [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (21, "21st")])
    func `Places are ordinals`(place: Int, text: String) {
        #expect(ordinal(place) == text)
    }
}
