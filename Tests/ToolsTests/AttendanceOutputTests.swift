import CallState
import Rollcall
import Testing
import ToolSupport

/// Call logs as text, JSON and comma-separated values.
struct AttendanceOutputTests {
    private static let noon: UInt64 = 1_764_504_000_000

    /// A meeting of half an hour with ana, who has two devices, and one with a strange name who is still in.
    private func meeting(ended: Bool = true) -> MeetingAttendance {
        let noon = Self.noon
        var report = MeetingReport()
        report.session = "standup"
        report.meeting = "m-1"
        report.title = "Plans, and more"
        report.startedAt = noon
        report.endedAt = ended ? noon + 1_800_000 : nil
        report.participants = 2
        report.devices = 3
        report.audio = 600_000
        report.video = 1_200_000
        var recording = RecordingReport()
        recording.byUID = "ana"
        recording.from = noon + 60_000
        recording.to = noon + 120_000
        report.recordings = [recording]
        report.devicesNotKept = 1
        var ana = PersonReport()
        ana.uid = "ana"
        ana.name = "=HYPERLINK(\"http://x\")"
        ana.joinedAt = noon
        ana.leftAt = noon + 1_800_000
        ana.audio = 600_000
        ana.video = 1_200_000
        ana.devices = (["laptop", "phone"] as [ByteString]).map { id in
            var device = DeviceReport()
            device.device = id
            device.joinedAt = noon
            device.video = 1_200_000
            device.intervals = [PresenceReport(from: noon, to: noon + 1_200_000)]
            return device
        }
        ana.devices[1].intervalsLeftOut = 4
        var ben = PersonReport()
        ben.uid = "b\u{1B}en"
        ben.joinedAt = noon + 60_000
        ben.devicesLeftOut = 2
        report.people = [ana, ben]
        return MeetingAttendance(report, at: noon + 1_900_000)
    }

    @Test(arguments: [true, false])
    func `a relay that says any number does not end the tool`(showsDevices: Bool) {
        var meeting = meeting()
        meeting.participants[0].devicesLeftOut = .max
        meeting.participants[0].devices[1].intervalsLeftOut = .max
        let output = AttendanceOutput([meeting], showsDevices: showsDevices)
        let lines = output.lines(now: Self.noon, width: nil, colors: false)
        #expect(lines.contains { $0.contains("9223372036854775809 devices") })
        #expect(lines.contains { $0.contains("9223372036854775808 times") } == showsDevices)
        #expect(output.csvLines.contains { $0.contains(",9223372036854775809,") } == !showsDevices)
    }

