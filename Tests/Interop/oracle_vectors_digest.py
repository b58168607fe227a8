"""Digests, by the formula of R-64."""

from oracle_random import varint
from oracle_vectors_server import ANA, LAPTOP, records

MASK = 2**64 - 1


def term(slot, field, key, value):
    """The part of one live field in the digest."""
    h = 0xCBF29CE484222325
    for byte in (slot.to_bytes(4, "big") + field.to_bytes(4, "big") + len(key).to_bytes(4, "big") + key + value):
        h = (h ^ byte) * 0x100000001B3 & MASK
    h ^= h >> 33
    h = h * 0xFF51AFD7ED558CCD & MASK
    h ^= h >> 33
    h = h * 0xC4CEB9FE1A85EC53 & MASK
    return h ^ h >> 33


def terms(record):
    """(field, key, canonical value) of a record, read from its bytes by the official runtime's own fields."""
    body = getattr(record, record.WhichOneof("body"))
    for field, value in body.ListFields():
        if field.message_type is not None:
            content = value.SerializeToString(deterministic=True)
        elif isinstance(value, str):
            content = value.encode()
        elif isinstance(value, bytes):
            content = value
        else:
            content = varint(int(value))
        yield field.number, b"", content
    for entry in record.entries:
        if entry.HasField("value"):
            yield entry.field, entry.key.encode(), entry.value


def vectors(schema, framed):
    """Single terms, and whole snapshots in one part."""
    from google.protobuf import json_format

    single = [
        (0, 1, "", b"m-1"), (2, 1, "", b"ana"), (2, 5, "", bytes.fromhex("080310e807")), (2, 10, "lang", b"en"),
        (3, 4, "", b"\x01"), (3, 5, "", b"\x00"), (0, 0, "", b""), (2**32 - 1, 2**29 - 1, "k" * 64, b"\xff" * 1024),
        (2, 10, "\u00e9", b""), (2, 10, "e\u0301", b""), (7, 60, "", varint(2**64 - 1)),
    ]
    sample = records()
    calls = {
        "no_call": [{"call": {}}, {"slot": 1, "policy": {}}],
        "one_person": [{"call": {}}, {"slot": 1, "policy": {}}, ANA, LAPTOP],
        "everything": [sample[name] for name in ("call_all", "policy_all", "person_all", "device_all")],
        "at_rest": [sample[f"{kind}_at_rest"] for kind in ("call", "policy", "person", "device")],
        "with_tombstone": [{"call": {"title": "t"}}, {"slot": 1, "policy": {}}, sample["removed"] | {"slot": 9}],
        "with_removed_entry": [{"call": {"locked": False}, "entries": [{"field": 8, "key": "a"}]},
                               {"slot": 1, "policy": {}}],
    }
    snapshots = []
    for name, content in calls.items():
        frame = schema.ServerFrame()
        json_format.ParseDict({"part": {"records": content, "end": {}}}, frame)
        total, live = 0, 0
        for record in frame.part.records:
            if record.WhichOneof("body") == "removed":
                continue
            live += 1
            total += sum(term(record.slot, *parts) for parts in terms(record))
        frame.part.end.live_records = live
        frame.part.end.digest = total & MASK
        snapshots.append({
            "name": name,
            "hex": framed(frame.SerializeToString(deterministic=True)),
            "json": json_format.MessageToDict(frame),
            "live_records": live,
            "digest": f"{total & MASK:016x}",
        })
    return {
        "terms": [{"slot": slot, "field": field, "key": key, "value": value.hex(),
                   "term": f"{term(slot, field, key.encode(), value):016x}"} for slot, field, key, value in single],
        "snapshots": snapshots,
    }
