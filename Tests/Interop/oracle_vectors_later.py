"""Frames of a later version, made with a schema that has more than rollcall.proto."""


def text(schema):
    """The text of the later schema."""
    def add(before, line):
        nonlocal schema
        if before not in schema:
            raise ValueError(f"the schema has no line {before}")
        schema = schema.replace(before, line + "\n" + before, 1)

    schema = schema.replace("package rollcall.v1;", "package rollcall.later;", 1)
    add("    Attendance attendance = 12;", "    Later later = 14;")
    add("    AttendanceReport attendance = 13;", "    Later later = 14;")
    add("    // 6..13 are kept for later kinds", "    LaterFields room = 6;")
    add("  // 10: attributes, a keyed field", "  optional uint64 later_number = 60;\n"
        "  optional bytes later_bytes = 61;\n  optional Later later_message = 5000;")
    add("    DominantSpeaker dominant_speaker = 28;", "    Later later = 40;")
    add("message Welcome {", "message Later { uint32 x = 1; string y = 2; }\n"
        "message LaterFields { optional uint64 a = 1; optional string b = 2; optional Later c = 99; }")
    add("  optional fixed64 digest = 3;      // Digest at `position`", "  string later = 9;\n  fixed32 more = 10;\n"
        "  fixed64 most = 11;")
    return schema


def vectors(schema, later, framed):
    """`kept`: an older client keeps what it does not know, with its bytes; otherwise it ignores it."""
    from google.protobuf import json_format

    cases = [
        ("record_fields", "server", True, {"delta": {"toSeq": "42", "records": [
            {"slot": 2, "person": {"uid": "ana", "laterNumber": "0", "laterBytes": "",
                                   "laterMessage": {"x": 7, "y": "z"}}},
            {"slot": 4, "person": {"laterNumber": str(2**64 - 1)}, "cleared": [5000]}]}}),
        ("record_kind", "server", True, {"delta": {"toSeq": "42", "records": [
            {"slot": 1, "policy": {}}, {"slot": 7, "room": {"a": "0", "b": "blue", "c": {"x": 1}}}]}}),
        ("record_kind_cleared", "server", True, {"delta": {"toSeq": "42", "records": [
            {"slot": 7, "room": {}, "cleared": [1, 99], "entries": [{"field": 50, "key": "k", "value": "AQ=="}]}]}}),
        ("entry_field", "server", True, {"delta": {"toSeq": "42", "records": [
            {"slot": 2, "person": {}, "entries": [{"field": 10, "key": "a"}, {"field": 77, "key": "b",
                                                                              "value": ""}]}]}}),
        ("snapshot_part", "server", True, {"part": {"records": [
            {"slot": 2, "person": {"uid": "ana", "laterNumber": "1"}}, {"slot": 7, "room": {"b": "blue"}}]}}),
        ("frame", "server", False, {"later": {"x": 1, "y": "text"}}),
        ("frame_empty", "server", False, {"later": {}}),
        ("frame_fields", "server", False, {"ping": {"time": "5", "later": "text", "more": 1, "most": "2"}}),
        ("setting", "client", False, {"command": {"op": "1", "settings": [{"later": {"x": 1}}]}}),
        ("setting_among_others", "client", False, {"command": {"op": "1", "settings": [
            {"audioMuted": True}, {"target": {"uid": "bo"}, "later": {"y": "text"}}, {"handRaised": False}]}}),
    ]
    made = []
    for name, direction, kept, content in cases:
        frame = later.ClientFrame() if direction == "client" else later.ServerFrame()
        json_format.ParseDict(content, frame)
        message = frame.SerializeToString(deterministic=True)
        known = schema.ClientFrame() if direction == "client" else schema.ServerFrame()
        known.ParseFromString(message)
        made.append({
            "name": name,
            "direction": direction,
            "kept": kept,
            "hex": framed(message),
            "json": json_format.MessageToDict(known),
            "later_json": json_format.MessageToDict(frame),
        })
    return made
