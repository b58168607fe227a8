"""Tests of the Python client without a relay: python3 -m unittest discover -s Tests/Interop -p 'test_*.py'."""

import socket
import unittest

import wire
from call_copy import CallCopy, SnapshotReader, Wrong, term
from client import Client, Ended
from schema import pb

ANA = pb.Record(slot=2, person=pb.PersonFields(uid="ana", hand=pb.Hand(version=3, at=1000)))
ANA.entries.add(field=10, key="lang", value=b"en")
LAPTOP = pb.Record(slot=3, device=pb.DeviceFields(person=2, device="laptop", audio_muted=True, video_paused=False))


def summed(records):
    copy = CallCopy()
    reader = SnapshotReader(pb.Snapshot())
    try:
        reader.add(pb.SnapshotPart(records=records, end=pb.SnapshotEnd(live_records=len(records) + 99)))
    except Wrong:
        copy = reader.copy
    return copy


def snapshot(epoch, seq, records):
    """The two frames of a snapshot; slots 0 and 1 are added."""
    records = [pb.Record(slot=0, call=pb.CallFields()), pb.Record(slot=1, policy=pb.PolicyFields()), *records]
    copy = summed(records)
    return (
        pb.ServerFrame(snapshot=pb.Snapshot(position=pb.Position(epoch=epoch, seq=seq))),
        pb.ServerFrame(
            part=pb.SnapshotPart(
                records=records, end=pb.SnapshotEnd(live_records=len(copy.records), digest=copy.recomputed_digest())
            )
        ),
    )


class DigestTests(unittest.TestCase):
    def test_r64_worked_example(self):
        rows = [
            (0, 1, b"", b"m-1", 0xD681D9B96BDCAB78),
            (2, 1, b"", b"ana", 0x60A598439EB711BB),
            (2, 5, b"", bytes.fromhex("080310e807"), 0x185FC77628F67F49),
            (2, 10, b"lang", b"en", 0x86848FEC606C720F),
            (3, 4, b"", b"\x01", 0xF5BE32E5DCA28090),
            (3, 5, b"", b"\x00", 0x96FB0EE1B3AFF63E),
        ]
        for slot, field, key, value, expected in rows:
            self.assertEqual(term(slot, field, key, value), expected)
        self.assertEqual(sum(row[4] for row in rows) % 2**64, 0x62C50B2724492559)

    def test_r64_a_copy_has_the_sum_of_its_fields(self):
        copy = summed([pb.Record(slot=0, call=pb.CallFields(meeting_id="m-1")), ANA, LAPTOP])
        extra = term(3, 1, b"", b"\x02") + term(3, 2, b"", b"laptop")
        self.assertEqual(copy.digest, (0x62C50B2724492559 + extra) % 2**64)
        self.assertEqual(copy.digest, copy.recomputed_digest())

    def test_r66_false_and_zero_and_empty_count(self):
        for fields in (pb.DeviceFields(audio_muted=False), pb.DeviceFields(joined_at=0), pb.DeviceFields(client_name="")):
            fields.person, fields.device = 2, "d"
            bare = pb.DeviceFields(person=2, device="d")
            self.assertNotEqual(
                summed([ANA, pb.Record(slot=3, device=fields)]).digest, summed([ANA, pb.Record(slot=3, device=bare)]).digest
            )

    def test_r46_unknown_fields_and_kinds_count(self):
        known = pb.Record(slot=4, device=pb.DeviceFields(person=2, device="x")).SerializeToString()
        # Field 30 of the device's body, a varint, is of a later version.
        body = b"\x08\x02\x12\x01x" + wire.varint(30 << 3) + b"\x07"
        later = b"\x08\x04" + wire.varint(5 << 3 | 2) + wire.varint(len(body)) + body
        self.assertEqual(len(later), len(known) + 3)
        before = summed([ANA, pb.Record.FromString(known)])
        after = summed([ANA, pb.Record.FromString(later)])
        self.assertEqual(after.digest, (before.digest + term(4, 30, b"", b"\x07")) % 2**64)
        # Kind 6 is of a later version, with field 1 = "a".
        kind = pb.Record.FromString(b"\x08\x05" + wire.varint(6 << 3 | 2) + b"\x03\x0a\x01a")
        self.assertEqual(summed([kind]).digest, term(5, 1, b"", b"a"))


class SplitterTests(unittest.TestCase):
    def test_r4_any_cut_gives_the_same_frames(self):
        frames = [pb.ServerFrame(ping=pb.Ping(time=n)) for n in (1, 300, 2**40)]
        stream = b"".join(wire.frame(frame) for frame in frames)
        for size in (1, 2, 3, 5, 7, len(stream)):
            splitter = wire.Splitter()
            bodies = [b for at in range(0, len(stream), size) for b in splitter.add(stream[at : at + size])]
            self.assertEqual([pb.ServerFrame.FromString(body) for body in bodies], frames)

    def test_r3_illegal_lengths_are_refused_at_once(self):
        for head in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\x10\0\x01"):
            with self.assertRaises(wire.BadFrame):
                wire.Splitter().add(head)


