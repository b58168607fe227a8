"""The Python client against Protocol/vectors, as a client in any language should be tested first."""

import json
import os
import random
import subprocess
import sys
import unittest

from google.protobuf import json_format

import wire
from call_copy import REMOVED, CallCopy, Change, term
from schema import PROTOCOL, pb

VECTORS = os.path.join(PROTOCOL, "vectors")
APART = {"later.json", "invalid.json", "stream.json", "digest.json"}


def load(name):
    with open(os.path.join(VECTORS, name), encoding="utf-8") as file:
        return json.load(file)


def frame_class(vector):
    return {"client": pb.ClientFrame, "server": pb.ServerFrame}[vector["direction"]]


class VectorTests(unittest.TestCase):
    def test_every_message_both_ways(self):
        names = [name for name in os.listdir(VECTORS) if name.endswith(".json") and name not in APART]
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            for vector in load(name):
                with self.subTest(name, vector=vector["name"]):
                    frame = frame_class(vector).FromString(bytes.fromhex(vector["hex"])[4:])
                    self.assertEqual(json_format.MessageToDict(frame), vector["json"])
                    again = json_format.ParseDict(vector["json"], frame_class(vector)())
                    self.assertEqual(wire.frame(again).hex(), vector["hex"])

    def test_r46_later_frames_are_read_and_kept(self):
        for vector in load("later.json"):
            if vector["direction"] != "server":
                continue
            with self.subTest(vector["name"]):
                body = bytes.fromhex(vector["hex"])[4:]
                frame = pb.ServerFrame.FromString(body)
                self.assertEqual(json_format.MessageToDict(frame), vector["json"])
                if vector["kept"]:
                    self.assertEqual(sorted(frame.SerializeToString()), sorted(body))
                for record in [*frame.delta.records, *frame.part.records]:
                    self.assertIsNotNone(Change(record).kind)

    def test_r4_streams(self):
        for vector in load("stream.json"):
            if vector["preface"]:
                continue  # Only a relay reads a preface.
            data = bytes.fromhex(vector["hex"])
            for size in (1, 2, 3, len(data) or 1, random.randint(1, 50)):
                with self.subTest(vector["name"], size=size):
                    splitter = wire.Splitter(vector["maximum"])
                    bodies, error = [], None
                    try:
                        for at in range(0, len(data), size):
                            for body in splitter.add(data[at : at + size]):
                                bodies.append(body.hex())
                    except wire.BadFrame as caught:
                        error = caught
                    # A frame before an illegal length in the same piece may be lost with it: the stream is lost too.
                    if error is None or size == 1:
                        self.assertEqual(bodies, vector["frames"])
                    self.assertEqual(error is not None, vector["error"] is not None)

    def test_r64_terms(self):
        for vector in load("digest.json")["terms"]:
            key = vector.get("key", "").encode()
            value = bytes.fromhex(vector["value"])
            self.assertEqual(f"{term(vector['slot'], vector['field'], key, value):016x}", vector["term"], vector)

    def test_r52_r64_snapshots(self):
        for vector in load("digest.json")["snapshots"]:
            part = pb.ServerFrame.FromString(bytes.fromhex(vector["hex"])[4:]).part
            copy = CallCopy()
            for change in map(Change, part.records):
                if change.kind != REMOVED:
                    copy.write(change)
            self.assertEqual(f"{copy.digest:016x}", vector["digest"], vector["name"])
            self.assertEqual((copy.digest, len(copy.records)), (part.end.digest, part.end.live_records))
            self.assertEqual(copy.digest, copy.recomputed_digest())

    def test_the_vectors_are_those_that_their_maker_makes(self):
        maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle_vectors.py")
        done = subprocess.run([sys.executable, "-B", maker, "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
