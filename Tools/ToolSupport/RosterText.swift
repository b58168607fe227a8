package import CallState

extension Roster {
    /// The roster for people: a heading, the table, and below it what holds for the whole call.
    package func lines(now: UInt64, width: Int?, colors: Bool) -> [String] {
        var lines = [heading.cut(to: width ?? .max)]
        if !rows.isEmpty { lines += [""] + table(now: now).lines(width: width, colors: colors) }
        lines += [""] + footer(now: now).map { "  " + safeText($0) }
        return lines
    }

    private var heading: String {
        let devices = rows.reduce(0) { $0 + $1.person.devices.count }
        let title = call.title.isEmpty ? "" : " (\(call.title))"
        let counts = "\(counted(rows.count, "person", "people")), \(counted(devices, "device"))"
        return safeText("\(session)\(title) at position \(position): \(counts)")
    }

    /// The table of the people.
    package func table(now: UInt64) -> Table {
        var table = Table([
            .init("#", .right), .init("PERSON", isFlexible: true), .init("MIC"), .init("CAM"), .init("SHARE"),
            .init("HAND"), .init("SINCE"), .init("DEVICES", isFlexible: true),
        ])
        for (index, row) in rows.enumerated() {
            let person = row.person
            table.rows.append([
                .init(String(index + 1), .faint),
                .init(row.label, row.facts.link == .reconnecting ? .faint : person.role == .moderator ? .bold : .plain),
                row.facts.isAudioMuted
                    ? .init(person.isAudioLocked ? "locked" : "muted", .faint) : .init("on", .green),
                row.facts.isVideoPaused ? .init(person.isVideoLocked ? "locked" : "off", .faint) : .init("on", .green),
                row.facts.isPresenting ? .init("yes", .cyan) : .init("-", .faint),
                row.handPlace.map { .init(ordinal($0), .yellow) } ?? .init("-", .faint),
                .init(TimeText.age(of: person.joinedAt, now: now)),
                .init(person.devices.map { deviceText($0, now: now) }.joined(separator: ", ")),
            ])
        }
        return table
    }

    private func deviceText(_ device: Device, now: UInt64) -> String {
        guard device.link == .reconnecting else { return device.id.string }
        guard let until = device.reconnectingUntil else { return "\(device.id) (reconnecting)" }
        let left = until > now ? (until - now + 999) / 1000 : 0
        return "\(device.id) (reconnecting, \(left) s left)"
    }

    /// What holds for the whole call, one matter each line or a few together.
    private func footer(now: UInt64) -> [String] {
        var facts: [String] = []
        if let recording = call.recording {
            let by = personLabel(uid: recording.byUID, name: recording.byName)
            facts.append("recording since \(TimeText.clock(recording.since, now: now)) by \(by)")
        }
        if let speaker = label(of: call.dominantSpeaker) { facts.append("dominant speaker: \(speaker)") }
        facts.append("digest \(hexText(digest, digits: 16))")
        var lines = [facts.joined(separator: "    ")]
        let spotlight = call.spotlight.compactMap { label(of: $0) }
        if !spotlight.isEmpty { lines.append("spotlight: \(spotlight.joined(separator: ", "))") }
        let requests = rows.compactMap { row in
            row.person.unmuteRequest.map { "\($0.byUID) asks \(row.label) to unmute" }
        }
        lines += requests
        let rules = policy.departures + (call.isLocked ? ["the call is locked"] : [])
        if !rules.isEmpty { lines.append("policy: \(rules.joined(separator: ", "))") }
        if !call.attributes.isEmpty {
            let attributes = call.attributes.map { "\($0.key)=\(String(decoding: $0.value, as: UTF8.self))" }
            lines.append("attributes: \(attributes.joined(separator: " "))")
        }
        return lines
    }
}

extension CallPolicy {
    /// How the policy departs from the default, in words.
    package var departures: [String] {
        var words: [String] = []
        if moderation == .moderators { words.append("only moderators moderate") }
        if standingMute { words.append("all muted") }
        if standingCameraOff { words.append("all cameras off") }
        if !handsEnabled { words.append("no hands") }
        if presenters == .one { words.append("one presenter at a time") }
        // A policy without a meeting has neither grace nor idle period.
        if grace != 15_000, grace != 0 || idle != 0 { words.append("grace \(TimeText.duration(grace))") }
        if idle != 300_000, grace != 0 || idle != 0 {
            words.append(idle == 0 ? "never idle" : "idle after \(TimeText.duration(idle))")
        }
        return words
    }
}

/// A number with the word for what is counted.
package func counted(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
}
