"""The frames of relays, as protobuf JSON."""

from oracle_vectors_client import MAX, U64, data

HEAD = {"epoch": "1764000000000", "seq": "41"}

ANA = {"slot": 2, "person": {"uid": "ana", "name": "Ana", "joinedAt": "1764000000000"}}
LAPTOP = {"slot": 3, "device": {"person": 2, "device": "laptop", "audioMuted": True, "videoPaused": False,
                                "joinedAt": "1764000000000", "clientName": "probe 1.0"}}


def records():
    """One record each, by name: every field of every kind, at a value and at rest."""
    return {
        "call_all": {"slot": 0, "call": {
            "meetingId": "m-1", "startedAt": "1764000000000", "title": "Stand-up",
            "recording": {"byUid": "ana", "byName": "Ana", "since": "1764000000500"},
            "dominantSpeaker": 2, "spotlight": {"slots": [2, 300]}, "locked": True,
        }, "entries": [{"field": 8, "key": "room", "value": data(b"\x00\xff")}]},
        "call_at_rest": {"slot": 0, "call": {
            "meetingId": "", "startedAt": "0", "title": "", "recording": {}, "dominantSpeaker": 0, "spotlight": {},
            "locked": False,
        }},
        "call_cleared": {"slot": 0, "call": {}, "cleared": [1, 2, 3, 4, 5, 6, 7],
                         "entries": [{"field": 8, "key": "room"}]},
        "policy_all": {"slot": 1, "policy": {
            "moderation": "MODERATION_MODERATORS", "standingMute": True, "standingCameraOff": True,
            "handsEnabled": True, "presenters": "PRESENTERS_ONE", "graceMs": "15000", "idleMs": "300000"}},
        "policy_at_rest": {"slot": 1, "policy": {
            "moderation": "MODERATION_EVERYONE", "standingMute": False, "standingCameraOff": False,
            "handsEnabled": False, "presenters": "PRESENTERS_MANY", "graceMs": "0", "idleMs": "0"}},
        "person_all": {"slot": 2, "person": {
            "uid": "ana", "name": "Ana", "avatar": "https://example.org/ana.png", "role": "ROLE_MODERATOR",
            "hand": {"version": "3", "at": "1000"}, "audioLocked": True, "videoLocked": True,
            "unmuteRequest": {"byUid": "bo", "until": "1764000030000"}, "joinedAt": "1764000000000",
        }, "entries": [{"field": 10, "key": "lang", "value": data(b"en")}]},
        "person_at_rest": {"slot": 2, "person": {
            "uid": "", "name": "", "avatar": "", "role": "ROLE_PARTICIPANT", "hand": {}, "audioLocked": False,
            "videoLocked": False, "unmuteRequest": {}, "joinedAt": "0"}},
        "person_cleared_between": {"slot": 2, "person": {"name": "Ana", "joinedAt": "5"}, "cleared": [5, 8]},
        "person_entries": {"slot": 2, "person": {}, "entries": [
            {"field": 10, "key": "a", "value": data(b"1")}, {"field": 10, "key": "b"},
            {"field": 10, "key": "c", "value": ""}, {"field": 10, "key": "k" * 64, "value": data(bytes(1024))}]},
        "device_all": {"slot": 3, "device": {
            "person": 2, "device": "laptop", "connection": "CONNECTION_RECONNECTING", "audioMuted": True,
            "videoPaused": True, "presenting": True, "joinedAt": "1764000000000", "clientName": "probe 1.0",
            "reconnectingUntil": "1764000015000"}},
        "device_at_rest": {"slot": 3, "device": {
            "person": 0, "device": "", "connection": "CONNECTION_ACTIVE", "audioMuted": False, "videoPaused": False,
            "presenting": False, "joinedAt": "0", "clientName": "", "reconnectingUntil": "0"}},
        "device_unmuted": {"slot": 3, "device": {"audioMuted": False}},
        "device_max": {"slot": 2**32 - 1, "device": {"person": 2**32 - 1, "joinedAt": U64}},
        "removed": {"slot": 3, "removed": {"at": "1764000001000", "reason": "LEAVE_REASON_LOST"}},
        "removed_at_rest": {"slot": 3, "removed": {}},
    }


