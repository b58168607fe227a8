"""Bytes: the preface and frames of RCL1 (R-1 to R-4), and the two wire types of record fields (R-47)."""

import struct

PREFACE = b"RCL1"
LONGEST_FROM_RELAY = 1_048_576


class BadFrame(Exception):
    """Bytes that are no legal frame (R-5)."""


def frame(message):
    """A message with its length before it."""
    body = message.SerializeToString(deterministic=True)
    return struct.pack(">I", len(body)) + body


class Splitter:
    """Cuts a stream of bytes into the bodies of frames, however the stream was cut before (R-4)."""

    def __init__(self, longest=LONGEST_FROM_RELAY):
        self.longest = longest
        self.rest = bytearray()

    def add(self, data):
        """The bodies that are complete now; raises BadFrame as soon as an illegal length is there (R-3)."""
        self.rest += data
        bodies = []
        while len(self.rest) >= 4:
            (length,) = struct.unpack_from(">I", self.rest)
            if not 1 <= length <= self.longest:
                raise BadFrame(f"a frame of {length} bytes")
            if len(self.rest) < 4 + length:
                break
            bodies.append(bytes(self.rest[4 : 4 + length]))
            del self.rest[: 4 + length]
        return bodies


def varint(number):
    """The shortest varint of a number."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data, at):
    """A varint and the offset after it."""
    number = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise BadFrame("a varint that does not end")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def fields(data):
    """The fields of a message as (number, int or bytes), whatever the schema knows of them."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 2:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
            if at > len(data):
                raise BadFrame(f"field {number} ends outside its message")
        else:
            raise BadFrame(f"field {number} has wire type {kind}")
        yield number, value
