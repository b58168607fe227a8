import Testing
import Traces

/// Random meetings can be played, are the same for the same seed, and hold what load needs.
struct TraceRandomMeetingTests {
    @Test(arguments: [(1, 50), (5, 500), (200, 2000)])
    func aRandomMeetingCanBePlayed(people: Int, steps: Int) throws {
        let seed = traceSeed()
        let plan = RandomMeeting(people: people, steps: steps, seed: seed).plan()
        #expect(plan.steps.count == people + steps)
        var model = ReferenceModel()
        for step in plan.steps {
            let before = step.isNoop ? model.view : nil
            try model.apply(step.action)
            if let before { #expect(model.view == before) }
            #expect(!model.isEmpty)
        }
    }

    @Test func theSeedDecides() {
        let meeting = RandomMeeting(people: 20, steps: 300, seed: 7)
        var other = meeting
        other.seed = 8
        #expect(meeting.plan().steps == meeting.plan().steps)
        #expect(meeting.plan().steps != other.plan().steps)
    }

    @Test func everyKindOfThingHappens() {
        let steps = RandomMeeting(people: 10, steps: 3000, seed: 1).plan().steps
        let kinds = Set(steps.map { String(describing: $0.action).prefix { $0 != "(" } })
        let wanted: Set<Substring> = [
            "join", "leave", "lost", "setAudioMuted", "setVideoPaused", "setPresenting", "raiseHand", "lowerHand",
            "setRecording", "rename", "setCallAttribute",
        ]
        #expect(kinds == wanted)
        #expect(steps.contains { $0.isNoop })
        #expect(Set(RandomMeeting(people: 10, steps: 3000, seed: 1).plan().devices).count == 20)
    }
}
