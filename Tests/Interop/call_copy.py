"""A client's copy of a call: records by slot, the apply rule (R-58), snapshots (R-51 to R-56) and the digest (R-64)."""

import wire
from schema import pb

MASK = (1 << 64) - 1

# Kinds of records: the number of the body in Record.
CALL, POLICY, PERSON, DEVICE, REMOVED = 2, 3, 4, 5, 14
BODIES = range(2, 15)
IDENTITY = {PERSON: (1,), DEVICE: (1, 2)}
KEYED = {CALL: (8,), PERSON: (10,)}


def term(slot, field, key, value):
    """What one live field adds to the digest (R-64); key and value are bytes."""
    x = 0xCBF29CE484222325
    head = slot.to_bytes(4, "big") + field.to_bytes(4, "big") + len(key).to_bytes(4, "big")
    for byte in head + key + value:
        x = ((x ^ byte) * 0x100000001B3) & MASK
    x ^= x >> 33
    x = (x * 0xFF51AFD7ED558CCD) & MASK
    x ^= x >> 33
    x = (x * 0xC4CEB9FE1A85EC53) & MASK
    return x ^ (x >> 33)


class Wrong(Exception):
    """The copy can't take this: the reason is a ResyncReason (R-58)."""

    def __init__(self, reason, text):
        super().__init__(text)
        self.reason = reason


class Change:
    """One Record of the wire, read without knowing more than R-47 says."""

    def __init__(self, record):
        self.slot = record.slot
        self.kind = None
        self.set = {}  # (field, key) -> canonical value; bytes
        self.gone = set(record.cleared)
        for number, body in wire.fields(record.SerializeToString(deterministic=True)):
            if number in BODIES and isinstance(body, bytes):
                self.kind = number
                if number != REMOVED:
                    for field, value in wire.fields(body):
                        self.set[field, b""] = wire.varint(value) if isinstance(value, int) else value
        self.removed_keys = set()
        for entry in record.entries:
            key = (entry.field, entry.key.encode())
            if entry.HasField("value"):
                self.set[key] = entry.value
            else:
                self.removed_keys.add(key)


