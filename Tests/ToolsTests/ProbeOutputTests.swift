import CallState
import Foundation
import Rollcall
import RollcallProtocol
import Testing
import ToolSupport

struct ProbeOutputTests {
    // MARK: Keys

    /// The keys of an object in the order in which they stand.
    private func keys(_ value: JSONValue?) -> [String] {
        guard case .object(let members)? = value else { return [] }
        return members.map(\.key)
    }

    private func member(_ value: JSONValue?, _ key: String) -> JSONValue? {
        guard case .object(let members)? = value else { return nil }
        return members.first { $0.key == key }?.value
    }

    private func first(_ value: JSONValue?) -> JSONValue? {
        guard case .array(let values)? = value else { return nil }
        return values.first
    }

    private func documented(_ name: String) -> [String] {
        JSONKeys.all.first { $0.name == name }?.keys.map(\.key) ?? []
    }

    @Test func `A snapshot has the documented keys`() {
        var call = SampleCall()
        let (ana, ben) = (call.ana, call.ben)
        call.commit { state in
            state.setStandingMute(true)
            state.setAttribute("k", of: ana, to: [0xFF])
            state.requestUnmute(of: ana, byUID: "ben", until: 5)
            state.raiseHand(of: ana, at: 5)
            state.setCallAttribute("c", to: [0x61])
            state.setSpotlight([ben])
        }
        let json = Roster(session: "standup", state: call.state).json
        let person = first(member(json, "people"))
        #expect(keys(json) == documented("snapshot"))
        #expect(keys(member(json, "position")) == documented("position"))
        #expect(keys(member(json, "recording")) == documented("recording"))
        #expect(keys(member(json, "policy")) == documented("policy"))
        #expect(keys(person) == documented("person"))
        #expect(keys(member(person, "hand")) == documented("hand"))
        #expect(keys(member(person, "unmuteRequest")) == documented("unmuteRequest"))
        #expect(keys(first(member(person, "attributes"))) == documented("attribute"))
        #expect(keys(first(member(person, "devices"))) == documented("device"))
        #expect(first(member(person, "attributes"))?.text == #"{"key":"k","value":"ff","encoding":"hex"}"#)
        #expect(member(json, "spotlight")?.text == #"["ben"]"#)
        #expect(member(json, "dominantSpeaker")?.text == #""u-3""#)
    }

    @Test func `Lists and streams have the documented keys`() throws {
        #expect(keys(CallSummary().json) == documented("call"))
        #expect(keys(ConnectionInfo().json) == documented("connection"))
        let call = SampleCall()
        let new = call.after { $0.setTitle("t") }
        let change = try #require(changes(from: call.state, to: new).first)
        let line = ChangeLine(time: 1, position: new.position, change: change, cause: .relay)
        #expect(keys(line.json) == documented("change"))
        var verification = DigestVerification()
        let check = verification.compare(new, with: new.digest, source: .ping)
        #expect(keys(check.json(time: 1)) == documented("check"))
        #expect(keys(verification.json(session: "s")) == documented("verdict"))
        #expect(keys(Capture([0, 0, 0, 1, 0]).frames[0].json) == documented("frame"))
    }

    @Test func `A meeting has the documented keys`() {
        var report = MeetingReport()
        report.recordings = [RecordingReport()]
        report.people = [PersonReport()]
        report.people[0].devices = [DeviceReport()]
        report.people[0].devices[0].intervals = [PresenceReport(from: 0)]
        let json = MeetingAttendance(report, at: 0).json
        let person = first(member(json, "participants"))
        let device = first(member(person, "devices"))
        #expect(keys(json) == documented("meeting"))
        #expect(keys(first(member(json, "recordings"))) == documented("meetingRecording"))
        #expect(keys(person) == documented("participant"))
        #expect(keys(device) == documented("deviceAttendance"))
        #expect(keys(first(member(device, "intervals"))) == documented("interval"))
        // Times are not left out at 0: a log has no unknown ones, and what lasts is null.
        #expect(member(json, "startedAt")?.text == #""1970-01-01T00:00:00.000Z""#)
        #expect(member(json, "endedAt") == .null && member(person, "leftAt") == .null)
    }

    @Test func `The help explains every key`() {
        let help = JSONKeys.help.joined(separator: "\n")
        for object in JSONKeys.all {
            #expect(help.contains("\(object.name) (\(object.place))"))
            for (key, meaning) in object.keys { #expect(help.contains(key) && help.contains(meaning)) }
        }
    }

    // MARK: Lists

    @Test func `Calls are a table`() {
        var standup = CallSummary()
        standup.session = "standup"
        (standup.people, standup.observers, standup.hands, standup.recording) = (4, 1, 1, true)
        standup.position = Position(epoch: 1, seq: 43)
        standup.startedAt = SampleCall.begin
        let time = TimeText.clock(SampleCall.begin, now: SampleCall.begin)
        #expect(
            callTable([standup], now: SampleCall.begin).lines(width: nil, colors: false) == [
                "  SESSION  PEOPLE  OBSERVERS  HANDS  REC  POSITION  SINCE",
                "  standup       4          1      1  on       1.43  \(time)",
            ]
        )
    }