class ApplyTests(unittest.TestCase):
    def setUp(self):
        self.copy = CallCopy()
        self.copy.position = (7, 4)
        self.copy.apply(pb.Delta(to_epoch=7, to_seq=5, records=[ANA, LAPTOP]), 0)

    def refused(self, reason, delta):
        digest, position = self.copy.digest, self.copy.position
        with self.assertRaises(Wrong) as caught:
            self.copy.apply(delta, 7)
        self.assertEqual(caught.exception.reason, reason)
        self.assertEqual((self.copy.digest, self.copy.position), (digest, position))

    def test_r57_omitted_positions(self):
        self.assertTrue(self.copy.apply(pb.Delta(to_seq=6), 7))
        self.assertEqual(self.copy.position, (7, 6))

    def test_r58_gap_epoch_and_old_deltas(self):
        self.refused(pb.RESYNC_REASON_GAP, pb.Delta(to_seq=8, from_seq=7))
        self.refused(pb.RESYNC_REASON_EPOCH, pb.Delta(to_seq=6, to_epoch=8))
        self.assertFalse(self.copy.apply(pb.Delta(to_seq=5, from_seq=1, records=[LAPTOP]), 7))
        self.assertTrue(self.copy.apply(pb.Delta(to_seq=9, from_seq=2, records=[LAPTOP]), 7))
        self.assertTrue(self.copy.apply(pb.Delta(to_seq=9, to_epoch=8, from_seq=9, from_epoch=7), 7))
        self.assertEqual(self.copy.position, (8, 9))

    def test_r58_wrong_records_change_nothing(self):
        invalid = pb.RESYNC_REASON_INVALID
        self.refused(pb.RESYNC_REASON_UNKNOWN_SLOT, pb.Delta(to_seq=6, records=[pb.Record(slot=9, person=pb.PersonFields(name="x"))]))
        self.refused(invalid, pb.Delta(to_seq=6, records=[pb.Record(slot=2, person=pb.PersonFields(uid="bob"))]))
        self.refused(invalid, pb.Delta(to_seq=6, records=[pb.Record(slot=2, device=pb.DeviceFields(audio_muted=True))]))
        self.refused(invalid, pb.Delta(to_seq=6, records=[pb.Record(slot=9, device=pb.DeviceFields(person=8, device="d"))]))
        self.refused(invalid, pb.Delta(to_seq=6, records=[pb.Record(slot=2, removed=pb.Removed(at=1))]))
        self.refused(invalid, pb.Delta(to_seq=6, records=[pb.Record(slot=2)]))

    def test_r41_r42_r43_values_clears_and_entries(self):
        change = pb.Record(slot=2, person=pb.PersonFields(), cleared=[5])
        change.entries.add(field=10, key="lang")
        change.entries.add(field=10, key="empty", value=b"")
        mic = pb.Record(slot=3, device=pb.DeviceFields(audio_muted=False))
        self.copy.apply(pb.Delta(to_seq=6, records=[change, mic]), 7)
        self.assertEqual(self.copy.records[2][1], {(1, b""): b"ana", (10, b"empty"): b""})
        self.assertEqual(self.copy.number(3, 4), 0)
        self.assertEqual(self.copy.digest, self.copy.recomputed_digest())

    def test_r44_tombstones(self):
        gone = [pb.Record(slot=n, removed=pb.Removed(at=1, reason=pb.LEAVE_REASON_LEFT)) for n in (2, 3, 99)]
        self.copy.apply(pb.Delta(to_seq=6, records=gone), 7)
        self.assertEqual((self.copy.records, self.copy.digest), ({}, 0))

    def test_r49_aggregate(self):
        phone = pb.Record(slot=4, device=pb.DeviceFields(person=2, device="phone", audio_muted=False, video_paused=True))
        self.copy.apply(pb.Delta(to_seq=6, records=[phone]), 7)
        (ana,) = self.copy.people()
        self.assertEqual((ana["audioMuted"], ana["videoPaused"], ana["hand"]), (False, False, True))


