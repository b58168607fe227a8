import CallState
import RollcallProtocol
import Testing
import ToolSupport

struct ChangeTests {
    private let call = SampleCall()

    /// The changes of a commit, as `who field: old -> new`.
    private func told(_ body: (inout CallState) -> Void) -> [String] {
        told(call.state, call.after(body))
    }

    private func told(_ old: CallState, _ new: CallState) -> [String] {
        changes(from: old, to: new).map { change in
            let who = change.device.map { "\(change.who)/\($0)" } ?? change.who
            let key = change.key.map { " \($0)" } ?? ""
            return "\(who) \(change.field.rawValue)\(key): \(change.old) -> \(change.new)"
        }
    }

    @Test func `The facts of a person with one device are the person's`() {
        let laptop = call.device(call.ana)
        #expect(told { $0.setAudioMuted(true, of: laptop) } == ["ana mic: on -> muted"])
        #expect(told { $0.setVideoPaused(true, of: laptop) } == ["ana cam: on -> off"])
        #expect(told { $0.setPresenting(false, of: laptop) } == ["ana share: yes -> no"])
        #expect(told { $0.loseLink(of: laptop, until: 1) } == ["ana link: active -> reconnecting"])
        let phone = call.device(call.ben)
        #expect(told { $0.restoreLink(of: phone) } == ["ben link: reconnecting -> active"])
    }