    @Test func `Connections are a table`() {
        var link = ConnectionInfo()
        (link.session, link.uid, link.device, link.clientName) = ("standup", "ana", "laptop", "test")
        (link.attachedAt, link.cursor, link.lag) = (SampleCall.begin, Position(epoch: 1, seq: 40), 3)
        (link.inFlight, link.roundTrip, link.writes, link.merged, link.heldMost) = (2048, 3, 12, 1, 40_000)
        let time = TimeText.clock(SampleCall.begin, now: SampleCall.begin)
        let now = SampleCall.begin
        #expect(
            connectionTable([link, ConnectionInfo()], now: now).lines(width: nil, colors: false) == [
                "  CALL     UID  DEVICE  ATTACHED  CURSOR  LAG  IN FLIGHT      MOST   RTT  WRITES  MERGED  CLIENT",
                "  standup  ana  laptop  \(time)    1.40    3    2.0 KiB  39.1 KiB  2 ms      12       1  test",
                "  -        -    -       -              -    0        0 B       0 B     -       0       0",
            ]
        )
    }

    // MARK: Errors

    @Test func `An unknown session names near ones`() {
        let address = Address.unix("/tmp/r.sock")
        let near = unknownSession("standpu", among: ["retro", "standup"], address: address)
        #expect(near.code == .noInput)
        #expect(near.advice == "Did you mean standup?")
        #expect(unknownSession("x", among: [], address: address).advice == "The relay has no calls now.")
        #expect(unknownSession("x", among: ["retro"], address: address).advice.contains("rollcall-probe calls"))
    }

    @Test(arguments: [
        (RollcallError.Code.unreachable, ExitCode.unavailable), (.timedOut, .unavailable), (.linkLost, .unavailable),
        (.protocolViolation, .protocolError), (.unsupported, .protocolError), (.noSuchCall, .noInput),
        (.forbidden, .noPermission), (.denied, .noPermission), (.removed, .noPermission),
        (.unauthenticated, .noPermission), (.noSuchTarget, .noInput), (.invalid, .usage),
        (.goingAway, .temporaryFailure),
        (.overload, .temporaryFailure), (.replaced, .unavailable),
    ])
    func `Failures end with the code that scripts know`(code: RollcallError.Code, exit: ExitCode) {
        let error = ToolError(RollcallError(code: code, message: "why\u{1B}"), address: .tcp("localhost", 7420))
        #expect(error.code == exit)
        #expect(error.message.contains("why␛"))
    }

    // MARK: Digests

    @Test func `A copy that is right is equal everywhere`() {
        let call = SampleCall()
        let new = call.after { $0.setTitle("t") }
        var verification = DigestVerification()
        let end = SnapshotEnd(liveRecords: 9, digest: call.state.digest)
        _ = verification.take(.part(SnapshotPart(records: Diff(), end: end)), before: CallState(), after: call.state)
        let delta = ServerFrame.delta(Delta(toSeq: 9, records: Diff()))
        _ = verification.take(delta, before: call.state, after: new)
        let ping = ServerFrame.ping(Ping(position: new.position, time: 1, digest: new.digest))
        _ = verification.take(ping, before: new, after: new)
        #expect(
            verification.summary
                == "digest equal at 1.8, 1.9 (0 updates, 1 ping; 1 update without the relay's digest)"
        )
        #expect(verification.failure == nil)
    }

    @Test func `An update without a digest is never shown as the relay's word`() throws {
        let call = SampleCall()
        let new = call.after { $0.setTitle("t") }
        var verification = DigestVerification()
        let silent = verification.take(.delta(Delta(toSeq: 9, records: Diff())), before: call.state, after: new)
        let own = try #require(silent)
        #expect(own.isEqual && own.relayDigest == nil)
        #expect(own.json(time: 1).text.contains(#""relayDigest":null,"equal":true"#))
        // The relay has said nothing yet, so nothing was compared with it.
        #expect(verification.failure == "nothing was compared")
        var delta = Delta(toSeq: 9, records: Diff())
        delta.digest = new.digest
        let spoken = verification.take(.delta(delta), before: call.state, after: new)
        #expect(spoken?.relayDigest == new.digest)
        #expect(verification.summary == "digest equal at 1.9 (1 update, 0 pings; 1 update without the relay's digest)")
    }

    @Test func `Of many positions the first and the last are shown`() {
        var verification = DigestVerification()
        var call = SampleCall()
        for number in 0..<40 {
            call.commit { $0.setTitle(ByteString("t\(number)")) }
            _ = verification.compare(call.state, with: call.state.digest, source: .ping)
            _ = verification.compare(call.state, with: call.state.digest, source: .ping)
        }
        let first = call.state.position.seq - 39
        let shown =
            [first, first + 1, first + 2].map { "1.\($0)" } + ["..."]
            + [first + 37, first + 38, first + 39].map { "1.\($0)" }
        #expect(verification.summary == "digest equal at \(shown.joined(separator: ", ")) (0 updates, 0 pings)")
    }

    @Test func `A digest that differs is told with its place`() {
        let call = SampleCall()
        var verification = DigestVerification()
        let ping = Ping(position: call.state.position, time: 1, digest: call.state.digest ^ 1)
        let check = verification.take(.ping(ping), before: call.state, after: call.state)
        #expect(check?.isEqual == false)
        #expect(verification.failure?.hasPrefix("digest differs at 1.8 (ping)") == true)
    }

    @Test func `Nothing compared is not equal`() {
        var verification = DigestVerification()
        let call = SampleCall()
        let elsewhere = Ping(position: Position(epoch: 1, seq: 3), time: 1, digest: 0)
        #expect(verification.take(.ping(elsewhere), before: call.state, after: call.state) == nil)
        #expect(verification.failure == "nothing was compared")
    }

    // MARK: Completions

    @Test(arguments: ["$(reboot)", "a b", "`x`", "a;b", "", "-x", "a'b", "é"])
    func `A name that a shell would run is never offered`(name: String) {
        #expect(!Completions.isHarmless(name))
        #expect(Completions.isHarmless("team/standup-1:eu@example.org"))
    }
}