class ClientTests(unittest.TestCase):
    """The client against a scripted peer: frames in, frames out."""

    def setUp(self):
        self.stream, self.relay = socket.socketpair()
        self.addCleanup(self.stream.close)
        self.addCleanup(self.relay.close)
        self.client = Client(self.stream, "standup", observer=True)
        self.splitter = wire.Splitter()
        self.assertEqual(self.relay.recv(4, socket.MSG_WAITALL), wire.PREFACE)
        self.sent()

    def sent(self):
        """The frames that the client has sent since the last call."""
        self.relay.setblocking(False)
        try:
            return [pb.ClientFrame.FromString(body) for body in self.splitter.add(self.relay.recv(1 << 20))]
        except BlockingIOError:
            return []

    def receive(self, *frames):
        for frame in frames:
            self.client.take(frame)

    def join(self, epoch, seq):
        self.receive(
            pb.ServerFrame(
                joined=pb.Joined(position=pb.Position(epoch=epoch, seq=seq), follows=pb.FOLLOWS_SNAPSHOT)
            )
        )

    def test_r19_r55_complete_only_at_j(self):
        self.join(7, 6)
        self.assertFalse(self.client.is_complete)
        self.receive(*snapshot(7, 5, [ANA, LAPTOP]))
        self.assertFalse(self.client.is_complete)
        self.receive(pb.ServerFrame(delta=pb.Delta(to_seq=6)))
        self.assertTrue(self.client.is_complete)
        self.assertEqual(self.sent(), [])

    def test_r52_a_wrong_digest_asks_again_and_r63_three_times(self):
        self.join(7, 5)
        for n in range(3):
            head, part = snapshot(7, 5, [ANA])
            part.part.end.digest ^= 1
            self.receive(head, part)
            (frame,) = self.sent()
            self.assertEqual(frame.resync.reason, pb.RESYNC_REASON_DIGEST)
        with self.assertRaises(Ended):
            self.receive(head, part)

    def test_r63_one_resync_at_a_time(self):
        self.join(7, 5)
        self.receive(*snapshot(7, 5, [ANA]))
        gap = pb.ServerFrame(delta=pb.Delta(to_seq=9, from_seq=8))
        self.receive(gap, gap, pb.ServerFrame(delta=pb.Delta(to_seq=6)))
        self.assertEqual([f.resync.reason for f in self.sent()], [pb.RESYNC_REASON_GAP])
        self.assertEqual(self.client.copy.position, (7, 5))
        self.receive(*snapshot(7, 9, [ANA]), pb.ServerFrame(delta=pb.Delta(to_seq=10)))
        self.assertEqual(self.client.copy.position, (7, 10))

    def test_r53_a_ping_between_parts_is_only_answered(self):
        self.join(7, 5)
        head, part = snapshot(7, 5, [ANA])
        self.receive(head, pb.ServerFrame(ping=pb.Ping(position=pb.Position(epoch=7, seq=9), time=1)), part)
        self.assertEqual([f.WhichOneof("body") for f in self.sent()], ["pong"])
        self.assertEqual(self.client.copy.position, (7, 5))

    def test_r54_a_snapshot_replaces_everything_also_backwards(self):
        self.join(7, 5)
        self.receive(*snapshot(7, 5, [ANA, LAPTOP]), *snapshot(7, 3, [ANA]))
        self.assertEqual((self.client.copy.position, sorted(self.client.copy.records)), ((7, 3), [0, 1, 2]))

    def test_r99_r100_pings(self):
        self.join(7, 5)
        self.receive(*snapshot(7, 5, [ANA]))
        digest = self.client.copy.digest
        for position, mark, expected in [
            ((7, 4), digest ^ 1, []),
            ((7, 5), digest, []),
            ((7, 5), digest ^ 1, [pb.RESYNC_REASON_DIGEST]),
        ]:
            ping = pb.Ping(position=pb.Position(epoch=position[0], seq=position[1]), time=77, digest=mark)
            self.receive(pb.ServerFrame(ping=ping))
            pong, *rest = self.sent()
            self.assertEqual((pong.pong.position, pong.pong.time), (pb.Position(epoch=7, seq=5), 77))
            self.assertEqual([f.resync.reason for f in rest], expected)

    def test_r100_a_ping_ahead(self):
        self.join(7, 5)
        self.receive(*snapshot(7, 5, [ANA]))
        self.receive(pb.ServerFrame(ping=pb.Ping(position=pb.Position(epoch=7, seq=6), time=1)))
        self.assertEqual(self.sent()[1].resync.reason, pb.RESYNC_REASON_AHEAD)

    def test_r67_a_private_delta_with_a_wrong_digest(self):
        self.join(7, 5)
        self.receive(*snapshot(7, 5, [ANA]))
        self.receive(pb.ServerFrame(delta=pb.Delta(to_seq=6, digest=1)))
        self.assertEqual(self.sent()[0].resync.reason, pb.RESYNC_REASON_DIGEST)

    def test_r13_closed_ends_the_client(self):
        with self.assertRaises(Ended) as caught:
            self.receive(pb.ServerFrame(closed=pb.Closed(code=4004, text="removed")))
        self.assertEqual(caught.exception.closed.code, 4004)

    def test_r7_unknown_frames_are_ignored(self):
        self.receive(pb.ServerFrame.FromString(b"\x92\x03\x00"))
        self.assertEqual(self.sent(), [])

    def test_r29_a_resume_carries_secret_position_and_digest(self):
        self.join(7, 5)
        self.receive(*snapshot(7, 5, [ANA]))
        stream, relay = socket.socketpair()
        self.addCleanup(stream.close)
        self.addCleanup(relay.close)
        resume = {"copy": self.client.copy, "secret": b"s" * 16}
        Client(stream, "standup", uid="ana", device="laptop", resume=resume, attempt=2)
        relay.recv(4, socket.MSG_WAITALL)
        _, join = [pb.ClientFrame.FromString(body).join for body in wire.Splitter().add(relay.recv(1 << 16))]
        self.assertEqual((join.attempt, join.resume.secret), (2, b"s" * 16))
        self.assertEqual(join.resume.position, pb.Position(epoch=7, seq=5))
        self.assertEqual(join.resume.digest, self.client.copy.digest)


if __name__ == "__main__":
    unittest.main()
