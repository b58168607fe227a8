package import Traces

/// A meeting with everything that a trace can hold, made up for tests.
package enum SampleMeeting {
    private static let lines: [String] = [
        line(0, "ana", "dev-1", "join"), line(0.5, "ana", "dev-1", "audioJoined", #""muted":false"#),
        line(1, "ben", "dev-2", "join"), line(1.2, "ben", "aud-2", "audioJoined", #""muted":true"#),
        line(2, "ana", "dev-1", "presenterAssigned"), line(2.5, "ana", "dev-1", "screenShareStarted"),
        line(3, "ben", "dev-2", "handRaised"), line(3.1, "ben", "dev-2", "handRaised", #""noop":true"#),
        line(4, "", "", "transcriptionStarted"), line(4.5, "cem", "sip-3", "join"),
        line(5, "cem", "sip-3", "handRaised"),
        line(5.5, "ben", "", "dominantSpeaker"),
        line(6, "", "", "check", #""what":"queue","queue":["ben","cem"],"agrees":true,"agreesInOrder":true"#),
        line(6.5, "ben", "dev-2", "handLowered", #""by":"ana""#), line(7, "ana", "dev-1", "recordingStarted"),
        line(7.5, "ben", "dev-2", "videoResumed"), line(8, "cem", "sip-3", "drop", #""reason":"ping timeout""#),
        line(8.2, "cem", "sip-3", "join"), line(9, "ben", "aud-2", "audioUnmuted"),
        line(9.5, "ben", "dev-2", "nickChanged", #""newDevice":"irc-4","newUid":"ben""#),
        line(10, "ana", "dev-1", "screenShareStopped"), line(11, "", "", "sessionEnded"),
        line(12, "", "", "sessionStarted"), line(12, "dia", "dev-5", "join"),
        line(13, "dia", "dev-5", "audioMuted"),
    ]

    /// It as a file holds it.
    package static let text = TraceData.text(lines)

    /// It as it is read.
    package static func trace() throws -> Trace {
        try Trace.parse(Array(text.utf8), file: "meeting.jsonl")
    }

    private static func line(
        _ t: Double,
        _ uid: String,
        _ device: String,
        _ event: String,
        _ extra: String = ""
    ) -> String {
        TraceData.line(t, uid, device, event, extra)
    }
}