class CallCopy:
    """The records of one call; `records` maps a slot to (kind, {(field, key): value})."""

    def __init__(self):
        self.records = {}
        self.position = (0, 0)
        self.sum = 0

    @property
    def digest(self):
        return self.sum

    def recomputed_digest(self):
        """The digest from nothing; equal to `digest` unless there is a bug."""
        return sum(term(slot, f, k, v) for slot, (_, fields) in self.records.items() for (f, k), v in fields.items()) & MASK

    def number(self, slot, field):
        """A number or boolean field; None without a value."""
        value = self.records[slot][1].get((field, b""))
        return None if value is None else wire.read_varint(value, 0)[0]

    def text(self, slot, field):
        value = self.records[slot][1].get((field, b""))
        return None if value is None else value.decode()

    def people(self):
        """The people in order of joining, as values for printing."""
        result = []
        for slot in sorted(self.records):
            if self.records[slot][0] == PERSON:
                devices = [s for s, (kind, _) in self.records.items() if kind == DEVICE and self.number(s, 1) == slot]
                result.append(
                    {
                        "slot": slot,
                        "uid": self.text(slot, 1),
                        "name": self.text(slot, 2),
                        "hand": (5, b"") in self.records[slot][1],
                        "audioMuted": all(self.number(d, 4) for d in devices),
                        "videoPaused": all(self.number(d, 5) for d in devices),
                        "presenting": any(self.number(d, 6) for d in devices),
                        "devices": sorted(self.text(d, 2) for d in devices),
                    }
                )
        return result

    def apply(self, delta, epoch):
        """R-57 and R-58. `epoch` is the last epoch of the connection. True: applied, False: ignored; raises Wrong."""
        to = (delta.to_epoch or epoch, delta.to_seq)
        start = (delta.from_epoch or to[0], delta.from_seq or delta.to_seq - 1)
        if start[0] != self.position[0]:
            raise Wrong(pb.RESYNC_REASON_EPOCH, f"a delta from {start} at {self.position}")
        if to[0] == self.position[0] and to[1] <= self.position[1]:
            return False
        if to[0] < self.position[0] or to[1] < self.position[1]:
            raise Wrong(pb.RESYNC_REASON_EPOCH, f"a delta to {to} at {self.position}")
        if start[1] > self.position[1]:
            raise Wrong(pb.RESYNC_REASON_GAP, f"a delta from {start} at {self.position}")
        changes = [Change(record) for record in delta.records]
        self.check(changes)
        for change in changes:
            self.write(change)
        self.position = to
        return True

    def check(self, changes):
        """Everything that step 5 of R-58 refuses, before the first field is written."""
        invalid = pb.RESYNC_REASON_INVALID
        coming = {c.slot: c.kind for c in changes}
        if any(after.slot <= before.slot for before, after in zip(changes, changes[1:])):
            raise Wrong(invalid, "records are not in order of slot")
        for change in changes:
            slot, kind = change.slot, change.kind
            if kind is None:
                raise Wrong(invalid, f"slot {slot} without a body")
            if kind == REMOVED:
                continue
            if slot in self.records:
                known, fields = self.records[slot]
                if known != kind:
                    raise Wrong(invalid, f"slot {slot} changes its kind")
                for field in IDENTITY.get(kind, ()):
                    if field in change.gone or change.set.get((field, b""), fields[field, b""]) != fields[field, b""]:
                        raise Wrong(invalid, f"slot {slot} changes its identity")
            elif any((field, b"") not in change.set for field in IDENTITY.get(kind, ())):
                raise Wrong(pb.RESYNC_REASON_UNKNOWN_SLOT, f"slot {slot} is not known")
            elif kind == DEVICE:
                person = wire.read_varint(change.set[1, b""], 0)[0]
                live = self.records.get(person, (None,))[0]
                if coming.get(person, live) != PERSON:
                    raise Wrong(invalid, f"the device in slot {slot} has no person")
        going = {slot for slot, kind in coming.items() if kind == REMOVED}
        if any(self.records.get(slot, (None,))[0] == PERSON for slot in going):
            for slot, (kind, _) in self.records.items():
                if kind == DEVICE and slot not in going and self.number(slot, 1) in going:
                    raise Wrong(invalid, f"the device in slot {slot} loses its person")

    def write(self, change):
        if change.kind == REMOVED:
            kind, fields = self.records.pop(change.slot, (None, {}))
            for (field, key), value in fields.items():
                self.sum -= term(change.slot, field, key, value)
        else:
            kind, fields = self.records.setdefault(change.slot, (change.kind, {}))
            for place, value in change.set.items():
                self.drop(change.slot, fields, place)
                fields[place] = value
                self.sum += term(change.slot, *place, value)
            for place in [(field, b"") for field in change.gone] + list(change.removed_keys):
                self.drop(change.slot, fields, place)
        self.sum &= MASK

    def drop(self, slot, fields, place):
        value = fields.pop(place, None)
        if value is not None:
            self.sum -= term(slot, *place, value)


class SnapshotReader:
    """Collects the parts of one snapshot; `end` checks count and digest (R-52)."""

    def __init__(self, head):
        self.copy = CallCopy()
        self.copy.position = (head.position.epoch, head.position.seq)
        self.last = -1

    def add(self, part):
        """Takes a part; returns the copy when it was the last one, None before; raises Wrong."""
        for record in part.records:
            if record.slot <= self.last:
                raise Wrong(pb.RESYNC_REASON_INVALID, "records are not in order of slot")
            self.last = record.slot
            change = Change(record)
            if change.kind != REMOVED:
                self.copy.check([change])
                self.copy.write(change)
        if not part.HasField("end"):
            return None
        if len(self.copy.records) != part.end.live_records or self.copy.digest != part.end.digest:
            raise Wrong(pb.RESYNC_REASON_DIGEST, "count or digest of the snapshot differ")
        return self.copy
