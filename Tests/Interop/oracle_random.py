"""Random frames, filled in by the descriptors of the schema and valid within the limits of SPEC.md.

They are in the one form that a canonical encoder writes for the value: a position that the schema does not mark as
optional in meaning is there only when it is not (0, 0), records ascend by slot, and nothing stands in a record twice.
"""

from google.protobuf.descriptor import FieldDescriptor as F

POSITION = 2**53 - 1
U64 = [0, 1, 127, 128, 16383, 16384, 2**32 - 1, 2**32, POSITION, 2**64 - 1]
U32 = [0, 1, 127, 128, 16383, 16384, 2**31, 2**32 - 1]
TEXT = ["a", "Z", " ", "0", "\u00e9", "e\u0301", "\u05d0", "\u65e5", "\U0001f44b", "\x00", "\n", '"']

# Bytes of strings and byte strings: (least, most).
LENGTHS = {
    "Hello.client_name": (0, 64),
    "Hello.instance": (8, 32),
    "Join.session_id": (1, 128),
    "Join.uid": (1, 128),
    "Join.device": (1, 64),
    "Join.name": (0, 256),
    "Join.avatar": (0, 2048),
    "Resume.secret": (0, 64),
    "Setting.name": (0, 256),
    "Setting.avatar": (0, 2048),
    "Setting.title": (0, 256),
    "Target.uid": (0, 128),
    "Target.device": (0, 64),
    "Attribute.key": (1, 64),
    "Attribute.value": (0, 1024),
    "UidList.uids": (1, 128),
    "BringIn.name": (0, 256),
    "BringIn.avatar": (0, 2048),
    "DominantSpeaker.uid": (0, 128),
    "Joined.secret": (0, 64),
    "AttendanceFilter.session_id": (0, 128),
    "AttendanceFilter.meeting_id": (0, 128),
    "AttendanceFilter.uid": (0, 128),
    "AttendancePage.cursor": (0, 64),
    "AttendanceReport.older": (0, 64),
    "AttendanceReport.newer": (0, 64),
    "Entry.key": (1, 64),
    "Entry.value": (0, 1024),
}
# Most elements of repeated fields.
COUNTS = {"Command.settings": (1, 5), "UidList.uids": (0, 32), "SlotList.slots": (0, 32), "Join.attributes": (0, 32)}
# Numbers with a limit of their own.
NUMBERS = {
    "Position.epoch": POSITION,
    "Position.seq": POSITION,
    "Delta.to_seq": POSITION,
    "Delta.to_epoch": POSITION,
    "Delta.from_seq": POSITION,
    "Delta.from_epoch": POSITION,
    "Join.grace_ms": 120_000,
    "Setting.grace_ms": 120_000,
}
# What is always there.
ALWAYS = {"Welcome.limits", "Delta.to_seq"}
# Messages that are not there when they are empty.
ABSENT = {"Position", "AttendanceFilter", "AttendancePage"}
# Positions whose presence has a meaning of its own.
PRESENCE = {"Ping.position"}
KEYED = {"call": 8, "person": 10}


