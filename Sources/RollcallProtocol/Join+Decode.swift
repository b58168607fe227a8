import CallState

extension Join {
    /// The fields of a join.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Join {
        var cursor = body
        var join = Join(session: .empty, uid: .empty, device: .empty)
        join.attempt = 0
        while let tag = try cursor.nextTag(bytes, of: "Join") {
            switch tag.number {
            case 1: join.session = try cursor.text(bytes, tag, "Join.session_id", WireLimits.session)
            case 2: join.token = try cursor.text(bytes, tag, "Join.token")
            case 3: join.uid = try cursor.text(bytes, tag, "Join.uid", 0...WireLimits.uid.upperBound)
            case 4: join.device = try cursor.text(bytes, tag, "Join.device", 0...WireLimits.device.upperBound)
            case 5: join.attempt = try cursor.number(bytes, tag, "Join.attempt")
            case 6: join.mode = try cursor.joinMode(bytes, tag)
            case 7: join.name = try cursor.text(bytes, tag, "Join.name", WireLimits.name)
            case 8: join.avatar = try cursor.text(bytes, tag, "Join.avatar", WireLimits.avatar)
            case 9: join.audioMuted = try cursor.flag(bytes, tag, "Join.audio_muted")
            case 10: join.videoPaused = try cursor.flag(bytes, tag, "Join.video_paused")
            case 11: join.presenting = try cursor.flag(bytes, tag, "Join.presenting")
            case 12: join.attributes.append(try Attribute.decodeElement(bytes, tag, &cursor, join.attributes.count))
            case 13: join.resume = try Resume.decode(bytes, try cursor.message(bytes, tag, "Join.resume"))
            case 14: join.idle = try cursor.number(bytes, tag, "Join.idle_ms")
            case 15: join.grace = try cursor.number(bytes, tag, "Join.grace_ms", through: WireLimits.grace)
            case 16: join.role = Role(rawValue: try cursor.enumeration(bytes, tag, "Join.role"))
            case 17: join.view = try cursor.number32(bytes, tag, "Join.view")
            default: try cursor.unknown(bytes, tag, in: "Join")
            }
        }
        try cursor.require(1, "Join.session_id", WireLimits.session)
        if join.mode == .participant {
            // A token can stand in for a claimed uid, nothing for a device.
            if join.token.isEmpty { try cursor.require(3, "Join.uid", WireLimits.uid, found: join.uid.count) }
            try cursor.require(4, "Join.device", WireLimits.device, found: join.device.count)
        }
        return join
    }
}

extension WireCursor {
    /// How a join attends: one of the modes that this version knows.
    fileprivate mutating func joinMode(_ bytes: Span<UInt8>, _ tag: WireTag) throws(WireError) -> JoinMode {
        let start = offset
        let number = try enumeration(bytes, tag, "Join.mode")
        guard let mode = JoinMode(rawValue: number) else {
            throw WireError(.limit, "Join.mode", at: start, "\(number), which is no way to attend")
        }
        return mode
    }

    /// Demands that the field `number` was there, with at least as many bytes as `limit` says.
    func require(
        _ number: UInt32,
        _ path: FieldPath,
        _ limit: ClosedRange<Int>,
        found count: Int = .max
    ) throws(WireError) {
        let count = hasSeen(number) ? count : 0
        if count < limit.lowerBound { try checkLength(count, limit, path, at: end) }
    }
}

extension Attribute {
    /// One attribute of a join that has `count` already.
    fileprivate static func decodeElement(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ cursor: inout WireCursor,
        _ count: Int
    ) throws(WireError) -> Attribute {
        let path: FieldPath = "Join.attributes"
        let body = try cursor.elementMessage(bytes, tag, path, count: count, limit: WireLimits.attributes)
        return try decode(bytes, body)
    }
}

extension Resume {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Resume {
        var cursor = body
        var resume = Resume(secret: [], position: .zero, digest: 0)
        while let tag = try cursor.nextTag(bytes, of: "Resume") {
            switch tag.number {
            case 1: resume.secret = try cursor.data(bytes, tag, "Resume.secret", WireLimits.secret)
            case 2: resume.position = try cursor.position(bytes, tag, "Resume.position")
            case 3: resume.digest = try cursor.fixed64(bytes, tag, "Resume.digest")
            default: try cursor.unknown(bytes, tag, in: "Resume")
            }
        }
        return resume
    }
}
