import CallState

extension ClientFrame {
    /// Reads a frame from a client; `bytes` are the message without its length.
    ///
    /// Strict: what `rollcall.proto` and ``WireLimits`` do not allow is refused; a setting that breaks a limit is no
    /// error but the ``Command/fault`` of its command, since that is answered and not the end. Fields may come in any
    /// order and repeated numbers packed or one by one, as protobuf allows; a singular field or a member of a oneof
    /// that comes twice is refused (where protobuf would take the last one), since no encoder writes it and two readers
    /// could take it differently. An unknown field is refused everywhere but as the change of a ``Setting``, which is
    /// then nil.
    public static func decode(_ bytes: Span<UInt8>) throws(WireError) -> ClientFrame {
        var cursor = WireCursor(0..<bytes.count, from: .client)
        guard let tag = try cursor.nextTag(bytes, of: "ClientFrame") else {
            throw WireError(.unknownFrame, "ClientFrame.body", at: 0, "a frame without a body")
        }
        let frame = try decodeBody(bytes, tag, &cursor)
        if let next = try cursor.nextTag(bytes, of: "ClientFrame") {
            throw WireError(.duplicate, "ClientFrame.body", at: next.offset, "a second body")
        }
        return frame
    }

    /// Checks the frame as a relay will: throws what ``decode(_:)`` or ``Command/fault`` says of it.
    ///
    /// For a client, before it sends.
    public func check() throws(WireError) {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        if case .command(let command) = try ClientFrame.decode(bytes.span.extracting(droppingFirst: 4)),
            let fault = command.fault
        {
            throw fault
        }
    }

    private static func decodeBody(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ cursor: inout WireCursor
    ) throws(WireError) -> ClientFrame {
        switch tag.number {
        case 1: return .hello(try Hello.decode(bytes, try cursor.message(bytes, tag, "ClientFrame.hello")))
        case 2: return .join(try Join.decode(bytes, try cursor.message(bytes, tag, "ClientFrame.join")))
        case 3:
            var command = Command()
            try command.read(bytes, try cursor.message(bytes, tag, "ClientFrame.command"))
            return .command(command)
        case 4: return .speaking(try Speaking.decode(bytes, try cursor.message(bytes, tag, "ClientFrame.speaking")))
        case 5: return .pong(try Pong.decode(bytes, try cursor.message(bytes, tag, "ClientFrame.pong")))
        case 6: return .resync(try Resync.decode(bytes, try cursor.message(bytes, tag, "ClientFrame.resync")))
        case 7: return try decodeLeave(bytes, try cursor.message(bytes, tag, "ClientFrame.leave"))
        case 8: return try decodeAuthenticate(bytes, try cursor.message(bytes, tag, "ClientFrame.authenticate"))
        case 9: return try decodePeek(bytes, try cursor.message(bytes, tag, "ClientFrame.peek"))
        case 10: return try decodeList(bytes, try cursor.message(bytes, tag, "ClientFrame.list"))
        case 11: return try decodeInspect(bytes, try cursor.message(bytes, tag, "ClientFrame.inspect"))
        case 12: return try decodeAttendance(bytes, try cursor.message(bytes, tag, "ClientFrame.attendance"))
        default:
            throw WireError(
                .unknownFrame,
                FieldPath("ClientFrame", tag.number),
                at: tag.offset,
                "a frame that this version does not know"
            )
        }
    }

