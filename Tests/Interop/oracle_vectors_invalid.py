"""Frames that must be refused, and streams: put together byte by byte, since no runtime writes them."""

from oracle_random import varint


def number(field, value):
    """A varint field."""
    return varint(field << 3) + varint(value)


def content(field, *parts):
    """A length-delimited field."""
    data = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(data)) + data


def fixed(field, width):
    """A fixed-width field of zeros."""
    return varint(field << 3 | {8: 1, 4: 5}[width]) + bytes(width)


def join(*extra, uid=b"u"):
    """A Join frame with the fields that it needs and `extra` behind them."""
    return content(2, content(1, b"s"), content(3, uid), content(4, b"d"), *extra)


def setting(*parts):
    """A Command frame with one setting."""
    return content(3, number(1, 1), content(2, *parts))


def record(*parts):
    """A Delta frame with one record: the record begins at byte 6 of the message when it is short."""
    return content(5, number(1, 42), content(5, *parts))


HELLO = content(1, number(1, 1), number(2, 1), content(4, bytes(8)))
PERSON = content(4)


def cases():
    """(name, direction, message, code, field, offset)"""
    c, s = "client", "server"
    return [
        ("no_body", c, b"", "unknownFrame", "ClientFrame.body", 0),
        ("unknown_body", c, content(13), "unknownFrame", "ClientFrame.13", 0),
        ("far_unknown_body", c, content(2**29 - 1), "unknownFrame", "ClientFrame.536870911", 0),
        ("two_bodies", c, HELLO + content(10), "duplicate", "ClientFrame.body", 16),
        ("same_body_twice", c, content(10) + content(10), "duplicate", "ClientFrame.body", 2),
        ("body_of_wrong_type", c, number(1, 5), "wrongWireType", "ClientFrame.hello", 0),
        ("field_number_zero", c, b"\x02\x00", "badTag", "ClientFrame", 0),
        ("field_number_too_high", c, varint(2**32 | 2) + b"\x00", "badTag", "ClientFrame", 0),
        ("group_begin", c, content(10, b"\x0b\x0c"), "badTag", "List", 2),
        ("wire_type_6", c, content(10, b"\x0e"), "badTag", "List", 2),
        ("tag_cut", c, content(10, b"\x80"), "truncated", "List", 2),
        ("varint_cut", c, content(10, b"\x08\xff"), "truncated", "List.request", 3),
        ("varint_missing", c, content(10, b"\x08"), "truncated", "List.request", 3),
        ("varint_11_bytes", c, content(10, b"\x08" + b"\xff" * 10 + b"\x01"), "badVarint", "List.request", 3),
        ("varint_above_64_bits", c, content(10, b"\x08" + b"\xff" * 9 + b"\x02"), "badVarint", "List.request", 3),
        ("varint_longer_than_needed", c, content(10, b"\x08\x81\x00"), "badVarint", "List.request", 3),
        ("length_longer_than_needed", c, b"\x52\x82\x00\x08\x01", "badVarint", "ClientFrame.list", 1),
        ("tag_longer_than_needed", c, content(10, b"\x88\x00\x01"), "badVarint", "List", 2),
        ("length_beyond_frame", c, b"\x52\x05\x08\x01", "truncated", "ClientFrame.list", 1),
        ("length_4_gib", c, b"\x0a" + varint(2**32), "truncated", "ClientFrame.hello", 1),
        ("length_2_64", c, b"\x0a" + varint(2**64 - 1), "truncated", "ClientFrame.hello", 1),
        ("string_beyond_message", c, content(8, b"\x0a\x09abc"), "truncated", "Authenticate.token", 3),
        ("fixed64_cut", c, join(content(13, b"\x19" + bytes(7))), "truncated", "Resume.digest", 14),
        ("unknown_field", c, content(10, number(9, 1)), "unknownField", "List.9", 2),
        ("unknown_field_of_join", c, join(number(18, 0)), "unknownField", "Join.18", 11),
        ("unknown_field_of_position", c, content(5, content(1, number(3, 1))), "unknownField", "Position.3", 4),
        ("unknown_field_of_target", c, setting(content(1, number(9, 1)), number(2, 1)), "unknownField", "Target.9", 8),
        ("number_as_bytes", c, content(10, content(1, b"")), "wrongWireType", "List.request", 2),
        ("string_as_number", c, content(8, number(1, 0)), "wrongWireType", "Authenticate.token", 2),
        ("fixed64_as_number", c, join(content(13, number(3, 0))), "wrongWireType", "Resume.digest", 13),
        ("bool_as_fixed32", c, content(4, fixed(1, 4)), "wrongWireType", "Speaking.on", 2),
        ("bool_2", c, content(4, number(1, 2)), "limit", "Speaking.on", 3),
        ("uint32_above_32_bits", c, content(1, number(1, 2**32)), "limit", "Hello.min_version", 3),
        ("enum_above_31_bits", c, content(7, number(1, 2**31)), "limit", "Leave.reason", 3),
        ("enum_negative", c, content(7, number(1, 2**64 - 1)), "limit", "Leave.reason", 3),
        ("mode_unknown", c, join(number(6, 2)), "limit", "Join.mode", 12),
        ("singular_twice", c, content(10, number(1, 1), number(1, 1)), "duplicate", "List.request", 4),
        ("message_twice", c, content(5, content(1), content(1)), "duplicate", "Pong.position", 4),
        ("two_changes", c, setting(number(2, 1), number(3, 1)), "duplicate", "Setting.change", 8),
        ("same_change_twice", c, setting(number(2, 1), number(2, 1)), "duplicate", "Setting.change", 8),
        ("bad_utf8", c, content(8, content(1, b"a\xffb")), "badUTF8", "Authenticate.token", 5),
        ("utf8_overlong", c, content(8, content(1, b"\xc0\x80")), "badUTF8", "Authenticate.token", 4),
        ("utf8_surrogate", c, content(8, content(1, b"\xed\xa0\x80")), "badUTF8", "Authenticate.token", 4),
        ("utf8_above_10ffff", c, content(8, content(1, b"\xf4\x90\x80\x80")), "badUTF8", "Authenticate.token", 4),
        ("utf8_cut", c, content(8, content(1, b"ab\xe2\x82")), "badUTF8", "Authenticate.token", 6),
        ("utf8_in_setting", c, setting(content(6, b"\x80")), "badUTF8", "Setting.name", 8),
        ("instance_missing", c, content(1, number(1, 1)), "limit", "Hello.instance", 4),
        ("instance_short", c, content(1, content(4, bytes(7))), "limit", "Hello.instance", 3),
        ("instance_long", c, content(1, content(4, bytes(33))), "limit", "Hello.instance", 3),
        ("client_name_long", c, content(1, content(3, b"c" * 65)), "limit", "Hello.client_name", 3),
        ("session_missing", c, content(2, content(3, b"u"), content(4, b"d")), "limit", "Join.session_id", 8),
        ("session_empty", c, content(2, content(1)), "limit", "Join.session_id", 3),
        ("session_long", c, content(2, content(1, b"s" * 129)), "limit", "Join.session_id", 4),
        ("uid_missing", c, content(2, content(1, b"s"), content(4, b"d")), "limit", "Join.uid", 8),
        ("uid_long", c, content(2, content(3, b"u" * 129)), "limit", "Join.uid", 4),
        ("device_missing", c, content(2, content(1, b"s"), content(3, b"u")), "limit", "Join.device", 8),
        ("device_long", c, content(2, content(4, b"d" * 65)), "limit", "Join.device", 3),
        ("name_long", c, content(2, content(7, b"n" * 257)), "limit", "Join.name", 4),
        ("avatar_long", c, content(2, content(8, b"a" * 2049)), "limit", "Join.avatar", 4),
        ("grace_long", c, join(number(15, 120_001)), "limit", "Join.grace_ms", 12),
        ("attribute_without_key", c, join(content(12)), "limit", "Attribute.key", 13),
        ("attribute_with_empty_key", c, join(content(12, content(1))), "limit", "Attribute.key", 14),
        ("attributes_33", c, content(2, content(12, content(1, b"k")) * 33), "limit", "Join.attributes", 163),
        ("secret_long", c, content(2, content(13, content(1, bytes(65)))), "limit", "Resume.secret", 5),
        ("epoch_2_53", c, content(5, content(1, number(1, 2**53))), "limit", "Position.epoch", 5),
        ("seq_2_53", c, content(6, content(1, number(2, 2**53))), "limit", "Position.seq", 5),
        ("attendance_session_long", c, content(12, content(2, content(1, b"s" * 129))), "limit",
         "AttendanceFilter.session_id", 7),
        ("attendance_uid_long", c, content(12, content(2, content(3, b"u" * 129))), "limit",
         "AttendanceFilter.uid", 7),
        ("attendance_meeting_bad_utf8", c, content(12, content(2, content(2, b"\xff"))), "badUTF8",
         "AttendanceFilter.meeting_id", 6),
        ("attendance_cursor_long", c, content(12, content(3, content(2, bytes(65)))), "limit",
         "AttendancePage.cursor", 5),
        ("attendance_filter_twice", c, content(12, content(2), content(2)), "duplicate", "Attendance.filter", 4),
        ("attendance_unknown_field", c, content(12, content(3, number(6, 1))), "unknownField", "AttendancePage.6", 4),
        ("attendance_progress_negative", c, content(12, content(2, number(6, 2**64 - 1))), "limit",
         "AttendanceFilter.progress", 5),
        ("trailing_byte", c, content(10) + b"\x00", "badTag", "ClientFrame", 2),

        ("relay_no_body", s, b"", "missing", "ServerFrame.body", 0),
        ("relay_two_bodies", s, content(7) + content(6), "duplicate", "ServerFrame.body", 2),
        ("relay_singular_twice", s, content(7, number(2, 1), number(2, 1)), "duplicate", "Ping.time", 4),
        ("relay_unknown_group", s, content(7, b"\x53"), "badTag", "Ping", 2),
        ("relay_unknown_cut", s, content(7, b"\x5a\x05ab"), "truncated", "Ping.11", 3),
        ("relay_unknown_fixed32_cut", s, content(7, b"\x5d\x00\x00"), "truncated", "Ping.11", 3),
        ("relay_body_of_wrong_type", s, number(7, 1), "wrongWireType", "ServerFrame.ping", 0),
        ("attendance_meeting_cut", s, content(13, b"\x1a\x05\x0a"), "truncated", "AttendanceReport.meetings", 3),
        ("attendance_person_twice_named", s, content(13, content(3, content(13, content(1, b"a"), content(1, b"b")))),
         "duplicate", "PersonLog.uid", 9),
        ("attendance_stay_as_number", s, content(13, content(3, content(13, content(9, number(6, 1))))),
         "wrongWireType", "DeviceLog.intervals", 8),
        ("attendance_cursor_of_relay_long", s, content(13, content(4, bytes(65))), "limit",
         "AttendanceReport.older", 3),
        ("closed_code_above_32_bits", s, content(9, number(1, 2**32)), "limit", "Closed.code", 3),
        ("error_code_above_32_bits", s, content(10, number(1, 2**32)), "limit", "Error.code", 3),
        ("relay_bad_utf8", s, content(8, content(2, b"\xff")), "badUTF8", "Notice.text", 4),
        ("relay_position_2_53", s, content(7, content(1, number(2, 2**53))), "limit", "Position.seq", 5),
        ("to_seq_2_53", s, content(5, number(1, 2**53)), "limit", "Delta.to_seq", 3),
        ("to_seq_missing", s, content(5), "missing", "Delta.to_seq", 2),
        ("to_seq_zero", s, content(5, number(1, 0)), "missing", "Delta.to_seq", 4),
        ("record_without_body", s, record(number(1, 2)), "missing", "Record.body", 4),
        ("record_with_two_bodies", s, record(number(1, 2), content(4), content(5)), "duplicate", "Record.body", 10),
        ("record_with_two_same_bodies", s, record(number(1, 2), content(4), content(4)), "duplicate", "Record.body",
         10),
        ("record_body_as_number", s, record(number(1, 2), number(4, 1)), "wrongWireType", "Record.body", 8),
        ("later_kind_as_number", s, record(number(1, 2), number(9, 1)), "wrongWireType", "Record.body", 8),
        ("records_out_of_order", s, content(5, content(5, number(1, 3), PERSON), content(5, number(1, 2), PERSON)),
         "order", "Record.slot", 8),
        ("slot_twice", s, content(5, content(5, number(1, 3), PERSON), content(5, number(1, 3), PERSON)), "order",
         "Record.slot", 8),
        ("slot_above_32_bits", s, record(number(1, 2**32), PERSON), "limit", "Record.slot", 7),
        ("tombstone_with_cleared", s, record(number(1, 2), content(14), content(15, b"\x01")), "misplaced",
         "Record.removed", 4),
        ("field_as_fixed64", s, record(number(1, 2), content(4, fixed(60, 8))), "wrongWireType", "PersonFields.60",
         10),
        ("field_as_fixed32", s, record(number(1, 2), content(4, fixed(60, 4))), "wrongWireType", "PersonFields.60",
         10),
        ("later_field_as_fixed32", s, record(number(1, 2), content(9, fixed(1, 4))), "wrongWireType",
         "Record.body.1", 10),
        ("known_field_as_number", s, record(number(1, 2), content(4, number(1, 1))), "wrongWireType",
         "PersonFields.uid", 10),
        ("known_field_as_bytes", s, record(number(1, 3), content(5, content(4, b"\x01"))), "wrongWireType",
         "DeviceFields.audio_muted", 10),
        ("known_bool_2", s, record(number(1, 3), content(5, number(4, 2))), "limit", "DeviceFields.audio_muted", 11),
        ("known_slot_above_32_bits", s, record(number(1, 3), content(5, number(1, 2**32))), "limit",
         "DeviceFields.person", 11),
        ("known_enum_above_31_bits", s, record(number(1, 3), content(5, number(3, 2**31))), "limit",
         "DeviceFields.connection", 11),
        ("known_text_bad_utf8", s, record(number(1, 2), content(4, content(1, b"a\xff"))), "badUTF8",
         "PersonFields.uid", 13),
        ("field_twice", s, record(number(1, 3), content(5, number(4, 1), number(4, 0))), "duplicate",
         "DeviceFields.audio_muted", 4),
        ("later_field_twice", s, record(number(1, 3), content(5, number(70, 1), number(70, 1))), "duplicate",
         "DeviceFields.70", 4),
        ("set_and_cleared", s, record(number(1, 3), content(5, number(4, 1)), content(15, b"\x04")), "duplicate",
         "DeviceFields.audio_muted", 4),
        ("cleared_twice", s, record(number(1, 3), content(5), content(15, b"\x04\x04")), "duplicate",
         "DeviceFields.audio_muted", 4),
        ("cleared_zero", s, record(number(1, 3), content(5), content(15, b"\x00")), "limit", "Record.cleared", 12),
        ("cleared_cut", s, record(number(1, 3), content(5), content(15, b"\x80")), "truncated", "Record.cleared", 12),
        ("keyed_field_in_body", s, record(number(1, 2), content(4, content(10, b"x"))), "misplaced",
         "PersonFields.attributes", 4),
        ("keyed_field_cleared", s, record(number(1, 2), content(4), content(15, b"\x0a")), "misplaced",
         "PersonFields.attributes", 4),
        ("entry_of_plain_field", s, record(number(1, 2), content(4), content(16, number(1, 2), content(2, b"k"))),
         "misplaced", "PersonFields.name", 4),
        ("entry_without_field", s, record(number(1, 2), content(4), content(16, content(2, b"k"))), "missing",
         "Entry.field", 10),
        ("entry_without_key", s, record(number(1, 2), content(4), content(16, number(1, 10))), "limit", "Entry.key",
         15),
        ("entry_with_empty_key", s, record(number(1, 2), content(4), content(16, number(1, 10), content(2))), "limit",
         "Entry.key", 16),
        ("entry_key_long", s, record(content(4), content(16, number(1, 10), content(2, b"k" * 65))), "limit",
         "Entry.key", 14),
        ("entry_value_long", s, record(content(4), content(16, number(1, 10), content(2, b"k"),
                                                           content(3, bytes(1025)))), "limit", "Entry.value", 20),
        ("entry_twice", s, record(number(1, 2), content(4), *[content(16, number(1, 10), content(2, b"k"))] * 2),
         "duplicate", "PersonFields.attributes", 4),
        ("entry_field_twice", s, record(number(1, 2), content(4), content(16, number(1, 10), number(1, 10))),
         "duplicate", "Entry.field", 15),
        ("end_twice", s, content(4, content(2), content(2)), "duplicate", "SnapshotPart.end", 4),
    ]