    @Test func `for people: a heading, and a row for each person`() throws {
        let output = AttendanceOutput([meeting(), meeting(ended: false)], showsDevices: false)
        let lines = output.lines(now: Self.noon + 2_000_000, width: nil, colors: false)
        #expect(
            lines[0].hasPrefix("  standup  ") && lines[0].contains("(30m00s)  2 people, 3 devices  Plans, and more")
        )
        #expect(lines[1] == "    meeting m-1" && lines[2].contains("(1m00s) by ana"))
        #expect(lines[3] == "    1 device came when the relay's log was full")
        #expect(
            lines[4].split(separator: " ") == [
                "PERSON", "NAME", "DEVICE", "JOINED", "LEFT", "PRESENT", "VIDEO", "AUDIO",
            ]
        )
        #expect(lines[5].contains("2 devices") && lines[5].hasSuffix("30m00s  20m00s  10m00s"))
        #expect(
            lines[6].contains("b\u{241B}en") && lines[6].contains("  in ") && lines[6].hasSuffix("0s      0s      0s")
        )
        #expect(lines[7].isEmpty && lines[8].contains(" - now (33m20s)"))
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
        let narrow = output.lines(now: Self.noon, width: 40, colors: false)
        #expect(narrow.allSatisfy { $0.displayWidth <= 40 })
    }

    @Test func `for people: a row for each device below the person`() {
        let output = AttendanceOutput([meeting()], showsDevices: true)
        let lines = output.lines(now: Self.noon, width: nil, colors: false)
        #expect(lines.count == 4 + 1 + 2 + 2)
        #expect(lines[6].contains("laptop") && !lines[6].contains("times"))
        #expect(
            lines[7].contains("5 times") && lines[7].contains("phone") && lines[7].hasSuffix("20m00s  20m00s      0s")
        )
    }

    @Test func `for spreadsheets: a line for each person, and no formula`() {
        let output = AttendanceOutput([meeting()], showsDevices: false)
        #expect(
            output.csvHeading
                == "session,meeting,title,meeting_started_at,meeting_ended_at,recorded,uid,name,devices,joined_at,left_at,"
                + "present_ms,video_ms,audio_ms"
        )
        #expect(
            output.csvLines == [
                "standup,m-1,\"Plans, and more\",2025-11-30T12:00:00.000Z,2025-11-30T12:30:00.000Z,yes,ana,"
                    + "\"'=HYPERLINK(\"\"http://x\"\")\",2,2025-11-30T12:00:00.000Z,2025-11-30T12:30:00.000Z,"
                    + "1800000,1200000,600000",
                "standup,m-1,\"Plans, and more\",2025-11-30T12:00:00.000Z,2025-11-30T12:30:00.000Z,yes,"
                    + "b\u{241B}en,,2,2025-11-30T12:01:00.000Z,,0,0,0",
            ]
        )
        let devices = AttendanceOutput([meeting(ended: false)], showsDevices: true)
        #expect(devices.csvHeading.contains(",name,device,joined_at,"))
        #expect(
            devices.csvLines.count == 2
                && devices.csvLines[1].contains(
                    ",phone,2025-11-30T12:00:00.000Z,2025-11-30T12:20:00.000Z,1200000,1200000,0"
                )
        )
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@A1", "'@A1"), ("  =x", "'  =x"), ("\t=x", "'\u{2409}=x"),
        ("\u{FF1D}x", "'\u{FF1D}x"), ("a=1", "a=1"), ("", ""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""),
        ("a\nb", "a\u{240A}b"), ("'=x", "'=x"), ("\u{A0}=x", "'\u{A0}=x"),
    ])
    func `a cell is quoted, and no formula`(text: String, written: String) {
        #expect(csvLine([.text(text)]) == written)
    }

    @Test func `what the program itself writes is never changed`() {
        #expect(csvLine([.own("-5"), .own("a\r\nb")]) == "-5,\"a\r\nb\"")
    }

    @Test func `moments as people write them`() {
        let now = Self.noon
        #expect(parseMoment("2025-11-30T12:00:00Z", now: now) == now)
        #expect(parseMoment("2025-11-30T12:00Z", now: now) == now)
        #expect(parseMoment("2025-11-30Z", now: now) == now - 12 * 3_600_000)
        #expect(parseMoment("2024-02-29Z", now: now) == 1_709_164_800_000)
        #expect(parseMoment("90s", now: now) == now - 90_000 && parseMoment("2h", now: now) == now - 7_200_000)
        #expect(parseMoment("15m", now: now) == now - 900_000 && parseMoment("7d", now: now) == now - 7 * 86_400_000)
        #expect(parseMoment("999999999d", now: now) == 0)
        #expect(parseMoment("2025-11-30", now: now) != nil && parseMoment("2025-11-30T10:00", now: now) != nil)
        for wrong in [
            "", "s", "-1h", "1.5h", "h2", "2025", "2025-13-01Z", "2025-02-29Z", "2025-1-1Z", "1969-12-31Z",
            "2025-11-30T24:00Z", "2025-11-30T12Z", "2025-11-30T12:00:00+01:00", "٢h", "99999999999999d", "2025-11-30TZ",
        ] {
            #expect(parseMoment(wrong, now: now) == nil, "\(wrong)")
        }
    }

    @Test func `lengths of time for people`() {
        #expect([0, 999, 1_000, 65_000, 3_700_000].map(lengthText) == ["0s", "0s", "1s", "1m05s", "1h01m"])
    }
}
