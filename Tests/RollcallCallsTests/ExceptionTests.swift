import Foundation
import Rollcall
import TestSupport
import Testing

@testable import RollcallCalls

@Suite("Errors")
struct ExceptionTests {
    typealias Code = RollcallCallException.Code

    /// The codes that this module gives itself.
    private static let own: Set<String> = [
        Code.setUp, Code.authentication, Code.sessionID, Code.invalidSetting, Code.alreadyJoined, Code.noSession,
        Code.invalidArgument,
    ]

    @Test("Each code of the client library has a text of its own")
    func texts() {
        #expect(Set(Code.texts.values).count == Code.texts.count)
        for code in 1...8 as ClosedRange<UInt32> {
            #expect(Code.texts[.init(rawValue: code)] != nil, "the client's own code \(code)")
        }
        let error = RollcallError(code: .locked, message: "the call is locked", place: "standup")
        let exception = RollcallCallException(error)
        #expect(exception.errorCode == "ERR_CALL_LOCKED" && exception.errorDescription == "the call is locked")
        #expect(exception.underlying?.place == "standup")
        #expect("\(exception)" == "ERR_CALL_LOCKED: the call is locked")
    }

    @Test("A code that this version does not know keeps its number")
    func unknown() {
        let exception = RollcallCallException(RollcallError(code: .init(rawValue: 4_242), message: "new"))
        #expect(exception.errorCode == "ERR_4242")
    }

    @Test("The page of errors lists each code once, and no other")
    func page() throws {
        let path = Places.file("Sources/RollcallCalls/RollcallCalls.docc/Errors.md")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let listed = lines.compactMap { $0.wholeMatch(of: /\| `([A-Z_ ]+)` \|.*/)?.1 }.map(String.init)
        #expect(Set(listed) == Set(Code.texts.values).union(Self.own))
        #expect(Set(listed).count == listed.count)
    }
}