def faults():
    """Commands that can be read and are refused by an Ack: (name, message, field, offset)."""
    return [
        ("no_settings", content(3, number(1, 7)), "Command.settings", 4),
        ("settings_65", content(3, number(1, 7), content(2, number(2, 1)) * 65), "Command.settings", 261),
        ("name_long", setting(content(6, b"n" * 257)), "Setting.name", 9),
        ("avatar_long", setting(content(7, b"a" * 2049)), "Setting.avatar", 9),
        ("title_long", setting(content(16, b"t" * 257)), "Setting.title", 10),
        ("grace_long", setting(number(24, 120_001)), "Setting.grace_ms", 8),
        ("attribute_key_empty", setting(content(8, content(1))), "Attribute.key", 9),
        ("attribute_without_key", setting(content(8)), "Attribute.key", 8),
        ("attribute_key_long", setting(content(8, content(1, b"k" * 65))), "Attribute.key", 9),
        ("attribute_value_long", setting(content(17, content(1, b"k"), content(2, bytes(1025)))), "Attribute.value",
         16),
        ("spotlight_33", setting(content(15, content(1, b"u") * 33)), "UidList.uids", 104),
        ("spotlight_empty_uid", setting(content(15, content(1))), "UidList.uids", 9),
        ("target_uid_long", setting(content(1, content(1, b"u" * 129)), number(2, 1)), "Target.uid", 12),
        ("target_device_long", setting(content(1, content(2, b"d" * 65)), number(2, 1)), "Target.device", 9),
        ("dominant_uid_long", setting(content(28, content(1, b"u" * 129))), "DominantSpeaker.uid", 13),
        ("bring_in_name_long", setting(content(26, content(1, b"n" * 257))), "BringIn.name", 13),
        ("bool_2", setting(number(2, 2)), "Setting.audio_muted", 7),
    ]


