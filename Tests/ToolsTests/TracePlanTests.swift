import Foundation
import Randomness
import TestSupport
import Testing
import Traces

/// Plans of every trace, and the decisions that a plan takes.
struct TracePlanTests {
    @Test(.needsTraceData, arguments: TraceData.paths)
    func everyPlanPlaysAndEveryAgreeingCheckHolds(path: String) throws {
        let trace = try TraceData.load(path)
        let plan = TracePlan(trace)
        #expect(plan.playedLines + plan.skippedLineCount == trace.entries.count)

        var model = ReferenceModel(electsDominantSpeaker: plan.electsDominantSpeaker)
        var time = 0
        var checks = (agreeing: 0, other: 0)
        for step in plan.steps {
            #expect(step.time >= time)
            time = step.time
            let before = step.isNoop ? model.view : nil
            try model.apply(step.action)
            if let before { #expect(model.view == before, "line \(step.line) changes something") }
            guard case .check(let check) = step.action else { continue }
            guard check.agrees else {
                #expect(!model.failures(of: check).isEmpty, "line \(step.line) agrees after all")
                checks.other += 1
                continue
            }
            checks.agreeing += 1
            #expect(model.failures(of: check) == [], "line \(step.line)")
        }
        print(
            "\(path): \(plan.steps.count) steps, \(plan.devices.count) devices, \(plan.noops) no-ops,",
            "\(checks.agreeing) checks hold, \(checks.other) disagree as said; joins at start \(plan.joinsAtStart),",
            "at first event \(plan.joinsAtFirstEvent), implied \(plan.impliedJoins); skipped \(plan.skippedLines),",
            "facts \(plan.skippedFacts)"
        )
    }

    @Test(.needsTraceData) func allTheChecksOfTheTracesAreSeen() throws {
        var agreeing = 0
        var other = 0
        for path in TraceData.paths {
            for entry in try TraceData.load(path).entries {
                guard case .check(let check) = entry.event else { continue }
                if check.agrees { agreeing += 1 } else { other += 1 }
            }
        }
        print("\(TraceData.paths.count) traces: \(agreeing) checks agree, \(other) do not")
        #expect(agreeing > 0)
        #expect(other > 0)
    }

    private func actions(_ lines: [String], presentAtStart: String = "[]") throws -> [PlanAction] {
        TracePlan(try trace(lines, presentAtStart: presentAtStart)).steps.map(\.action)
    }

    private let muted = InitialFacts(audioMuted: true, videoPaused: true)
    private let open = InitialFacts(audioMuted: false, videoPaused: true)

    private func device(_ uid: String, _ device: String) -> TraceDevice { TraceDevice(uid: uid, device: device) }

    @Test func sourcesWithoutJoinsJoinAtTheFirstEvent() throws {
        let plan = TracePlan(
            try trace([
                line(1, "u1", "mic-1", "audioUnmuted"),
                line(2, "u2", "chat-2", "handLowered", #""by":"u3","noop":true"#),
                line(3, "u3", "chat-3", "handRaised"),
                line(4, "u4", "", "dominantSpeaker"),
            ])
        )
        #expect(
            plan.steps.map(\.action) == [
                .join(device("u1", "mic-1"), muted),
                .setAudioMuted(device("u1", "mic-1"), false),
                .join(device("u2", "chat-2"), open),
                .join(device("u3", "chat-3"), open),
                .lowerHand(uid: "u2", via: device("u3", "chat-3")),
                .raiseHand(via: device("u3", "chat-3")),
                .join(device("u4", TracePlan.unnamedDevice), open),
                .stateDominantSpeaker(uid: "u4"),
            ]
        )
        #expect(plan.joinsAtFirstEvent == 4)
        #expect(plan.impliedJoins == 0)
        #expect(plan.noops == 1)
    }

    @Test func whoBeginsSomethingWithoutBeingThereJoinsFirst() throws {
        let plan = TracePlan(
            try trace(
                [
                    line(1, "u1", "irc-1", "handRaised"),
                    line(2, "u2", "irc-2", "handLowered"),
                    line(3, "u2", "sip-2", "leave"),
                ],
                presentAtStart: #"[{"uid":"u9","device":"sip-9"}]"#
            )
        )
        #expect(
            plan.steps.map(\.action) == [
                .join(device("u9", "sip-9"), open), .join(device("u1", "irc-1"), muted),
                .raiseHand(via: device("u1", "irc-1")),
            ]
        )
        #expect(plan.joinsAtStart == 1)
        #expect(plan.impliedJoins == 1)
        #expect(plan.skippedLineCount == 2)
    }

