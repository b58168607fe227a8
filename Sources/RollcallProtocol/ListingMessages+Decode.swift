import CallState

extension CallSummary {
    /// The fields of a call in short.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> CallSummary {
        var cursor = body
        var call = CallSummary()
        while let tag = try cursor.nextTag(bytes, of: "CallSummary") {
            switch tag.number {
            case 1: call.session = try cursor.text(bytes, tag, "CallSummary.session_id")
            case 2: call.meeting = try cursor.text(bytes, tag, "CallSummary.meeting_id")
            case 3: call.position = try cursor.position(bytes, tag, "CallSummary.position")
            case 4: call.people = try cursor.number(bytes, tag, "CallSummary.people")
            case 5: call.devices = try cursor.number(bytes, tag, "CallSummary.devices")
            case 6: call.observers = try cursor.number(bytes, tag, "CallSummary.observers")
            case 7: call.hands = try cursor.number(bytes, tag, "CallSummary.hands")
            case 8: call.recording = try cursor.flag(bytes, tag, "CallSummary.recording")
            case 9: call.startedAt = try cursor.number(bytes, tag, "CallSummary.started_at")
            case 10: call.title = try cursor.text(bytes, tag, "CallSummary.title")
            default: try cursor.unknown(bytes, tag, in: "CallSummary")
            }
        }
        return call
    }
}

extension ConnectionInfo {
    /// The fields of a connection in short.
    ///
    /// A mode of a later version reads as an observer: not in this roster.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ConnectionInfo {
        var cursor = body
        var info = ConnectionInfo()
        while let tag = try cursor.nextTag(bytes, of: "ConnectionInfo") {
            switch tag.number {
            case 1: info.number = try cursor.number(bytes, tag, "ConnectionInfo.number")
            case 2: info.session = try cursor.text(bytes, tag, "ConnectionInfo.session_id")
            case 3: info.uid = try cursor.text(bytes, tag, "ConnectionInfo.uid")
            case 4: info.device = try cursor.text(bytes, tag, "ConnectionInfo.device")
            case 5:
                let mode = try cursor.enumeration(bytes, tag, "ConnectionInfo.mode")
                info.mode = JoinMode(rawValue: mode) ?? .observer
            case 6: info.openedAt = try cursor.number(bytes, tag, "ConnectionInfo.opened_at")
            case 7: info.attachedAt = try cursor.number(bytes, tag, "ConnectionInfo.attached_at")
            case 8: info.cursor = try cursor.position(bytes, tag, "ConnectionInfo.cursor")
            case 9: info.lag = try cursor.number(bytes, tag, "ConnectionInfo.lag")
            case 10: info.inFlight = try cursor.number(bytes, tag, "ConnectionInfo.in_flight")
            case 11: info.roundTrip = try cursor.number(bytes, tag, "ConnectionInfo.round_trip_ms")
            case 12: info.writes = try cursor.number(bytes, tag, "ConnectionInfo.writes")
            case 13: info.merged = try cursor.number(bytes, tag, "ConnectionInfo.merged")
            case 14: info.clientName = try cursor.text(bytes, tag, "ConnectionInfo.client_name")
            case 15: info.turns = try cursor.number(bytes, tag, "ConnectionInfo.turns")
            case 16: info.heldMost = try cursor.number(bytes, tag, "ConnectionInfo.held_most")
            default: try cursor.unknown(bytes, tag, in: "ConnectionInfo")
            }
        }
        return info
    }
}