def vectors(framed):
    """The content of invalid.json."""
    made = [{"name": name, "direction": direction, "hex": framed(message), "code": code, "field": field,
             "offset": offset} for name, direction, message, code, field, offset in cases()]
    made += [{"name": f"fault_{name}", "direction": "client", "hex": framed(message), "code": "limit",
              "field": field, "offset": offset, "answer": "ack"} for name, message, field, offset in faults()]
    return made


def streams(framed):
    """The content of stream.json."""
    preface = b"RCL1".hex()
    hello, listing = framed(HELLO), framed(content(10))
    long = framed(content(8, content(1, b"t" * 3_000)))

    def stream(name, data, frames, error=None, preface=True, maximum=65_536):
        return {"name": name, "preface": preface, "maximum": maximum, "hex": data,
                "frames": [frame[8:] for frame in frames], "error": error}

    return [
        stream("nothing", "", []),
        stream("preface_alone", preface, []),
        stream("half_a_preface", preface[:4], []),
        stream("one_frame", preface + hello, [hello]),
        stream("three_frames", preface + hello + listing + hello, [hello, listing, hello]),
        stream("long_between_short", preface + hello + long + listing, [hello, long, listing]),
        stream("half_a_length", preface + hello + "0000", [hello]),
        stream("half_a_frame", preface + hello + listing[:-2], [hello]),
        stream("from_a_relay", framed(content(7)) + framed(content(8)), [framed(content(7)), framed(content(8))],
               preface=False),
        stream("longest", preface + "0000000302" "0000", ["0000000302" "0000"], maximum=3),
        stream("one_too_long", preface + "0000000402", [], "frameLength", maximum=3),
        stream("claims_4_gib", preface + hello + "ffffffff" + "00" * 8, [hello], "frameLength"),
        stream("frame_of_no_bytes", preface + hello + "00000000" + listing, [hello], "frameLength"),
        stream("http", b"GET / HTTP/1.1\r\n".hex(), [], "badPreface"),
        stream("wrong_last_byte", b"RCL2".hex(), [], "badPreface"),
        stream("wrong_first_byte", "00", [], "badPreface"),
    ]
