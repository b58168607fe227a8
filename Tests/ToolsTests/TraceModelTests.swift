import Foundation
import Testing
import Traces

/// The reference model's rules, one by one, and the comparison of views.
struct TraceModelTests {
    private let first = TraceDevice(uid: "a", device: "1")
    private let second = TraceDevice(uid: "a", device: "2")
    private let other = TraceDevice(uid: "b", device: "1")
    private let open = InitialFacts(audioMuted: false, videoPaused: false)
    private let closed = InitialFacts(audioMuted: true, videoPaused: true)

    private func model(_ actions: [PlanAction]) throws -> ReferenceModel {
        var model = ReferenceModel()
        for action in actions { try model.apply(action) }
        return model
    }

    @Test func aPersonIsMutedWhenEveryDeviceIs() throws {
        let both = try model([.join(first, closed), .join(second, open), .setPresenting(second, true)])
        let person = try #require(both.view.people.first)
        #expect(!person.audioMuted && !person.videoPaused && person.presenting)
        var left = both
        try left.apply(.leave(second, reason: "left"))
        let rest = try #require(left.view.people.first)
        #expect(rest.audioMuted && rest.videoPaused && !rest.presenting)
    }

    @Test func theHandGoesDownWithTheLastDevice() throws {
        var model = try model([
            .join(first, open), .join(other, open), .join(second, open), .raiseHand(via: first),
            .raiseHand(via: other), .raiseHand(via: second),
        ])
        #expect(model.view.hands == ["a", "b"])
        try model.apply(.lost(first, reason: "lost"))
        #expect(model.view.hands == ["a", "b"])
        try model.apply(.leave(second, reason: "left"))
        #expect(model.view.hands == ["b"])
        #expect(model.view.people.map(\.handPlace) == [1])
        try model.apply(.join(first, open))
        #expect(model.view.people.map(\.uid) == ["b", "a"])
        #expect(model.view.hands == ["b"])
    }

    @Test func aTakeoverKeepsThePlaceAndBringsItsFacts() throws {
        let model = try model([
            .join(first, open), .join(other, open), .raiseHand(via: first), .setPresenting(first, true),
            .join(first, closed),
        ])
        let person = try #require(model.view.people.first)
        #expect(person.uid == "a" && person.audioMuted && !person.presenting && person.handPlace == 1)
    }

    @Test func theRecordingKeepsItsStarterUntilTheMeetingEnds() throws {
        var model = try model([
            .join(first, open), .join(other, open), .setRecording(true, via: first), .setRecording(true, via: other),
            .setCallAttribute(key: "k", value: "v", via: nil), .stateDominantSpeaker(uid: "a"),
            .leave(first, reason: "left"),
        ])
        #expect(model.view.recordingBy == "a")
        #expect(model.view.dominantSpeaker == .nobody)
        #expect(model.view.attributes == ["k": "v"])
        try model.apply(.leave(other, reason: "left"))
        #expect(model.view == ReferenceView())
    }

    @Test func mutingEndsSpeaking() throws {
        var model = try model([.join(first, open), .setSpeaking(first, true)])
        #expect(model.speaking == [first])
        try model.apply(.setAudioMuted(first, true))
        #expect(model.speaking.isEmpty)
    }

    @Test func aStepOfSomebodyWhoIsNotThereIsRefused() {
        for action: PlanAction in [
            .leave(first, reason: ""), .setAudioMuted(first, true), .raiseHand(via: first), .rename("n", via: first),
            .lowerHand(uid: "a", via: first), .stateDominantSpeaker(uid: "a"), .setRecording(true, via: first),
            .setCallAttribute(key: "k", value: "v", via: nil),
        ] {
            var model = ReferenceModel()
            #expect(throws: ReferenceModelError.self) { try model.apply(action) }
        }
    }

    @Test func guestsAreNotCountedInChecks() throws {
        let lines = [
            line(1, "a", "ep-1", "join", #""audioMuted":false"#),
            line(1, "", "", "check", #""what":"counts","agrees":true,"counts":{"joined":1,"audioOn":1,"videoOn":0}"#),
        ]
        let plan = TracePlan(try trace(lines))
        var model = try played(plan)
        guard case .check(let check) = try #require(plan.steps.last).action else {
            Issue.record("the last step is no check")
            return
        }
        try model.apply(.join(other, open))
        #expect(model.failures(of: check).count == 3)
        model.guests = ["b"]
        #expect(model.failures(of: check) == [])
    }

    @Test func everyDifferenceIsNamed() throws {
        let expected = try model([
            .join(first, open), .join(other, open), .raiseHand(via: first), .setRecording(true, via: first),
        ]).view
        #expect(expected.differences(from: expected) == [])
        var actual = expected
        actual.people[0].handPlace = nil
        actual.people[1].uid = "c"
        actual.recordingBy = nil
        actual.dominantSpeaker = .person("a")
        actual.attributes = ["k": "v"]
        #expect(
            actual.differences(from: expected) == [
                "b: missing, expected b unmuted camera-on [1 unmuted camera-on]",
                "a handPlace: none, expected 1",
                "c: unexpected, c unmuted camera-on [1 unmuted camera-on]",
                "recording by: none, expected a",
                "dominant speaker: a, expected nobody",
                "attribute k: v, expected none",
            ]
        )
        actual = expected
        actual.people.reverse()
        actual.dominantSpeaker = .elected
        #expect(actual.differences(from: expected).map { $0.prefix(16) } == ["order of joining"])
        #expect("\(actual)" != "\(expected)")
    }
}
