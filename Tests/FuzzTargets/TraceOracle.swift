import Traces

/// A file of any bytes: an error that names a line of it, or a trace in order of time from which a plan can be made.
///
/// Half of the inputs are such files as they are; the others say how to write lines that are nearly right.
enum TraceOracle {
    static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        var choices = ChoiceReader(bytes)
        if choices.flag() { return try check(choices.take(.max)) }
        var lines = [#"{"t":0,"session":"s","uid":"","device":"","event":"meta"}"#]
        while !choices.isAtEnd { lines.append(line(&choices)) }
        try check(Array(lines.joined(separator: "\n").utf8))
    }

    private static let events = [
        "join", "leave", "drop", "kicked", "nickChanged", "present", "audioJoined", "audioLeft", "audioMuted",
        "audioUnmuted", "videoPaused", "videoResumed", "screenShareStarted", "screenShareStopped", "handRaised",
        "handLowered", "recordingStarted", "recordingStopped", "presenterAssigned", "speechStarted", "speechStopped",
        "dominantSpeaker", "mediaRecordingStarted", "sessionStarted", "sessionEnded", "check", "waved",
    ]

    private static let details = [
        "", #","by":"u1""#, #","by":"u2""#, #","newDevice":"d1""#, #","newDevice":"d0","newUid":"u1""#,
        #","muted":true"#,
        #","audioMuted":false,"videoPaused":true"#, #","noop":true"#, #","stream":"x""#, #","derived":"x""#,
        #","what":"queue","queue":["u0","u1"],"agrees":true,"agreesInOrder":true"#,
        #","what":"counts","counts":{"joined":2,"audioOn":1},"agrees":false"#,
        #","what":"participants","participants":[{"uid":"u0","device":"d0"}],"agrees":true"#, #","muted":7"#,
        #","role":"moderator""#, #","reason":"left""#,
    ]

    private static func line(_ choices: inout ChoiceReader) -> String {
        let event = choices.pick(events)
        let uid = choices.pick(["u0", "u0", "u1", "u2", ""])
        let device = choices.pick(["d0", "d0", "d1", ""])
        let time = choices.pick(["1", "1", "1", "1", "1.5", "2", "-1", "1e3", "1e300", "null"])
        let detail = choices.pick(details)
        return #"{"t":\#(time),"session":"s","uid":"\#(uid)","device":"\#(device)","event":"\#(event)"\#(detail)}"#
    }

    private static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
        var verdict = Verdict()
        do throws(TraceError) {
            let trace = try Trace.parse(bytes, file: "input")
            check(trace, &verdict)
        } catch {
            let lines = bytes.count { $0 == 0x0A } + 1
            verdict.require((0...lines).contains(error.line), "\(error) in a file of \(lines) lines")
            verdict.require(!error.cause.isEmpty, "an error that says nothing: \(error)")
        }
        try verdict.end()
    }

    private static func check(_ trace: Trace, _ verdict: inout Verdict) {
        var time = 0
        for entry in trace.entries {
            verdict.require(entry.time >= time, "line \(entry.line) is before the line above")
            time = entry.time
        }
        verdict.require((0...Trace.latestTime).contains(trace.duration), "duration \(trace.duration)")
        let plan = TracePlan(trace)
        verdict.require(plan.playedLines + plan.skippedLineCount == trace.entries.count, "lines without a verdict")
        var model = ReferenceModel(electsDominantSpeaker: plan.electsDominantSpeaker)
        for step in plan.steps {
            do throws(ReferenceModelError) {
                try model.apply(step.action)
            } catch {
                verdict.fail("line \(step.line) can't be played: \(error)")
            }
        }
    }
}