def cases():
    """For each file: the body of the frame, and its vectors by name."""
    outcomes = ["NEW", "RESUMED", "EXPIRED", "REPLACED", "OBSERVER"]
    follows = ["NOTHING", "DELTA", "SNAPSHOT"]
    reasons = ["JOIN", "BELOW_FLOOR", "EPOCH", "UNKNOWN_POSITION", "DIGEST", "LAGGED", "REQUESTED"]
    advice = ["NEVER", "NOW", "AFTER", "REAUTHENTICATE"]
    delta = {name: {"toSeq": "42", "records": [record]} for name, record in records().items()}
    delta |= {
        "mute": {"toSeq": "42", "records": [{"slot": 3, "device": {"audioMuted": True}}]},
        "epoch": {"toSeq": "42", "toEpoch": "1764000000000", "records": [LAPTOP]},
        "merged": {"toSeq": "50", "toEpoch": "1764000000000", "fromSeq": "41", "records": [ANA, LAPTOP]},
        "across_epochs": {"toSeq": "50", "toEpoch": "9", "fromSeq": "41", "fromEpoch": "8", "records": [ANA]},
        "cause": {"toSeq": "42", "records": [LAPTOP], "actor": 9, "op": "3"},
        "by_the_relay": {"toSeq": "42", "records": [LAPTOP], "actor": 0},
        "digest": {"toSeq": "42", "records": [LAPTOP], "digest": U64},
        "digest_zero": {"toSeq": "42", "digest": "0"},
        "without_records": {"toSeq": "42"},
        "max": {"toSeq": MAX, "toEpoch": MAX, "fromSeq": MAX, "fromEpoch": MAX, "op": U64, "actor": 2**32 - 1},
        "many_records": {"toSeq": "42", "records": list(records()[name] for name in
                                                        ("call_all", "policy_all", "person_all", "device_all"))},
    }
    return {
        "welcome": ("welcome", {
            "usual": {"version": 1, "relayId": "relay-1", "pingMs": "10000", "deadAfterMs": "25000", "limits": {
                "frame": "65536", "unacknowledged": "64", "settings": "64", "attributes": "32",
                "attributeValue": "1024", "people": "50000"}},
            "limits_empty": {"version": 1, "limits": {}},
            "max": {"version": 2**32 - 1, "pingMs": U64, "deadAfterMs": U64, "limits": {
                "frame": U64, "unacknowledged": U64, "settings": U64, "attributes": U64, "attributeValue": U64,
                "people": U64}},
        }),
        "joined": ("joined", {o.lower(): {
            "outcome": f"OUTCOME_{o}", "incarnation": "5", "attachment": "6", "secret": data(bytes(range(16))),
            "lastOp": "7", "rights": 3, "personSlot": 2, "deviceSlot": 3, "position": HEAD,
            "follows": "FOLLOWS_SNAPSHOT"} for o in outcomes}
            | {f"follows_{f.lower()}": {"follows": f"FOLLOWS_{f}", "position": HEAD} for f in follows}
            | {"empty": {}, "later_outcome": {"outcome": 99, "follows": 98, "view": 1, "rights": 2**32 - 1}}),
        "snapshot": ("snapshot", {r.lower(): {"position": HEAD, "reason": f"SNAPSHOT_REASON_{r}"} for r in reasons}
                     | {"of_no_call": {}, "peek": {"position": HEAD, "reason": "SNAPSHOT_REASON_REQUESTED",
                                                   "request": "7"},
                        "max": {"position": {"epoch": MAX, "seq": MAX}, "request": U64}}),
        "snapshot_part": ("part", {
            "middle": {"records": [ANA]},
            "end_of_no_call": {"records": [{"call": {}}, {"slot": 1, "policy": {}}], "end": {"liveRecords": "2"}},
            "end_without_records": {"end": {"liveRecords": "40", "digest": U64}},
            "end_empty": {"end": {}},
            "with_tombstone": {"records": [{"slot": 3, "removed": {"at": "7", "reason": "LEAVE_REASON_LEFT"}}]},
            "empty": {},
        }),
        "delta": ("delta", delta),
        "ack": ("ack", {
            "done": {"op": "1", "position": HEAD},
            "refused": {"op": "2", "code": 5000, "position": HEAD, "text": "you may not moderate"},
            "rate": {"op": "3", "code": 5005, "position": HEAD, "afterMs": "1000"},
            "empty": {},
            "max": {"op": U64, "code": 2**32 - 1, "position": {"epoch": MAX, "seq": MAX}, "afterMs": U64},
        }),
        "ping": ("ping", {
            "attached": {"position": HEAD, "time": "1764000000123"},
            "at_the_head": {"position": HEAD, "time": "1764000000123", "digest": "1"},
            "digest_zero": {"position": {}, "time": "1", "digest": "0"},
            "not_attached": {"time": "1764000000123"},
            "at_zero": {"position": {}},
            "max": {"position": {"epoch": MAX, "seq": MAX}, "time": U64, "digest": U64},
        }),
        "notice": ("notice", {"lagging": {"code": 1001, "text": "behind"}, "empty": {}}),
        "closed": ("closed", {a.lower(): {"code": 4001, "text": "why", "advice": f"ADVICE_{a}"} for a in advice}
                   | {"after_ms": {"code": 2000, "text": "stopping", "advice": "ADVICE_AFTER", "afterMs": "1500"},
                      "empty": {}, "later_advice": {"advice": 9}}),
        "error": ("error", {"peek": {"code": 4010, "text": "no such call", "request": "7"}, "empty": {},
                            "max": {"code": 2**32 - 1, "advice": "ADVICE_REAUTHENTICATE", "afterMs": U64,
                                    "request": U64}}),
        "call_list": ("calls", {
            "two": {"request": "1", "calls": [
                {"sessionId": "a", "meetingId": "m-1", "position": HEAD, "people": "2", "devices": "3",
                 "observers": "1", "hands": "1", "recording": True, "startedAt": "1764000000000", "title": "Stand-up"},
                {"sessionId": "b", "observers": "1"}], "more": True},
            "none": {"request": "1"},
            "empty_summary": {"calls": [{}]},
        }),
        "attendance_report": ("attendance", {
            "two": {"request": "1", "at": "1764000900000", "meetings": [
                {"sessionId": "stand-up", "meetingId": "m-2", "startedAt": "1764000600000", "participants": "1",
                 "devices": "2", "audioMs": "100000", "videoMs": "200000", "durationMs": "300000",
                 "recordings": [{"byUid": "ana", "byName": "Ana", "startedAt": "1764000700000"}],
                 "people": [{
                     "uid": "ana", "name": "Ana", "avatar": "https://example.org/ana.png",
                     "joinedAt": "1764000600000", "audioMs": "100000", "videoMs": "200000", "durationMs": "300000",
                     "devices": [
                         {"device": "laptop", "joinedAt": "1764000600000", "present": True, "videoMs": "200000",
                          "audioMs": "50000", "intervals": [
                              {"startedAt": "1764000600000", "endedAt": "1764000650000"},
                              {"startedAt": "1764000700000"}]},
                         {"device": "phone", "joinedAt": "1764000640000", "audioMs": "70000", "intervals": [
                             {"startedAt": "1764000640000", "endedAt": "1764000710000"}]}]}]},
                {"sessionId": "stand-up", "meetingId": "m-1", "title": "Stand-up", "startedAt": "1764000000000",
                 "endedAt": "1764000300000", "participants": "2", "devices": "2",
                 "recordings": [{"byUid": "bo", "startedAt": "1764000000001", "endedAt": "1764000000002"}],
                 "people": [{"uid": "bo", "joinedAt": "1764000000000", "leftAt": "1764000300000"}]}],
                "older": data(b"\x01" + bytes(7) + b"\x07"), "newer": data(b"\x01" + bytes(7) + b"\x09"),
                "more": True},
            "none": {"request": "1", "at": "1764000900000", "older": data(b"\x01" + bytes(8)),
                     "newer": data(b"\x01" + bytes(8))},
            "part": {"request": "2", "at": "1", "meetings": [
                {"meetingId": "m-1", "participants": "5000", "firstPerson": "400", "people": [{"uid": "p-400"}],
                 "morePeople": True}]},
            "left_out": {"meetings": [{
                "recordingsLeftOut": "1", "devicesNotKept": "2", "people": [{
                    "devicesLeftOut": "3", "devices": [{"intervalsLeftOut": "4"}]}]}]},
            "zeros": {"meetings": [{"endedAt": "0", "recordings": [{"endedAt": "0"}], "people": [
                {"leftAt": "0", "devices": [{"intervals": [{"endedAt": "0"}]}]}]}]},
            "empty_everywhere": {"meetings": [{}, {"recordings": [{}], "people": [{"devices": [{"intervals": [
                {}]}]}]}]},
            "max": {"request": U64, "at": U64, "meetings": [{
                "sessionId": "s" * 128, "meetingId": "m" * 128, "title": "t" * 256, "startedAt": U64, "endedAt": U64,
                "participants": U64, "devices": U64, "audioMs": U64, "videoMs": U64, "durationMs": U64,
                "recordingsLeftOut": U64, "firstPerson": U64, "morePeople": True, "devicesNotKept": U64}],
                "older": data(b"\xff" * 64), "newer": data(b"\xff" * 64), "more": True},
        }),
        "connection_list": ("connections", {
            "two": {"request": "1", "connections": [
                {"number": "1", "sessionId": "a", "uid": "ana", "device": "laptop", "openedAt": "1764000000000",
                 "attachedAt": "1764000000001", "cursor": HEAD, "lag": "2", "inFlight": "300", "roundTripMs": "4",
                 "writes": "5", "merged": "6", "clientName": "probe 1.0"},
                {"number": "2", "mode": "JOIN_MODE_OBSERVER"}], "more": True},
            "none": {"request": "1"},
            "costs": {"request": "2", "connections": [{"number": "3", "writes": "9", "turns": "8", "heldMost": "40000"}]},
        }),
    }
