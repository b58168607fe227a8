"""Reads the call logs of a running relay and prints each meeting as one line of JSON, the newest first.

    call_logs.py --connect unix:/run/rollcall.sock [--session standup] [--uid ana] [--limit 30]

Exit status: 0 all was read, 1 the relay refused or ended the connection, 2 wrong usage.
"""

import argparse
import json
import os
import sys

import wire
from client import Ended, connect
from schema import pb


class CallLogs:
    """Asks for attendance on a connection without a Join (R-111)."""

    def __init__(self, stream):
        self.stream = stream
        self.splitter = wire.Splitter()
        self.request = 0
        hello = pb.Hello(min_version=1, max_version=1, client_name="rollcall-interop", instance=os.urandom(16))
        stream.sendall(wire.PREFACE + wire.frame(pb.ClientFrame(hello=hello)))

    def ask(self, filter, page):
        """The answer to one question; raises Ended with the relay's reason."""
        self.request += 1
        question = pb.Attendance(request=self.request, filter=filter, page=page)
        self.stream.sendall(wire.frame(pb.ClientFrame(attendance=question)))
        while True:
            data = self.stream.recv(65_536)
            if not data:
                raise Ended()
            for body in self.splitter.add(data):
                frame = pb.ServerFrame.FromString(body)
                kind = frame.WhichOneof("body")
                if kind == "attendance" and frame.attendance.request == self.request:
                    return frame.attendance
                if kind in ("error", "closed"):
                    raise Ended(getattr(frame, kind))

    def meetings(self, filter, limit):
        """Every meeting, the newest first, each with all of its people (R-113, R-114)."""
        page = pb.AttendancePage(limit=limit)
        while True:
            report = self.ask(filter, page)
            for meeting in report.meetings:
                while meeting.more_people:
                    self.add_people(meeting)
                yield meeting
            if not report.more:
                return
            page.cursor = report.older

    def add_people(self, meeting):
        """The people that did not fit, up to the next frame's end."""
        rest = self.ask(
            pb.AttendanceFilter(meeting_id=meeting.meeting_id),
            pb.AttendancePage(first_person=len(meeting.people)),
        )
        meeting.more_people = bool(rest.meetings) and rest.meetings[0].more_people
        if rest.meetings:
            meeting.people.extend(rest.meetings[0].people)


def length(intervals):
    """The time that intervals cover together."""
    total, end = 0, 0
    for start, stop in sorted(intervals):
        total += max(0, stop - max(start, end))
        end = max(end, stop)
    return total


def check(meeting):
    """What does not add up in an ended meeting (R-115); empty when all does."""
    findings = []
    for person in meeting.people:
        stays = [(s.started_at, s.ended_at) for device in person.devices for s in device.intervals]
        left_out = person.devices_left_out + sum(device.intervals_left_out for device in person.devices)
        if not left_out and length(stays) != person.duration_ms:
            findings.append(f"{person.uid} was there for {length(stays)} ms, not {person.duration_ms}")
        if person.audio_ms + person.video_ms != person.duration_ms:
            findings.append(f"{person.uid}: audio and video do not add up")
    for name in ("audio_ms", "video_ms", "duration_ms"):
        if sum(getattr(person, name) for person in meeting.people) != getattr(meeting, name):
            findings.append(f"{name} is not the sum over the people")
    if len(meeting.people) != meeting.participants:
        findings.append(f"{len(meeting.people)} people came, {meeting.participants} were promised")
    return findings


def main():
    parser = argparse.ArgumentParser(description="Prints the call logs of a relay, a meeting per line.")
    parser.add_argument("--connect", required=True, metavar="ADDRESS", help="unix:PATH or tcp:HOST:PORT")
    parser.add_argument("--session", default="", help="only meetings of this call")
    parser.add_argument("--uid", default="", help="only meetings in which this person was")
    parser.add_argument("--limit", type=int, default=0, help="meetings of a page, 30 unless said")
    arguments = parser.parse_args()
    try:
        logs = CallLogs(connect(arguments.connect))
        for meeting in logs.meetings(pb.AttendanceFilter(session_id=arguments.session, uid=arguments.uid), arguments.limit):
            is_over = meeting.HasField("ended_at")
            line = {
                "session": meeting.session_id, "meeting": meeting.meeting_id, "ended": is_over,
                "duration": meeting.duration_ms, "people": [person.uid for person in meeting.people],
                "devices": [[device.device for device in person.devices] for person in meeting.people],
                "recordings": len(meeting.recordings), "findings": check(meeting) if is_over else [],
            }
            print(json.dumps(line), flush=True)
    except Ended as ended:
        print(f"call_logs.py: {ended}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