    private static func decodeLeave(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ClientFrame {
        var cursor = body
        var reason = LeaveReason.unspecified
        while let tag = try cursor.nextTag(bytes, of: "Leave") {
            switch tag.number {
            case 1: reason.rawValue = try cursor.enumeration(bytes, tag, "Leave.reason")
            default: try cursor.unknown(bytes, tag, in: "Leave")
            }
        }
        return .leave(reason)
    }

    private static func decodeAuthenticate(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ClientFrame {
        var cursor = body
        var token = ByteString.empty
        while let tag = try cursor.nextTag(bytes, of: "Authenticate") {
            switch tag.number {
            case 1: token = try cursor.text(bytes, tag, "Authenticate.token")
            default: try cursor.unknown(bytes, tag, in: "Authenticate")
            }
        }
        return .authenticate(token: token)
    }

    private static func decodePeek(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ClientFrame {
        var cursor = body
        var session = ByteString.empty
        var request: UInt64 = 0
        while let tag = try cursor.nextTag(bytes, of: "Peek") {
            switch tag.number {
            case 1: session = try cursor.text(bytes, tag, "Peek.session_id")
            case 2: request = try cursor.number(bytes, tag, "Peek.request")
            default: try cursor.unknown(bytes, tag, in: "Peek")
            }
        }
        return .peek(session: session, request: request)
    }

    private static func decodeList(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ClientFrame {
        var cursor = body
        var request: UInt64 = 0
        var after = ByteString.empty
        while let tag = try cursor.nextTag(bytes, of: "List") {
            switch tag.number {
            case 1: request = try cursor.number(bytes, tag, "List.request")
            case 2: after = try cursor.text(bytes, tag, "List.after")
            default: try cursor.unknown(bytes, tag, in: "List")
            }
        }
        return .list(request: request, after: after)
    }

    private static func decodeInspect(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ClientFrame {
        var cursor = body
        var request: UInt64 = 0
        var after: UInt64 = 0
        while let tag = try cursor.nextTag(bytes, of: "Inspect") {
            switch tag.number {
            case 1: request = try cursor.number(bytes, tag, "Inspect.request")
            case 2: after = try cursor.number(bytes, tag, "Inspect.after")
            default: try cursor.unknown(bytes, tag, in: "Inspect")
            }
        }
        return .inspect(request: request, after: after)
    }
}

extension Hello {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Hello {
        var cursor = body
        var hello = Hello(minVersion: 0, maxVersion: 0, clientName: .empty, instance: [])
        while let tag = try cursor.nextTag(bytes, of: "Hello") {
            switch tag.number {
            case 1: hello.minVersion = try cursor.number32(bytes, tag, "Hello.min_version")
            case 2: hello.maxVersion = try cursor.number32(bytes, tag, "Hello.max_version")
            case 3: hello.clientName = try cursor.text(bytes, tag, "Hello.client_name", WireLimits.clientName)
            case 4: hello.instance = try cursor.data(bytes, tag, "Hello.instance", WireLimits.instance)
            default: try cursor.unknown(bytes, tag, in: "Hello")
            }
        }
        try cursor.require(4, "Hello.instance", WireLimits.instance)
        return hello
    }
}

extension Speaking {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Speaking {
        var cursor = body
        var speaking = Speaking(on: false)
        while let tag = try cursor.nextTag(bytes, of: "Speaking") {
            switch tag.number {
            case 1: speaking.on = try cursor.flag(bytes, tag, "Speaking.on")
            case 2: speaking.target = try Target.decode(bytes, try cursor.message(bytes, tag, "Speaking.target"))
            default: try cursor.unknown(bytes, tag, in: "Speaking")
            }
        }
        return speaking
    }
}

extension Pong {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Pong {
        var cursor = body
        var pong = Pong(position: .zero, time: 0)
        while let tag = try cursor.nextTag(bytes, of: "Pong") {
            switch tag.number {
            case 1: pong.position = try cursor.position(bytes, tag, "Pong.position")
            case 2: pong.time = try cursor.number(bytes, tag, "Pong.time")
            default: try cursor.unknown(bytes, tag, in: "Pong")
            }
        }
        return pong
    }
}

extension Resync {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Resync {
        var cursor = body
        var resync = Resync(position: .zero, reason: .unspecified)
        while let tag = try cursor.nextTag(bytes, of: "Resync") {
            switch tag.number {
            case 1: resync.position = try cursor.position(bytes, tag, "Resync.position")
            case 2: resync.reason.rawValue = try cursor.enumeration(bytes, tag, "Resync.reason")
            default: try cursor.unknown(bytes, tag, in: "Resync")
            }
        }
        return resync
    }
}
