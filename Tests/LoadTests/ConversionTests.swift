import CallState
import Testing
import TraceReplay
import Traces

@testable import Rollcall
@testable import rollcall_load

/// What a client sees, in the terms of the reference model.
struct ConversionTests {
    private func snapshot(_ state: CallState) -> CallSnapshot {
        CallSnapshot(confirmed: state, session: "s", overlay: Overlay(), own: OwnSlots())
    }

    private func view(_ stage: Stage) -> ReferenceView { ReferenceView(snapshot(stage.state), isElected: false) }

    @Test func anEmptyCallIsAnEmptyView() {
        #expect(ReferenceView(snapshot(CallState()), isElected: false) == ReferenceView())
    }

    @Test func everyFactIsCarriedOver() throws {
        var stage = Stage()
        let ana = TraceDevice(uid: "ana", device: "laptop")
        let phone = TraceDevice(uid: "ana", device: "phone")
        let ben = TraceDevice(uid: "ben", device: "laptop")
        for action: PlanAction in [
            .join(ana, InitialFacts(audioMuted: true, videoPaused: false)),
            .join(ben, InitialFacts(audioMuted: false, videoPaused: true)),
            .join(phone, InitialFacts(audioMuted: true, videoPaused: true)),
            .setPresenting(phone, true), .raiseHand(via: ben), .raiseHand(via: ana), .rename("Ben", via: ben),
            .setRecording(true, via: ana), .setCallAttribute(key: "topic", value: "tests", via: ana),
            .stateDominantSpeaker(uid: "ben"),
        ] {
            try stage.apply(action)
        }
        let expected = ReferenceView(
            people: [
                .init(
                    uid: "ana",
                    name: nil,
                    devices: [
                        .init(device: "laptop", audioMuted: true, videoPaused: false, presenting: false),
                        .init(device: "phone", audioMuted: true, videoPaused: true, presenting: true),
                    ],
                    audioMuted: true,
                    videoPaused: false,
                    presenting: true,
                    handPlace: 2
                ),
                .init(
                    uid: "ben",
                    name: "Ben",
                    devices: [.init(device: "laptop", audioMuted: false, videoPaused: true, presenting: false)],
                    audioMuted: false,
                    videoPaused: true,
                    presenting: false,
                    handPlace: 1
                ),
            ],
            recordingBy: "ana",
            dominantSpeaker: .person("ben"),
            attributes: ["topic": "tests"]
        )
        #expect(view(stage).differences(from: expected) == [])
        #expect(view(stage) == expected)
    }

    @Test func anElectedSpeakerIsLeftOpen() throws {
        var stage = Stage()
        try stage.apply(.join(TraceDevice(uid: "a", device: "d"), InitialFacts(audioMuted: false, videoPaused: true)))
        try stage.apply(.stateDominantSpeaker(uid: "a"))
        #expect(ReferenceView(snapshot(stage.state), isElected: true).dominantSpeaker == .elected)
    }

    @Test func aRandomMeetingLooksTheSameAndEveryPlantedDifferenceIsFound() throws {
        let seed = loadSeed()
        let plan = RandomMeeting(people: 6, steps: 400, seed: seed).plan()
        var stage = Stage()
        var model = ReferenceModel()
        for step in plan.steps {
            try stage.apply(step.action)
            try model.apply(step.action)
            #expect(view(stage).differences(from: model.view) == [], "\(step.action)")
        }
        // The negative control: one fact of the copy is changed, and the comparison must say so.
        let device = try #require(model.devices.first)
        let muted = try #require(model.facts(of: device)).audioMuted
        let plants: [PlanAction] = [
            .setAudioMuted(device, !muted), .rename("somebody else", via: device),
            .setCallAttribute(key: "planted", value: "x", via: device), .stateDominantSpeaker(uid: device.uid),
            .join(
                TraceDevice(uid: "ghost", device: "d"),
                InitialFacts(audioMuted: true, videoPaused: true)
            ),
            .leave(device, reason: "left"),
        ]
        for plant in plants {
            var other = stage
            try other.apply(plant)
            #expect(!view(other).differences(from: model.view).isEmpty, "\(plant)")
        }
    }
}
