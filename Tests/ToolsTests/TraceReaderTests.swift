import Foundation
import TestSupport
import Testing
import Traces

/// What the reader does with traces that are whole, and with input that is not.
struct TraceReaderTests {
    static let meta = #"{"t":0.0,"session":"s","uid":"","device":"","event":"meta"}"#

    private func error(_ text: String) -> TraceError? { error(bytes: Array(text.utf8)) }

    private func error(bytes: [UInt8]) -> TraceError? {
        do {
            _ = try Trace.parse(bytes, file: "f.jsonl")
            return nil
        } catch {
            return error
        }
    }

    private func lineError(_ line: String) -> TraceError? { error(Self.meta + "\n" + line) }

    @Test(.needsTraceData, arguments: TraceData.paths)
    func everyTraceLoadsWithNothingUnknown(path: String) throws {
        let clock = ContinuousClock()
        let start = clock.now
        let trace = try TraceData.load(path)
        let took = clock.now - start
        print("\(path): \(trace.entries.count) events read in \(took)")
        #expect(!trace.entries.isEmpty)
        #expect(trace.unknownEvents.isEmpty)
        #expect(trace.unknownFields.isEmpty)
        #expect(path.hasSuffix(trace.session + ".jsonl"))
    }

    @Test func unknownEventsAndFieldsAreCountedAndPassedOver() throws {
        let trace = try trace([
            line(1, "u1", "d1", "waved", #""hands":2"#),
            line(2, "u1", "d1", "join", #""colour":"red""#),
            line(3, "", "", "check", #""what":"mood","agrees":true"#),
        ])
        #expect(trace.unknownEvents == ["waved": 1, "check of mood": 1])
        #expect(trace.unknownFields == ["hands": 1, "colour": 1])
        #expect(trace.entries.map(\.time) == [1000, 2000, 3000])
    }

    @Test func anErrorNamesFileLineAndField() throws {
        let found = try #require(lineError(#"{"t":"x","session":"s","uid":"","device":"","event":"join"}"#))
        #expect(found.code == .invalidField)
        #expect(found.line == 2)
        #expect(found.field == "t")
        #expect("\(found)".hasPrefix("f.jsonl:2: field 't': "))
    }

    @Test(
        arguments: [
            ("", .missingMeta),
            ("\n", .notJSON),
            ("{", .notJSON),
            ("[]", .notJSON),
            ("3", .notJSON),
            (String(repeating: "[", count: 100_000), .notJSON),
            (line(0, "u1", "d1", "join"), .missingMeta),
            (meta + "\n" + meta, .duplicateMeta),
            (meta + "\n\n" + meta, .notJSON),
            (#"{"t":0,"session":"","uid":"","device":"","event":"meta"}"#, .invalidField),
            (#"{"t":0,"session":"s","uid":"","device":"","event":"meta","events":1}"#, .wrongCount),
            (
                #"{"t":0,"session":"s","uid":"","device":"","event":"meta","present_at_start":[{"uid":"u1"}]}"#,
                .missingField
            ),
            (#"{"t":0,"session":"s","uid":"","device":"","event":"meta","present_at_start":7}"#, .invalidField),
        ] as [(String, TraceError.Code)]
    )
    func aFileThatIsNoTraceGivesItsCode(text: String, code: TraceError.Code) {
        #expect(error(text)?.code == code)
    }

    @Test(
        arguments: [
            (#"{"session":"s","uid":"u","device":"d","event":"join"}"#, .missingField, "t"),
            (#"{"t":1,"session":"s","device":"d","event":"join"}"#, .missingField, "uid"),
            (#"{"t":1,"session":"s","uid":"u","event":"join"}"#, .missingField, "device"),
            (#"{"t":1,"session":"s","uid":"u","device":"d"}"#, .missingField, "event"),
            (#"{"t":1,"session":"z","uid":"u","device":"d","event":"join"}"#, .otherSession, "session"),
            (#"{"t":1,"session":"s","uid":null,"device":"d","event":"join"}"#, .invalidField, "uid"),
            (#"{"t":-1,"session":"s","uid":"u","device":"d","event":"join"}"#, .invalidField, "t"),
            (#"{"t":1e30,"session":"s","uid":"u","device":"d","event":"join"}"#, .invalidField, "t"),
            (line(1, "", "", "join"), .invalidField, "uid"),
            (line(1, "\u{e9}", "d", "join"), .invalidField, "uid"),
            (line(1, "u", String(repeating: "d", count: 129), "join"), .invalidField, "device"),
            (line(1, "u", "d", "join", #""audioMuted":1"#), .invalidField, "audioMuted"),
            (line(1, "u", "d", "nickChanged"), .missingField, "newDevice"),
            (line(1, "u", "d", "nickChanged", #""newDevice":"""#), .invalidField, "newDevice"),
            (line(1, "u", "d", "handLowered", #""by":7"#), .invalidField, "by"),
            (line(1, "", "", "check"), .missingField, "what"),
            (line(1, "", "", "check", #""what":"queue","agrees":true"#), .missingField, "queue"),
            (line(1, "", "", "check", #""what":"queue","queue":[]"#), .missingField, "agrees"),
            (line(1, "", "", "check", #""what":"counts","counts":{"joined":"2"}"#), .invalidField, "counts.joined"),
        ] as [(String, TraceError.Code, String)]
    )
    func aLineWithAFaultNamesIt(text: String, code: TraceError.Code, field: String) {
        let found = lineError(text)
        #expect(found?.code == code)
        #expect(found?.field == field)
        #expect(found?.line == 2)
    }

    @Test func timesGoingBackAreRefused() {
        let found = lineError(line(2, "u", "d", "join") + "\n" + line(1.999, "u", "d", "leave"))
        #expect(found?.code == .timeWentBack)
        #expect(found?.line == 3)
    }

    @Test func bytesThatAreNoUTF8AreRefused() {
        var bytes = Array((Self.meta + "\n" + line(1, "u", "d", "join")).utf8)
        bytes[bytes.count - 3] = 0xFF
        #expect(error(bytes: bytes)?.code == .notUTF8)
    }

    @Test func aHugeLineIsRefused() {
        let text = line(1, "u", "d", "leave", #""reason":""# + String(repeating: "x", count: 1 << 20) + "\"")
        #expect(lineError(text)?.code == .lineTooLong)
    }

    @Test func aFileThatIsNotThereIsUnreadable() {
        #expect(throws: TraceError.self) { try Trace.load(path: "/nowhere/at/all.jsonl") }
    }

    @Test(.needsTraceData) func aTraceCutAnywhereGivesAnErrorOrATrace() throws {
        let path = try #require(TraceData.paths.first { $0.contains("two-users") })
        let bytes = Array(try Data(contentsOf: TraceData.folder.appendingPathComponent(path)))
        var whole = 0
        for length in 0...bytes.count where error(bytes: Array(bytes[..<length])) == nil { whole += 1 }
        // Only the whole file, with or without its last newline, holds as many events as it promises.
        #expect(whole == 2)
    }
}
