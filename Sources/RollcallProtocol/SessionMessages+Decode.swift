import CallState

extension Welcome {
    /// The fields of a welcome.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Welcome {
        var cursor = body
        var welcome = Welcome()
        welcome.version = 0
        while let tag = try cursor.nextTag(bytes, of: "Welcome") {
            switch tag.number {
            case 1: welcome.version = try cursor.number32(bytes, tag, "Welcome.version")
            case 2: welcome.relayID = try cursor.text(bytes, tag, "Welcome.relay_id")
            case 3: welcome.pingInterval = try cursor.number(bytes, tag, "Welcome.ping_ms")
            case 4: welcome.deadAfter = try cursor.number(bytes, tag, "Welcome.dead_after_ms")
            case 5: welcome.limits = try Limits.decode(bytes, try cursor.message(bytes, tag, "Welcome.limits"))
            default: try cursor.unknown(bytes, tag, in: "Welcome")
            }
        }
        return welcome
    }
}

extension Limits {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Limits {
        var cursor = body
        var limits = Limits()
        limits.frame = 0
        limits.unacknowledged = 0
        limits.settings = 0
        limits.attributes = 0
        limits.attributeValue = 0
        limits.people = 0
        while let tag = try cursor.nextTag(bytes, of: "Limits") {
            switch tag.number {
            case 1: limits.frame = try cursor.number(bytes, tag, "Limits.frame")
            case 2: limits.unacknowledged = try cursor.number(bytes, tag, "Limits.unacknowledged")
            case 3: limits.settings = try cursor.number(bytes, tag, "Limits.settings")
            case 4: limits.attributes = try cursor.number(bytes, tag, "Limits.attributes")
            case 5: limits.attributeValue = try cursor.number(bytes, tag, "Limits.attribute_value")
            case 6: limits.people = try cursor.number(bytes, tag, "Limits.people")
            default: try cursor.unknown(bytes, tag, in: "Limits")
            }
        }
        return limits
    }
}

extension Joined {
    /// The fields of the answer to a join.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Joined {
        var cursor = body
        var joined = Joined()
        while let tag = try cursor.nextTag(bytes, of: "Joined") {
            switch tag.number {
            case 1: joined.outcome.rawValue = try cursor.enumeration(bytes, tag, "Joined.outcome")
            case 2: joined.incarnation = try cursor.number(bytes, tag, "Joined.incarnation")
            case 3: joined.attachment = try cursor.number(bytes, tag, "Joined.attachment")
            case 4: joined.secret = try cursor.data(bytes, tag, "Joined.secret", WireLimits.secret)
            case 5: joined.lastOp = try cursor.number(bytes, tag, "Joined.last_op")
            case 6: joined.rights.rawValue = try cursor.number32(bytes, tag, "Joined.rights")
            case 7: joined.person = try cursor.number32(bytes, tag, "Joined.person_slot")
            case 8: joined.device = try cursor.number32(bytes, tag, "Joined.device_slot")
            case 9: joined.position = try cursor.position(bytes, tag, "Joined.position")
            case 10: joined.follows.rawValue = try cursor.enumeration(bytes, tag, "Joined.follows")
            case 11: joined.view = try cursor.number32(bytes, tag, "Joined.view")
            default: try cursor.unknown(bytes, tag, in: "Joined")
            }
        }
        return joined
    }
}

extension Ack {
    /// The fields of the answer to a command.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Ack {
        var cursor = body
        var ack = Ack(op: 0, position: .zero)
        while let tag = try cursor.nextTag(bytes, of: "Ack") {
            switch tag.number {
            case 1: ack.op = try cursor.number(bytes, tag, "Ack.op")
            case 2: ack.code.rawValue = try cursor.number32(bytes, tag, "Ack.code")
            case 3: ack.position = try cursor.position(bytes, tag, "Ack.position")
            case 4: ack.text = try cursor.text(bytes, tag, "Ack.text").string
            case 5: ack.after = try cursor.number(bytes, tag, "Ack.after_ms")
            default: try cursor.unknown(bytes, tag, in: "Ack")
            }
        }
        return ack
    }
}

extension Ping {
    /// The fields of a heartbeat.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Ping {
        var cursor = body
        var ping = Ping(position: nil, time: 0)
        while let tag = try cursor.nextTag(bytes, of: "Ping") {
            switch tag.number {
            case 1: ping.position = try cursor.position(bytes, tag, "Ping.position")
            case 2: ping.time = try cursor.number(bytes, tag, "Ping.time")
            case 3: ping.digest = try cursor.fixed64(bytes, tag, "Ping.digest")
            default: try cursor.unknown(bytes, tag, in: "Ping")
            }
        }
        return ping
    }
}

extension Refusal {
    /// The fields of `Closed`.
    static func decodeClosed(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Refusal {
        var cursor = body
        var refusal = Refusal(code: .ok, text: "")
        while let tag = try cursor.nextTag(bytes, of: "Closed") {
            switch tag.number {
            case 1: refusal.code.rawValue = try cursor.number32(bytes, tag, "Closed.code")
            case 2: refusal.text = try cursor.text(bytes, tag, "Closed.text").string
            case 3: refusal.advice.rawValue = try cursor.enumeration(bytes, tag, "Closed.advice")
            case 4: refusal.after = try cursor.number(bytes, tag, "Closed.after_ms")
            default: try cursor.unknown(bytes, tag, in: "Closed")
            }
        }
        return refusal
    }
}
