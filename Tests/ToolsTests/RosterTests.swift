import CallState
import Testing
import ToolSupport

struct RosterTests {
    private let now = SampleCall.begin + 130_000

    private func lines(_ call: SampleCall, width: Int? = nil) -> [String] {
        Roster(session: "standup", state: call.state).lines(now: now, width: width, colors: false)
    }

    @Test func `The roster is the table of the documentation`() {
        let call = SampleCall()
        let recorded = TimeText.clock(SampleCall.begin + 70_000, now: now)
        #expect(
            lines(call) == [
                "standup at position 1.8: 3 people, 4 devices",
                "",
                "  #  PERSON       MIC    CAM  SHARE  HAND  SINCE  DEVICES",
                "  1  ana          on     on   yes    -     2m10s  laptop",
                "  2  ben          muted  on   -      1st   2m04s  phone (reconnecting, 9 s left)",
                "  3  Chloe (u-3)  on     off  -      2nd   1m30s  laptop, phone",
                "",
                "  recording since \(recorded) by ana    dominant speaker: Chloe (u-3)    digest \(digest(call))",
            ]
        )
    }

    private func digest(_ call: SampleCall) -> String { hexText(call.state.digest, digits: 16) }

    @Test func `What is not the default is told below the table`() {
        var call = SampleCall()
        let (ana, chloe) = (call.ana, call.chloe)
        call.commit { state in
            state.setTitle("Daily")
            state.setCallLocked(true)
            state.setModeration(.moderators)
            state.setStandingMute(true)
            state.setHandsEnabled(false)
            state.setPresenters(.one)
            state.setGrace(30_000)
            state.setIdle(0)
            state.setSpotlight([chloe, ana])
            state.setCallAttribute("layout", to: Array("grid".utf8))
            state.requestUnmute(of: ana, byUID: "u-3", until: now)
            state.setVideoLocked(true, of: chloe)
        }
        let lines = lines(call)
        #expect(lines[0] == "standup (Daily) at position 1.9: 3 people, 4 devices")
        #expect(lines[3] == "  1  ana          muted  on      yes    -     2m10s  laptop")
        #expect(lines[5] == "  3  Chloe (u-3)  muted  locked  -      -     1m30s  laptop, phone")
        #expect(
            Array(lines.suffix(4)) == [
                "  spotlight: Chloe (u-3), ana",
                "  u-3 asks ana to unmute",
                "  policy: only moderators moderate, all muted, no hands, one presenter at a time, grace 30 s, never idle, "
                    + "the call is locked",
                "  attributes: layout=grid",
            ]
        )
    }

    @Test func `An empty call is a heading and a digest`() {
        let lines = Roster(session: "standup", state: CallState()).lines(now: now, width: 80, colors: true)
        #expect(
            lines == ["standup at position 0.0: 0 people, 0 devices", "", "  digest 0000000000000000"]
        )
    }

    @Test(arguments: [30, 50, 80])
    func `The table fits the terminal`(width: Int) {
        var call = SampleCall()
        let ana = call.ana
        call.commit { $0.setName("A name of very many letters, 更长的名字, \u{1B}[31m", of: ana) }
        let roster = Roster(session: "standup", state: call.state)
        for line in roster.table(now: now).lines(width: width, colors: false) {
            #expect(line.displayWidth <= width)
            #expect(!line.unicodeScalars.contains("\u{1B}"))
        }
    }

    @Test func `A person is muted when every device is`() {
        var call = SampleCall()
        let laptop = call.device(call.chloe)
        call.commit { $0.setAudioMuted(true, of: laptop) }
        #expect(lines(call)[5].contains("muted"))
    }

    @Test func `Names that say no more than the uid are left out`() {
        #expect(personLabel(uid: "ben", name: "Ben") == "ben")
        #expect(personLabel(uid: "ben", name: "") == "ben")
        #expect(personLabel(uid: "u-3", name: "Chloe") == "Chloe (u-3)")
    }
}