    @Test func aKickIsTheReasonOfTheLeaveThatFollowsOrTheLeave() throws {
        let lines = [
            line(1, "u1", "sip-1", "join"), line(1, "u1", "sip-2", "join"), line(2, "u1", "sip-1", "kicked"),
            line(2, "u1", "sip-2", "kicked"), line(3, "u1", "sip-1", "leave"), line(4, "u1", "sip-2", "join"),
        ]
        #expect(
            try actions(lines).suffix(3) == [
                .leave(device("u1", "sip-2"), reason: "kicked"), .leave(device("u1", "sip-1"), reason: "kicked"),
                .join(device("u1", "sip-2"), open),
            ]
        )
    }

    @Test func anAudioLegIsADeviceOfItsOwnOrTheMicrophoneOfItsConnection() throws {
        let lines = [
            line(1, "u1", "dev-1", "join"), line(2, "u1", "aud-1", "audioJoined", #""muted":false"#),
            line(3, "u1", "aud-1", "audioLeft"), line(4, "u1", "dev-1", "audioJoined", #""muted":false"#),
            line(5, "u1", "dev-1", "audioLeft"),
        ]
        #expect(
            try actions(lines) == [
                .join(device("u1", "dev-1"), muted), .join(device("u1", "aud-1"), open),
                .leave(device("u1", "aud-1"), reason: "audio left"), .setAudioMuted(device("u1", "dev-1"), false),
                .setAudioMuted(device("u1", "dev-1"), true),
            ]
        )
    }

    @Test func theCameraIsOffWhenTheLastStreamIs() throws {
        let lines = [
            line(1, "u1", "dev-1", "join"), line(2, "u1", "dev-1", "videoResumed", #""stream":"a""#),
            line(3, "u1", "dev-1", "videoResumed", #""stream":"b""#),
            line(4, "u1", "dev-1", "videoPaused", #""stream":"a""#),
            line(5, "u1", "dev-1", "videoPaused", #""stream":"b""#),
        ]
        let plan = TracePlan(try trace(lines))
        #expect(plan.steps.filter { $0.action == .setVideoPaused(device("u1", "dev-1"), true) }.map(\.line) == [6])
        #expect(plan.skippedLineCount == 1)
    }

    @Test func aNickChangeKeepsTheHandUp() throws {
        let plan = TracePlan(
            try trace([
                line(1, "u1", "irc-1", "join"), line(2, "u1", "irc-1", "handRaised"),
                line(3, "u1", "irc-1", "nickChanged", #""newDevice":"irc-2","newUid":"u1""#),
            ])
        )
        let view = try played(plan).view
        #expect(view.hands == ["u1"])
        #expect(view.people.map(\.name) == ["irc-2"])
        #expect(view.people.flatMap(\.devices).map(\.device) == ["irc-2"])
    }

    @Test func theEndOfTheSessionTakesEverybodyOutAndGhostsStayOut() throws {
        let plan = TracePlan(
            try trace([
                line(1, "u1", "dev-1", "join"), line(2, "u1", "dev-1", "presenterAssigned"),
                line(3, "", "", "sessionEnded"), line(4, "u1", "dev-1", "videoResumed"),
                line(5, "u1", "dev-1", "leave"), line(6, "", "", "sessionStarted"), line(7, "u2", "dev-2", "join"),
            ])
        )
        #expect(
            plan.skippedLines == [
                "videoResumed: after sessionEnded, of somebody who is not there": 1,
                "leave: after sessionEnded, of somebody who is not there": 1,
                "sessionStarted: a call starts with its first join": 1,
            ]
        )
        let view = try played(plan).view
        #expect(view.people.map(\.uid) == ["u2"])
        #expect(view.attributes.isEmpty)
    }

    @Test func aTraceWithSpeechLeavesTheDominantSpeakerToTheElection() throws {
        let plan = TracePlan(
            try trace([
                line(1, "u1", "mic-1", "speechStarted"),
                line(2, "u1", "mic-1", "dominantSpeaker", #""derived":"rule""#),
            ])
        )
        #expect(plan.electsDominantSpeaker)
        #expect(plan.skippedLines == ["dominantSpeaker: left to the election": 1])
        #expect(try played(plan).view.dominantSpeaker == .elected)
    }

    @Test(arguments: 0..<20) func aRandomTraceNeverMakesAPlanThatCannotBePlayed(run: Int) throws {
        var random = SplitMix64(seed: traceSeed() &+ UInt64(run))
        let events = [
            "join", "leave", "drop", "kicked", "present", "audioJoined", "audioLeft", "audioMuted", "audioUnmuted",
            "videoPaused", "videoResumed", "screenShareStarted", "screenShareStopped", "handRaised", "handLowered",
            "recordingStarted", "recordingStopped", "presenterAssigned", "speechStarted", "speechStopped",
            "dominantSpeaker", "nickChanged", "mediaRecordingStarted", "mediaRecordingStopped", "sessionEnded",
            "sessionStarted", "waved",
        ]
        let devices = ["", "dev-1", "aud-1", "sip-1", "irc-1"]
        let lines = (0..<400).map { index in
            let event = events[random.below(events.count)]
            let uid = "u\(random.below(4))"
            let extra = #""newDevice":"irc-2","newUid":"u\#(random.below(4))","by":"u\#(random.below(4))""#
            return line(Double(index), uid, devices[random.below(devices.count)], event, extra)
        }
        let trace = try trace(lines)
        let plan = TracePlan(trace)
        #expect(plan.playedLines + plan.skippedLineCount == trace.entries.count)
        #expect(throws: Never.self) { try played(plan) }
    }
}
