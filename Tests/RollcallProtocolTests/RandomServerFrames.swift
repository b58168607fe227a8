import CallState
import RollcallProtocol

/// Random frames of relays.
extension SeededRandom {
    mutating func serverFrame() -> ServerFrame {
        switch Int.random(in: 0..<16, using: &self) {
        case 0: .welcome(welcome())
        case 1: .joined(joined())
        case 2:
            .snapshot(
                SnapshotHead(position: position(), reason: SnapshotReason(rawValue: enumeration()), request: number())
            )
        case 3:
            .part(
                SnapshotPart(
                    records: diff(),
                    end: maybe { SnapshotEnd(liveRecords: $0.number(), digest: $0.number()) }
                )
            )
        case 4, 5, 6: .delta(delta())
        case 7: .ack(Ack(op: number(), code: code(), position: position(), text: text(0...80), after: number()))
        case 8: .ping(Ping(position: maybe { $0.position() }, time: number(), digest: maybe { $0.number() }))
        case 9: .notice(code: code(), text: text(0...80))
        case 10: .closed(refusal())
        case 11: .error(refusal(), request: number())
        case 12:
            .calls(
                request: number(),
                (0..<Int.random(in: 0...3, using: &self)).map { _ in callSummary() },
                more: flag()
            )
        case 13, 14: .attendance(request: number(), attendanceReport())
        default:
            .connections(
                request: number(),
                (0..<Int.random(in: 0...3, using: &self)).map { _ in connectionInfo() },
                more: flag()
            )
        }
    }

    private mutating func code() -> Code {
        Code(rawValue: [0, 1000, 4001, 5005, number32()].randomElement(using: &self)!)
    }

    private mutating func refusal() -> Refusal {
        Refusal(code: code(), text: text(0...80), advice: Advice(rawValue: enumeration()), after: number())
    }

    private mutating func welcome() -> Welcome {
        var welcome = Welcome()
        welcome.version = number32()
        welcome.relayID = string(0...40)
        welcome.pingInterval = number()
        welcome.deadAfter = number()
        welcome.limits.frame = number()
        welcome.limits.unacknowledged = number()
        welcome.limits.settings = number()
        welcome.limits.attributes = number()
        welcome.limits.attributeValue = number()
        welcome.limits.people = number()
        return welcome
    }

    private mutating func joined() -> Joined {
        var joined = Joined()
        joined.outcome = Outcome(rawValue: enumeration())
        joined.incarnation = number()
        joined.attachment = number()
        joined.secret = bytes(0...64)
        joined.lastOp = number()
        joined.rights = Rights(rawValue: number32())
        joined.person = number32()
        joined.device = number32()
        joined.position = position()
        joined.follows = Follows(rawValue: enumeration())
        joined.view = number32()
        return joined
    }

    mutating func delta() -> Delta {
        // A zero is an omitted number on the wire, so that there is no value for it.
        func seq(_ random: inout SeededRandom) -> UInt64 { 1 + random.number(through: WireLimits.position - 1) }
        var delta = Delta(toSeq: seq(&self), records: diff())
        delta.toEpoch = maybe(seq)
        delta.fromSeq = maybe(seq)
        delta.fromEpoch = maybe(seq)
        delta.actor = maybe { $0.number32() }
        delta.op = number()
        delta.digest = maybe { $0.number() }
        return delta
    }

    private mutating func attendanceReport() -> AttendanceReport {
        var report = AttendanceReport()
        report.at = number()
        report.meetings = (0..<Int.random(in: 0...3, using: &self)).map { _ in meetingReport() }
        report.older = bytes(WireLimits.cursor)
        report.newer = bytes(WireLimits.cursor)
        report.hasMore = flag()
        return report
    }

    mutating func meetingReport() -> MeetingReport {
        var meeting = MeetingReport()
        meeting.session = string(0...128)
        meeting.meeting = string(0...64)
        meeting.title = string(0...256)
        meeting.startedAt = number()
        meeting.endedAt = maybe { $0.number() }
        meeting.participants = number()
        meeting.devices = number()
        meeting.audio = number()
        meeting.video = number()
        meeting.duration = number()
        meeting.recordings = (0..<Int.random(in: 0...3, using: &self)).map { _ in
            var recording = RecordingReport()
            recording.byUID = string(0...128)
            recording.byName = string(0...256)
            recording.from = number()
            recording.to = maybe { $0.number() }
            return recording
        }
        meeting.recordingsLeftOut = number()
        meeting.people = (0..<Int.random(in: 0...4, using: &self)).map { _ in personReport() }
        meeting.firstPerson = number()
        meeting.hasMorePeople = flag()
        meeting.devicesNotKept = number()
        return meeting
    }

