import Testing
import Trials

/// The trials, small and without a verdict about time: Tools/never-wrong holds them as the figures want them.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct TrialTests {
    /// Holds a trial, and fails with what it found.
    private func hold(_ trial: (TrialReport) async throws -> Void) async throws {
        let report = TrialReport { _ in }
        try await trial(report)
        #expect(report.failures == 0, "\(report.lines.joined(separator: "\n"))")
    }

    @Test(
        "kill -9 of the relay under load: everybody is back, copies are equal, and sync loses nothing",
        arguments: ["sync", "async", "none"]
    )
    func kills(durability: String) async throws {
        var trial = KillTrial()
        trial.clients = 12
        trial.calls = 2
        trial.kills = 3
        trial.durability = durability
        trial.deserters = 1
        trial.waitsForGhosts = false
        trial.pause = 1...20
        try await hold(trial.run)
    }

    @Test(
        "a planned restart: everybody resumes by a difference, and nobody is seen to leave",
        arguments: ["sync", "async"]
    )
    func restart(durability: String) async throws {
        var trial = RestartTrial()
        trial.clients = 24
        trial.calls = 3
        trial.durability = durability
        try await hold(trial.run)
    }

    @Test("who comes back to a large call in which little changed gets little")
    func resume() async throws {
        var trial = ResumeTrial()
        trial.people = 300
        trial.away = 0
        try await hold(trial.run)
    }

    @Test("one client on a slow link costs little, stays, and the others get the same bytes in the same writes")
    func slowLink() async throws {
        var trial = SlowLinkTrial()
        trial.clients = 16
        trial.changes = 300
        // So slow that it is so on any machine.
        trial.rate = 16_000
        trial.patience = 600_000
        try await hold(trial.run)
    }

    @Test("R-124: one that floods a real relay over TCP changes neither bytes nor writes nor turns of the others")
    func flood() async throws {
        var trial = FloodTrial()
        trial.clients = 8
        trial.changes = 50
        trial.changesPerSecond = 100
        try await hold(trial.run)
    }
}
