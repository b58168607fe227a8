import CallState
import Testing

/// The judge of the meetings finds what is planted.
@Suite("Ledger")
struct LedgerTests {
    private let position = Position(epoch: 1, seq: 2)

    private func shown(_ count: Int) -> Shown {
        var shown = Shown(CallState())
        shown.participantCount = count
        return shown
    }

    @Test("two clients that show something else at one position are a difference")
    func amongClients() {
        let ledger = Ledger()
        ledger.note(shown(1), at: position, by: "early")
        ledger.note(shown(1), at: Position(epoch: 1, seq: 3), by: "early")
        ledger.note(shown(1), at: Position(epoch: 1, seq: 3), by: "late")
        #expect(ledger.judge().differences.isEmpty)
        ledger.note(shown(2), at: position, by: "late")
        let (differences, counts) = ledger.judge()
        #expect(differences.count == 1 && differences.allSatisfy { $0.contains("late") && $0.contains("early") })
        #expect(counts.positions >= 2)
    }

    @Test("a client that shows something else than the relay has is a difference, its panel too")
    func againstTheRelay() {
        let ledger = Ledger()
        let empty = CallState()
        ledger.note(empty)
        ledger.note(shown(0), at: empty.position, by: "early")
        #expect(ledger.judge().differences.isEmpty)
        let own = OwnDevice(isAudioMuted: true, isVideoPaused: false, isPresenting: false)
        ledger.note(own, of: "ana", "phone", at: empty.position, by: "early")
        #expect(ledger.judge().differences.count == 1)
        let another = Ledger()
        another.note(empty)
        another.note(shown(3), at: empty.position, by: "early")
        #expect(another.judge().differences.count == 1)
    }

    @Test("what a client finds in itself is a difference")
    func ofOne() {
        let ledger = Ledger()
        ledger.note(updates: 2, callbacks: 5, differences: ["muted twice"], by: "early")
        let (differences, counts) = ledger.judge()
        #expect(differences == ["early: muted twice"])
        #expect(counts.updates == 2 && counts.callbacks == 5)
    }
}
