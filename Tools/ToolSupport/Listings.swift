import CallState
package import RollcallProtocol

/// The calls of a relay, for people.
package func callTable(_ calls: [CallSummary], now: UInt64) -> Table {
    var table = Table([
        .init("SESSION", isFlexible: true), .init("PEOPLE", .right), .init("OBSERVERS", .right), .init("HANDS", .right),
        .init("REC"), .init("POSITION", .right), .init("SINCE"), .init("TITLE", isFlexible: true),
    ])
    // A title is rare; without any the column is not there.
    let hasTitles = calls.contains { !$0.title.isEmpty }
    if !hasTitles { table.columns.removeLast() }
    for call in calls {
        var row: [Table.Cell] = [
            .init(call.session.string, .cyan), .init(String(call.people)), .init(String(call.observers)),
            .init(String(call.hands), call.hands > 0 ? .yellow : .plain),
            call.recording ? .init("on", .red) : .init("-", .faint), .init(String(describing: call.position)),
            .init(call.startedAt == 0 ? "-" : TimeText.clock(call.startedAt, now: now)),
        ]
        if hasTitles { row.append(.init(call.title.string)) }
        table.rows.append(row)
    }
    return table
}

extension CallSummary {
    /// The call for programs; ``JSONKeys`` says what each key means.
    package var json: JSONValue {
        .members([
            "session": .string(session.string),
            "meeting": .optional(meeting.isEmpty ? nil : meeting.string),
            "title": .string(title.string),
            "people": .number(people),
            "devices": .number(devices),
            "observers": .number(observers),
            "hands": .number(hands),
            "recording": .bool(recording),
            "position": position.json,
            "startedAt": timeJSON(startedAt),
        ])
    }
}

/// The connections of a relay, for people.
package func connectionTable(_ connections: [ConnectionInfo], now: UInt64) -> Table {
    var table = Table([
        .init("CALL", isFlexible: true), .init("UID", isFlexible: true), .init("DEVICE", isFlexible: true),
        .init("ATTACHED"), .init("CURSOR", .right), .init("LAG", .right), .init("IN FLIGHT", .right),
        .init("MOST", .right), .init("RTT", .right), .init("WRITES", .right), .init("MERGED", .right),
        .init("CLIENT", isFlexible: true),
    ])
    for connection in connections {
        let isAttached = connection.attachedAt != 0
        let isObserver = isAttached && connection.mode == .observer
        let uid = connection.uid.isEmpty ? "-" : connection.uid.string
        table.rows.append([
            connection.session.isEmpty ? .init("-", .faint) : .init(connection.session.string, .cyan),
            .init(isObserver ? "(observer)" + (uid == "-" ? "" : " \(uid)") : uid, isObserver ? .faint : .plain),
            .init(connection.device.isEmpty ? "-" : connection.device.string),
            .init(isAttached ? TimeText.clock(connection.attachedAt, now: now) : "-"),
            .init(isAttached ? String(describing: connection.cursor) : "-"),
            .init(String(connection.lag), connection.lag > 0 ? .yellow : .plain),
            .init(sizeText(connection.inFlight), connection.inFlight > 0 ? .yellow : .plain),
            .init(sizeText(connection.heldMost)),
            .init(connection.roundTrip == 0 ? "-" : "\(connection.roundTrip - 1) ms"),
            .init(String(connection.writes)),
            .init(String(connection.merged)),
            .init(connection.clientName.string, .faint),
        ])
    }
    return table
}

extension ConnectionInfo {
    /// The connection for programs; ``JSONKeys`` says what each key means.
    package var json: JSONValue {
        let isAttached = attachedAt != 0
        return .members([
            "connection": .number(number),
            "session": .optional(session.isEmpty ? nil : session.string),
            "uid": .optional(uid.isEmpty ? nil : uid.string),
            "device": .optional(device.isEmpty ? nil : device.string),
            "mode": isAttached ? .string(mode == .observer ? "observer" : "participant") : .null,
            "openedAt": timeJSON(openedAt),
            "attachedAt": timeJSON(attachedAt),
            "cursor": isAttached ? cursor.json : .null,
            "lag": .number(lag),
            "inFlightBytes": .number(inFlight),
            "heldMostBytes": .number(heldMost),
            "roundTripMs": roundTrip == 0 ? .null : .number(roundTrip - 1),
            "writes": .number(writes),
            "turns": .number(turns),
            "merged": .number(merged),
            "client": .string(clientName.string),
        ])
    }
}

/// A number of bytes: `0 B`, `812 B`, `64.0 KiB`, `1.5 MiB`.
package func sizeText(_ bytes: UInt64) -> String {
    if bytes < 1024 { return "\(bytes) B" }
    let (unit, name): (UInt64, String) = bytes < 1 << 20 ? (1 << 10, "KiB") : (1 << 20, "MiB")
    let tenths = (bytes * 10 + unit / 2) / unit
    return "\(tenths / 10).\(tenths % 10) \(name)"
}