class RandomFrames:
    """A source of frames; the same seed gives the same frames."""

    def __init__(self, schema, random):
        self.schema = schema
        self.random = random

    def frame(self):
        """A random frame and its direction."""
        direction = self.random.choice(["client", "server"])
        message = self.schema.ClientFrame() if direction == "client" else self.schema.ServerFrame()
        body = self.random.choice(message.DESCRIPTOR.oneofs_by_name["body"].fields)
        self.fill(getattr(message, body.name))
        getattr(message, body.name).SetInParent()
        return direction, message

    def fill(self, message):
        """Fills a message in place."""
        if message.DESCRIPTOR.name == "Record":
            raise AssertionError("records are made by `records`")
        for oneof in message.DESCRIPTOR.oneofs:
            if len(oneof.fields) > 1 and self.random.random() < 0.97:
                self.set(message, self.random.choice(oneof.fields))
        for field in message.DESCRIPTOR.fields:
            if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
                continue
            if field.label == F.LABEL_REPEATED:
                self.repeat(message, field)
            elif self.path(field) in ALWAYS or self.path(field) in LENGTHS or self.random.random() < 0.6:
                self.set(message, field)

    @staticmethod
    def path(field):
        return f"{field.containing_type.name}.{field.name}"

    def repeat(self, message, field):
        items = getattr(message, field.name)
        if field.message_type is not None and field.message_type.name == "Record":
            self.records(items)
            return
        least, most = COUNTS.get(self.path(field), (0, 4))
        for _ in range(self.random.randint(least, most)):
            if field.message_type is not None:
                self.fill(items.add())
            else:
                items.append(self.scalar(field))

    def set(self, message, field):
        if field.message_type is None:
            setattr(message, field.name, self.scalar(field))
            return
        inner = getattr(message, field.name)
        inner.SetInParent()
        self.fill(inner)
        if field.message_type.name in ABSENT and self.path(field) not in PRESENCE and inner.ByteSize() == 0:
            message.ClearField(field.name)

    def number(self, edges, most):
        value = self.random.choice(edges) if self.random.random() < 0.5 else self.random.getrandbits(
            self.random.randint(1, 64))
        return value % (most + 1)

    def scalar(self, field):
        path = self.path(field)
        if field.type == F.TYPE_BOOL:
            return self.random.random() < 0.5
        if field.type == F.TYPE_ENUM:
            if path in ("Join.mode", "ConnectionInfo.mode"):
                return self.random.randint(0, 1)
            return self.random.choice([0, 1, 2, 3, 77, 2**31 - 1])
        if field.type == F.TYPE_UINT32:
            return self.number(U32, 2**32 - 1)
        if field.type in (F.TYPE_UINT64, F.TYPE_FIXED64):
            value = self.number(U64, NUMBERS.get(path, 2**64 - 1))
            return max(value, 1) if path in ALWAYS else value
        least, most = LENGTHS.get(path, (0, 40))
        length = self.random.choice([least, most, self.random.randint(least, most), min(most, least + 3)])
        if field.type == F.TYPE_BYTES:
            return self.random.randbytes(length)
        return self.text(length)

    def text(self, length):
        """Text of exactly so many bytes."""
        parts = []
        while length > 0:
            part = self.random.choice(TEXT)
            if len(part.encode()) > length:
                part = "x"
            parts.append(part)
            length -= len(part.encode())
        return "".join(parts)

    def records(self, items):
        for slot in sorted(self.random.sample(range(0, 400), self.random.randint(0, 5))):
            record = items.add(slot=slot)
            kind = self.random.choice(["call", "policy", "person", "device", "removed", "later"])
            if kind == "later":
                # Official runtimes write what they do not know last, so that nothing else may stand behind it.
                number = self.random.randint(6, 13)
                record.MergeFromString(self.bytes_field(number, self.unknown_fields(1)))
                continue
            body = getattr(record, kind)
            body.SetInParent()
            self.fill(body)
            if kind == "removed":
                continue
            if self.random.random() < 0.3:
                body.MergeFromString(self.unknown_fields(60))
            taken = {field.number for field, _ in body.ListFields()}
            free = [field.number for field in body.DESCRIPTOR.fields if field.number not in taken] + [40, 50, 1000]
            record.cleared.extend(sorted(self.random.sample(free, self.random.randint(0, len(free)))))
            if kind in KEYED:
                self.entries(record, [KEYED[kind], 45, 46])

    def entries(self, record, fields):
        keys = {(self.random.choice(fields), self.text(self.random.randint(1, 64)))
                for _ in range(self.random.randint(0, 4))}
        for field, key in sorted(keys, key=lambda pair: (pair[0], pair[1].encode())):
            entry = record.entries.add(field=field, key=key)
            if self.random.random() < 0.7:
                entry.value = self.random.randbytes(self.random.choice([0, 1, 200, 1024]))

    def unknown_fields(self, first):
        """Fields from the number `first` on, as bytes: what a later version may have."""
        content = b""
        for number in sorted(self.random.sample(range(first, first + 30), self.random.randint(0, 3))):
            if self.random.random() < 0.5:
                content += varint(number << 3) + varint(self.number(U64, 2**64 - 1))
            else:
                content += self.bytes_field(number, self.random.randbytes(self.random.choice([0, 1, 130])))
        return content

    @staticmethod
    def bytes_field(number, content):
        return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value):
    """A minimal varint."""
    content = b""
    while value >= 0x80:
        content += bytes([value & 0x7F | 0x80])
        value >>= 7
    return content + bytes([value])