    private mutating func personReport() -> PersonReport {
        var person = PersonReport()
        person.uid = string(0...128)
        person.name = string(0...256)
        person.avatar = string(0...2_048)
        person.joinedAt = number()
        person.leftAt = maybe { $0.number() }
        person.audio = number()
        person.video = number()
        person.duration = number()
        person.devices = (0..<Int.random(in: 0...3, using: &self)).map { _ in
            var device = DeviceReport()
            device.device = string(0...64)
            device.joinedAt = number()
            device.isPresent = flag()
            device.audio = number()
            device.video = number()
            device.intervals = (0..<Int.random(in: 0...5, using: &self)).map { _ in
                PresenceReport(from: number(), to: maybe { $0.number() })
            }
            device.intervalsLeftOut = number()
            return device
        }
        person.devicesLeftOut = number()
        return person
    }

    private mutating func callSummary() -> CallSummary {
        var call = CallSummary()
        call.session = string(0...128)
        call.meeting = string(0...40)
        call.position = position()
        call.people = number()
        call.devices = number()
        call.observers = number()
        call.hands = number()
        call.recording = flag()
        call.startedAt = number()
        call.title = string(0...256)
        return call
    }

    private mutating func connectionInfo() -> ConnectionInfo {
        var info = ConnectionInfo()
        info.number = number()
        info.session = string(0...128)
        info.uid = string(0...128)
        info.device = string(0...64)
        info.mode = flag() ? .participant : .observer
        info.openedAt = number()
        info.attachedAt = number()
        info.cursor = position()
        info.lag = number()
        info.inFlight = number()
        info.roundTrip = number()
        info.writes = number()
        info.merged = number()
        info.clientName = string(0...64)
        info.turns = number()
        info.heldMost = number()
        return info
    }
}

/// Random differences: known and unknown fields and kinds, cleared fields, entries and tombstones.
extension SeededRandom {
    mutating func diff() -> Diff {
        var diff = Diff()
        var slot: Slot = 0
        for _ in 0..<Int.random(in: 0...5, using: &self) {
            let first = diff.fields.count
            let kind: RecordKind = [.call, .policy, .person, .device, .removed].randomElement(using: &self)!
            var record = Diff.Record(slot: slot, kind: kind, fields: first..<first)
            if kind == .removed {
                record.removal = .init(at: number(), reason: LeaveReason(rawValue: enumeration()))
            } else if oneIn(8) {
                // The official runtime writes an unknown kind last: nothing but its body may stand in the record.
                record.kind = RecordKind(rawValue: UInt32.random(in: RecordKind.later, using: &self))
                diff.fields += laterFields(from: 1)
            } else {
                diff.fields += knownFields(of: kind)
                if oneIn(4) { diff.fields += laterFields(from: 60) }
            }
            record.fields = first..<diff.fields.count
            diff.records.append(record)
            slot += oneIn(4) ? UInt32.random(in: 1...1_000_000, using: &self) : 1
        }
        return diff
    }

    private mutating func laterFields(from first: UInt32) -> [Diff.Field] {
        (first..<first + 12).compactMap { number in
            maybe { random in
                let value: FieldValue = random.flag() ? .number(random.number()) : .bytes(random.bytes(0...200))
                return Diff.Field(number: number, value: value)
            }
        }
    }

    private mutating func knownFields(of kind: RecordKind) -> [Diff.Field] {
        var fields: [Diff.Field] = []
        for descriptor in FieldTable.all where descriptor.kind == kind {
            if descriptor.isKeyed {
                fields += entries(of: descriptor.number)
            } else if oneIn(2) {
                fields.append(Diff.Field(number: descriptor.number, value: oneIn(4) ? nil : value(descriptor.type)))
            }
        }
        return fields
    }

    private mutating func entries(of number: UInt32) -> [Diff.Field] {
        let keys = Set((0..<Int.random(in: 0...3, using: &self)).map { _ in string(WireLimits.key) })
        return keys.sorted().map { key in
            Diff.Field(number: number, key: key, value: maybe { .bytes($0.bytes(WireLimits.value)) })
        }
    }

    private mutating func value(_ type: FieldType) -> FieldValue {
        switch type {
        case .boolean: .number(flag() ? 1 : 0)
        case .number: .number(number())
        case .slot: .number(UInt64(number32()))
        case .enumeration: .number(UInt64(enumeration()))
        case .text: .bytes(string(0...300).bytes)
        case .bytes: .bytes(bytes(0...300))
        case .message(.hand): .bytes(Hand(version: number(), at: number()).encoded)
        case .message(.recording):
            .bytes(Recording(byUID: string(0...128), byName: string(0...256), since: number()).encoded)
        case .message(.unmuteRequest): .bytes(UnmuteRequest(byUID: string(0...128), until: number()).encoded)
        case .message(.slotList):
            .bytes(SlotList((0..<Int.random(in: 0...32, using: &self)).map { _ in number32() }).encoded)
        }
    }
}