    @Test func `Of several devices each is told, and the person when the sum changes`() {
        let laptop = call.device(call.chloe)
        #expect(
            told { $0.setAudioMuted(true, of: laptop) } == [
                "Chloe (u-3)/laptop mic: on -> muted", "Chloe (u-3) mic: on -> muted",
            ]
        )
        let phone = call.device(call.chloe, 1)
        #expect(told { $0.setAudioMuted(false, of: phone) } == ["Chloe (u-3)/phone mic: muted -> on"])
        #expect(told { $0.removeDevice(phone, at: 1, reason: .lost) } == ["Chloe (u-3)/phone device: in -> lost"])
    }

    @Test func `Hands have places`() {
        let (ana, ben, chloe) = (call.ana, call.ben, call.chloe)
        #expect(told { $0.raiseHand(of: ana, at: 1) } == ["ana hand: down -> 3rd"])
        #expect(told { $0.lowerHand(of: chloe) } == ["Chloe (u-3) hand: 2nd -> down"])
        #expect(told { $0.lowerHand(of: ben) } == ["ben hand: 1st -> down"])
    }

    @Test func `Who leaves ends what they had`() {
        let ana = call.ana
        #expect(
            told { $0.removePerson(ana, at: 1, reason: .removed) } == [
                "ana share: yes -> no", "ana/laptop device: in -> removed", "ana presence: in -> removed",
            ]
        )
    }

    @Test func `Who joins is followed by what is not at rest`() {
        let lines = told { state in
            let dan = state.addPerson(uid: "dan", at: 1)
            _ = state.addDevice(person: dan, id: "phone", at: 1)
        }
        #expect(lines.first == "dan presence: out -> in")
        #expect(
            Set(lines.dropFirst()) == ["dan/phone device: out -> in", "dan mic: - -> muted", "dan cam: - -> off"]
        )
    }

    @Test func `A further device comes with its own facts`() {
        let ana = call.ana
        #expect(
            told { _ = $0.addDevice(person: ana, id: "phone", videoPaused: false, at: 1) } == [
                "ana/phone device: out -> in", "ana/phone mic: - -> muted", "ana/phone cam: - -> on",
            ]
        )
    }

    @Test func `What belongs to the call is told too`() {
        let (ana, chloe) = (call.ana, call.chloe)
        #expect(told { $0.stopRecording() } == ["the call recording: by ana -> off"])
        #expect(told { $0.setDominantSpeaker(ana) } == ["the call dominant-speaker: Chloe (u-3) -> ana"])
        #expect(told { $0.setSpotlight([chloe, ana]) } == ["the call spotlight: nobody -> Chloe (u-3), ana"])
        #expect(told { $0.setTitle("Daily") } == ["the call title: - -> Daily"])
        #expect(told { $0.setCallLocked(true) } == ["the call lock: off -> on"])
        #expect(told { $0.setCallAttribute("k", to: [0xFF]) } == ["the call call-attribute k: - -> ff"])
        #expect(told { $0.setGrace(20_000) } == ["the call policy grace: 15 s -> 20 s"])
        #expect(told { $0.setPresenters(.one) } == ["the call policy presenters: many -> one"])
    }

    @Test func `What belongs to a person is told`() {
        let (ana, ben) = (call.ana, call.ben)
        #expect(told { $0.setName("Ana Maria", of: ana) } == ["Ana Maria (ana) name: - -> Ana Maria"])
        #expect(told { $0.setRole(.moderator, of: ana) } == ["ana role: participant -> moderator"])
        #expect(told { $0.setAvatar("x", of: ana) } == ["ana avatar: - -> x"])
        #expect(told { $0.setAttribute("k", of: ana, to: [0x76]) } == ["ana attribute k: - -> v"])
        #expect(told { $0.requestUnmute(of: ben, byUID: "ana", until: 9) } == ["ben unmute-request: - -> by ana"])
        #expect(Set(told { $0.setAudioLocked(true, of: ana) }) == ["ana mic-lock: off -> on", "ana mic: on -> muted"])
    }

    @Test func `A meeting has a begin and an end`() {
        let ended = call.after { $0.endMeeting(at: 1) }
        #expect(told(call.state, ended).last == "the call meeting: m1 -> ended")
        #expect(told(CallState(), call.state).contains("the call meeting: - -> m1"))
        #expect(told(ended, ended) == [])
    }

    // MARK: Causes

    private func delta(_ seq: UInt64, from: UInt64? = nil, actor: Slot? = nil) -> ServerFrame {
        var delta = Delta(toSeq: seq, records: Diff())
        delta.fromSeq = from
        delta.actor = actor
        return .delta(delta)
    }

    @Test func `The cause is what the frame says`() {
        func cause(_ frame: ServerFrame) -> ChangeCause? {
            .of(frame, before: call.state, after: call.state)
        }
        let ben = call.device(call.ben)
        #expect(cause(delta(9)) == .itself)
        #expect(cause(delta(9, from: 8)) == .itself)
        #expect(cause(delta(9, from: 7)) == .merged)
        #expect(cause(delta(9, actor: 0)) == .relay)
        #expect(cause(delta(9, actor: ben)) == .other(uid: "ben", label: "ben"))
        #expect(cause(.ping(Ping(position: nil, time: 0))) == nil)
    }

    @Test func `A line tells when, where, who, what and by whom`() throws {
        let chloe = call.chloe
        let new = call.after { $0.lowerHand(of: chloe) }
        let change = try #require(changes(from: call.state, to: new).first)
        var columns = ChangeLine.Columns()
        func line(_ cause: ChangeCause, width: Int? = nil) -> String {
            ChangeLine(time: SampleCall.begin, position: new.position, change: change, cause: cause)
                .text(width: width, colors: false, columns: &columns)
        }
        let time = TimeText.clockWithMilliseconds(SampleCall.begin)
        #expect(
            line(.other(uid: "ana", label: "ana"))
                == "\(time)  1.9  Chloe (u-3)  hand      2nd -> down       (by ana)"
        )
        #expect(line(.itself) == "\(time)  1.9  Chloe (u-3)  hand      2nd -> down")
        #expect(line(.other(uid: "u-3", label: "Chloe (u-3)")) == line(.itself))
        #expect(line(.relay).hasSuffix("(by the relay)"))
        #expect(line(.itself, width: 30).displayWidth <= 30)
    }
}
