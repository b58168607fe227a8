import RollcallCalls
import Testing

@Suite("A. Late join", .timeLimit(.minutes(1)))
struct LateJoinTests {
    @Test("A1: a hand that was up before a late joiner came is up for them, with its time")
    func handBefore() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            try await ana.perform(.raiseHand)
            let at = try #require(ana.view["ana"]?.handAt)
            let ben = try await stage.join("ben")
            #expect(ben.view["ana"]?.handAt == at)
            #expect(ben.view.hands == ["ana"])
            #expect(ben.recorder.heard(about: "ana").contains(.handRaised("ana")))
        }
    }
}
