"""The frames of clients, as protobuf JSON."""

import base64

MAX = str(2**53 - 1)
U64 = str(2**64 - 1)


def data(content):
    """Bytes in protobuf JSON."""
    return base64.b64encode(content).decode()


def cases():
    """For each file: the body of the frame, and its vectors by name."""
    head = {"epoch": "1764000000000", "seq": "41"}
    changes = {
        "audioMuted": True,
        "videoPaused": True,
        "presenting": True,
        "handRaised": True,
        "name": "Ana",
        "avatar": "https://example.org/ana.png",
        "attribute": {"key": "lang", "value": data(b"en")},
        "role": "ROLE_MODERATOR",
        "audioLocked": True,
        "videoLocked": True,
        "unmuteRequestMs": "30000",
        "removed": True,
        "recording": True,
        "spotlight": {"uids": ["ana", "bo"]},
        "title": "Stand-up",
        "callAttribute": {"key": "room", "value": data(b"\x00\xff")},
        "callLocked": True,
        "moderation": "MODERATION_MODERATORS",
        "standingMute": True,
        "standingCameraOff": True,
        "handsEnabled": True,
        "presenters": "PRESENTERS_ONE",
        "graceMs": "120000",
        "idleMs": "300000",
        "bringIn": {"name": "Phone", "audioMuted": False},
        "takeOut": "LEAVE_REASON_LEFT",
        "dominantSpeaker": {"uid": "ana"},
    }
    # The same settings at rest: each is there, with false, 0 or nothing in it.
    rest = {name: rest_of(value) for name, value in changes.items()}
    rest["attribute"] = {"key": "lang"}
    rest["callAttribute"] = {"key": "room", "value": ""}
    command = {f"set_{snake(name)}": {"op": "1", "settings": [{name: value}]} for name, value in changes.items()}
    command |= {f"rest_{snake(name)}": {"op": "2", "settings": [{name: value}]} for name, value in rest.items()}
    command |= {
        "op_max": {"op": U64, "settings": [{"audioMuted": True}]},
        "target_uid": {"op": "3", "settings": [{"target": {"uid": "bo"}, "audioMuted": True}]},
        "target_device": {"op": "3", "settings": [{"target": {"uid": "bo", "device": "phone"}, "videoPaused": True}]},
        "target_everyone": {"op": "4", "settings": [{"target": {"everyone": True}, "handRaised": False}]},
        "target_empty": {"op": "4", "settings": [{"target": {}, "presenting": False}]},
        "no_change": {"op": "5", "settings": [{"target": {"uid": "bo"}}]},
        "empty_setting": {"op": "5", "settings": [{}]},
        "two_settings": {"op": "6", "settings": [{"presenting": True}, {"audioMuted": True}]},
        "most_settings": {"op": "7", "settings": [{"handRaised": index % 2 == 0} for index in range(64)]},
        "spotlight_most": {"op": "8", "settings": [{"spotlight": {"uids": [f"uid-{i}" for i in range(32)]}}]},
        "bring_in_all": {"op": "9", "settings": [{
            "target": {"uid": "tel", "device": "line-1"},
            "bringIn": {"name": "", "avatar": "", "audioMuted": True, "videoPaused": True, "presenting": True,
                        "role": "ROLE_PARTICIPANT"},
        }]},
        "longest_name": {"op": "10", "settings": [{"name": "n" * 256}]},
        "longest_avatar": {"op": "10", "settings": [{"avatar": "a" * 2048}]},
        "longest_title": {"op": "10", "settings": [{"title": "t" * 256}]},
        "longest_attribute": {"op": "11", "settings": [{"attribute": {"key": "k" * 64, "value": data(bytes(1024))}}]},
        "unknown_role": {"op": "12", "settings": [{"role": 77}]},
        "every_setting": {"op": "13", "settings": [{name: value} for name, value in changes.items()]},
    }
    joins = {
        "fresh": {"sessionId": "stand-up", "uid": "ana", "device": "laptop", "attempt": "1"},
        "observer": {"sessionId": "stand-up", "mode": "JOIN_MODE_OBSERVER"},
        "facts": {"sessionId": "stand-up", "uid": "ana", "device": "laptop", "attempt": "1", "name": "Ana",
                  "audioMuted": True, "videoPaused": True, "presenting": True},
        "facts_at_rest": {"sessionId": "stand-up", "uid": "ana", "device": "laptop", "attempt": "1", "name": "",
                          "avatar": "", "audioMuted": False, "videoPaused": False, "presenting": False,
                          "idleMs": "0", "graceMs": "0", "role": "ROLE_PARTICIPANT"},
        "resume": {"sessionId": "stand-up", "uid": "ana", "device": "laptop", "attempt": "2",
                   "resume": {"secret": data(bytes(range(16))), "position": head, "digest": U64}},
        "resume_observer": {"sessionId": "stand-up", "mode": "JOIN_MODE_OBSERVER",
                            "resume": {"position": head, "digest": "1"}},
        "resume_empty": {"sessionId": "stand-up", "uid": "ana", "device": "laptop", "resume": {}},
        "attributes": {"sessionId": "s", "uid": "u", "device": "d", "attributes": [
            {"key": "lang", "value": data(b"en")}, {"key": "empty", "value": ""}, {"key": "gone"}]},
        "most_attributes": {"sessionId": "s", "uid": "u", "device": "d",
                            "attributes": [{"key": f"k{i:02}", "value": data(b"v")} for i in range(32)]},
        "token": {"sessionId": "s", "token": "eyJhbGciOi.J9", "device": "d"},
        "longest": {"sessionId": "s" * 128, "uid": "u" * 128, "device": "d" * 64, "name": "n" * 256,
                    "avatar": "a" * 2048, "attempt": U64, "idleMs": U64, "graceMs": "120000", "view": 2**32 - 1},
        "composed_uid": {"sessionId": "s", "uid": "\u00e9", "device": "d"},
        "decomposed_uid": {"sessionId": "s", "uid": "e\u0301", "device": "d"},
        "moderator": {"sessionId": "s", "uid": "u", "device": "d", "role": "ROLE_MODERATOR"},
        "four_byte_text": {"sessionId": "s", "uid": "u", "device": "d", "name": "\U0001f44b"},
    }
    reasons = ["UNSPECIFIED", "GAP", "EPOCH", "DIGEST", "UNKNOWN_SLOT", "AHEAD", "INVALID"]
    leaves = ["UNSPECIFIED", "LEFT", "LOST", "REMOVED", "ENDED", "EXPIRED"]
    return {
        "hello": ("hello", {
            "usual": {"minVersion": 1, "maxVersion": 1, "clientName": "probe 1.0", "instance": data(bytes(range(16)))},
            "shortest_instance": {"minVersion": 1, "maxVersion": 3, "instance": data(bytes(8))},
            "longest": {"minVersion": 2**32 - 1, "maxVersion": 2**32 - 1, "clientName": "c" * 64,
                        "instance": data(b"\xff" * 32)},
        }),
        "join": ("join", joins),
        "command": ("command", command),
        "speaking": ("speaking", {
            "on": {"on": True},
            "off": {},
            "for_another": {"on": True, "target": {"uid": "bo", "device": "phone"}},
        }),
        "pong": ("pong", {
            "usual": {"position": head, "time": "1764000000123"},
            "without_copy": {"time": "1"},
            "max": {"position": {"epoch": MAX, "seq": MAX}, "time": U64},
        }),
        "resync": ("resync", {r.lower(): {"position": head, "reason": f"RESYNC_REASON_{r}"} for r in reasons}
                   | {"without_copy": {"reason": "RESYNC_REASON_GAP"}, "later_reason": {"reason": 99}}),
        "leave": ("leave", {r.lower(): {"reason": f"LEAVE_REASON_{r}"} for r in leaves}),
        "authenticate": ("authenticate", {"usual": {"token": "eyJhbGciOi.J9"}, "empty": {}}),
        "peek": ("peek", {"usual": {"sessionId": "stand-up", "request": "7"}, "max": {"sessionId": "s" * 128,
                                                                                     "request": U64}}),
        "list": ("list", {"begin": {"request": "1"}, "after": {"request": "2", "after": "stand-up"}, "empty": {}}),
        "attendance": ("attendance", {
            "everything": {"request": "1"},
            "empty": {},
            "filter": {"request": "2", "filter": {
                "sessionId": "stand-up", "meetingId": "m-1", "uid": "ana", "since": "1764000000000",
                "until": "1764086400000", "progress": "MEETING_PROGRESS_ENDED",
                "recording": "RECORDING_CHOICE_WITH"}},
            "until_zero": {"request": "3", "filter": {"until": "0"}},
            "page": {"request": "4", "page": {"limit": 100, "cursor": data(b"\x01" + bytes(8)), "newer": True,
                                              "people": "PEOPLE_CHOICE_NONE"}},
            "more_people": {"request": "5", "filter": {"meetingId": "m-1"}, "page": {"firstPerson": "400"}},
            "matching": {"request": "6", "filter": {"uid": "ana"}, "page": {"people": "PEOPLE_CHOICE_MATCHING"}},
            "later_choices": {"filter": {"progress": 77, "recording": 78}, "page": {"people": 2**31 - 1}},
            "max": {"request": U64, "filter": {
                "sessionId": "s" * 128, "meetingId": "m" * 128, "uid": "u" * 128, "since": U64, "until": U64},
                "page": {"limit": 2**32 - 1, "cursor": data(b"\xff" * 64), "firstPerson": U64}},
        }),
        "inspect": ("inspect", {"begin": {"request": "1"}, "after": {"request": "2", "after": MAX}, "empty": {}}),
    }


def rest_of(value):
    """The value of the same type that says nothing."""
    if isinstance(value, bool):
        return False
    if isinstance(value, dict):
        return {}
    if value.startswith("ROLE_"):
        return "ROLE_PARTICIPANT"
    if value.startswith("MODERATION_"):
        return "MODERATION_EVERYONE"
    if value.startswith("PRESENTERS_"):
        return "PRESENTERS_MANY"
    if value.startswith("LEAVE_"):
        return "LEAVE_REASON_UNSPECIFIED"
    return "0" if value.isdigit() else ""


def snake(name):
    """audioMuted -> audio_muted"""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)
