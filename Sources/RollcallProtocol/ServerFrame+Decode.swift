import CallState

extension ServerFrame {
    /// Reads a frame from a relay; `bytes` are the message without its length.
    ///
    /// As strict as ``ClientFrame/decode(_:)``, but fields that this version does not know are passed over, a frame
    /// with an unknown body is ``unknown(_:)``, and unknown fields and kinds of records are kept with their bytes. What
    /// is absent has the value that `rollcall.proto` gives it; absent ``Welcome/limits`` are the defaults.
    public static func decode(_ bytes: Span<UInt8>) throws(WireError) -> ServerFrame {
        var cursor = WireCursor(0..<bytes.count, from: .relay)
        var frame: ServerFrame?
        var unknown: UInt32 = 0
        while let tag = try cursor.nextTag(bytes, of: "ServerFrame") {
            guard (1...13).contains(tag.number) else {
                try cursor.skip(bytes, tag, FieldPath("ServerFrame", tag.number))
                unknown = tag.number
                continue
            }
            if frame != nil {
                throw WireError(.duplicate, "ServerFrame.body", at: tag.offset, "a second body")
            }
            let body = try cursor.message(bytes, tag, path(tag.number))
            frame = try decodeBody(bytes, tag.number, body)
        }
        if let frame { return frame }
        if unknown != 0 { return .unknown(unknown) }
        throw WireError(.missing, "ServerFrame.body", at: 0, "a frame without a body")
    }

    /// Reads a delta frame into a value that is used again, so that decoding one allocates for its strings alone.
    ///
    /// False, with `delta` as it was, when the frame is no delta. After an error `delta` is good for nothing but reuse.
    public static func decodeDelta(_ bytes: Span<UInt8>, into delta: inout Delta) throws(WireError) -> Bool {
        var cursor = WireCursor(0..<bytes.count, from: .relay)
        guard let tag = try cursor.nextTag(bytes, of: "ServerFrame"), tag.number == 5 else { return false }
        let body = try cursor.message(bytes, tag, path(tag.number))
        try delta.decode(bytes, body)
        while let next = try cursor.nextTag(bytes, of: "ServerFrame") {
            if (1...13).contains(next.number) {
                throw WireError(.duplicate, "ServerFrame.body", at: next.offset, "a second body")
            }
            try cursor.skip(bytes, next, FieldPath("ServerFrame", next.number))
        }
        return true
    }

    private static func decodeBody(
        _ bytes: Span<UInt8>,
        _ number: UInt32,
        _ body: WireCursor
    ) throws(WireError) -> ServerFrame {
        switch number {
        case 1: return .welcome(try Welcome.decode(bytes, body))
        case 2: return .joined(try Joined.decode(bytes, body))
        case 3: return .snapshot(try SnapshotHead.decode(bytes, body))
        case 4: return .part(try SnapshotPart.decode(bytes, body))
        case 5:
            var delta = Delta(toSeq: 0, records: Diff())
            try delta.decode(bytes, body)
            return .delta(delta)
        case 6: return .ack(try Ack.decode(bytes, body))
        case 7: return .ping(try Ping.decode(bytes, body))
        case 8: return try decodeNotice(bytes, body)
        case 9: return .closed(try Refusal.decodeClosed(bytes, body))
        case 10: return try decodeError(bytes, body)
        case 11: return try decodeCalls(bytes, body)
        case 12: return try decodeConnections(bytes, body)
        default: return try decodeAttendance(bytes, body)
        }
    }

    /// The body `number`, for errors.
    private static func path(_ number: UInt32) -> FieldPath {
        switch number {
        case 1: "ServerFrame.welcome"
        case 2: "ServerFrame.joined"
        case 3: "ServerFrame.snapshot"
        case 4: "ServerFrame.part"
        case 5: "ServerFrame.delta"
        case 6: "ServerFrame.ack"
        case 7: "ServerFrame.ping"
        case 8: "ServerFrame.notice"
        case 9: "ServerFrame.closed"
        case 10: "ServerFrame.error"
        case 11: "ServerFrame.calls"
        case 12: "ServerFrame.connections"
        default: "ServerFrame.attendance"
        }
    }

    private static func decodeError(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ServerFrame {
        var cursor = body
        var refusal = Refusal(code: .ok, text: "")
        var request: UInt64 = 0
        while let tag = try cursor.nextTag(bytes, of: "Error") {
            switch tag.number {
            case 1: refusal.code.rawValue = try cursor.number32(bytes, tag, "Error.code")
            case 2: refusal.text = try cursor.text(bytes, tag, "Error.text").string
            case 3: refusal.advice.rawValue = try cursor.enumeration(bytes, tag, "Error.advice")
            case 4: refusal.after = try cursor.number(bytes, tag, "Error.after_ms")
            case 5: request = try cursor.number(bytes, tag, "Error.request")
            default: try cursor.unknown(bytes, tag, in: "Error")
            }
        }
        return .error(refusal, request: request)
    }

    private static func decodeNotice(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ServerFrame {
        var cursor = body
        var code = Code.ok
        var text = ByteString.empty
        while let tag = try cursor.nextTag(bytes, of: "Notice") {
            switch tag.number {
            case 1: code.rawValue = try cursor.number32(bytes, tag, "Notice.code")
            case 2: text = try cursor.text(bytes, tag, "Notice.text")
            default: try cursor.unknown(bytes, tag, in: "Notice")
            }
        }
        return .notice(code: code, text: text.string)
    }

    private static func decodeCalls(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ServerFrame {
        var cursor = body
        var request: UInt64 = 0
        var calls: [CallSummary] = []
        var more = false
        while let tag = try cursor.nextTag(bytes, of: "CallList") {
            switch tag.number {
            case 1: request = try cursor.number(bytes, tag, "CallList.request")
            case 2:
                let call = try cursor.elementMessage(bytes, tag, "CallList.calls")
                calls.append(try CallSummary.decode(bytes, call))
            case 3: more = try cursor.flag(bytes, tag, "CallList.more")
            default: try cursor.unknown(bytes, tag, in: "CallList")
            }
        }
        return .calls(request: request, calls, more: more)
    }

    private static func decodeConnections(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ServerFrame {
        var cursor = body
        var request: UInt64 = 0
        var connections: [ConnectionInfo] = []
        var more = false
        while let tag = try cursor.nextTag(bytes, of: "ConnectionList") {
            switch tag.number {
            case 1: request = try cursor.number(bytes, tag, "ConnectionList.request")
            case 2:
                let connection = try cursor.elementMessage(bytes, tag, "ConnectionList.connections")
                connections.append(try ConnectionInfo.decode(bytes, connection))
            case 3: more = try cursor.flag(bytes, tag, "ConnectionList.more")
            default: try cursor.unknown(bytes, tag, in: "ConnectionList")
            }
        }
        return .connections(request: request, connections, more: more)
    }
}
