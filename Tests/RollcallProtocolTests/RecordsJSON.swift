import CallState
import RollcallProtocol

extension Diff {
    /// The JSON mapping of the records, without what the schema does not have.
    var json: [[String: Any]] {
        records.map { record in
            var message = JSONMessage()
            message.put("slot", record.slot)
            if let removal = record.removal {
                var body = JSONMessage()
                body.put("at", removal.at)
                body.put("reason", removal.reason.rawValue, Names.leave)
                message.write("removed", body.members)
                return message.members
            }
            let fields = self.fields[record.fields]
            if let name = record.kind.name {
                var body = JSONMessage()
                for field in fields where field.key.isEmpty {
                    guard let value = field.value else { continue }
                    guard let known = FieldTable.descriptor(record.kind, field.number) else { continue }
                    body.write(known.name.camelCase, value.json(known))
                }
                message.write(name, body.members)
            }
            let cleared = fields.filter { $0.key.isEmpty && $0.value == nil }.map { Int($0.number) }
            if !cleared.isEmpty { message.write("cleared", cleared) }
            let entries = fields.filter { !$0.key.isEmpty }.map { field -> [String: Any] in
                var entry = JSONMessage()
                entry.put("field", field.number)
                entry.put("key", field.key)
                if case .bytes(let bytes) = field.value { entry.write("value", base64(bytes)) }
                return entry.members
            }
            if !entries.isEmpty { message.write("entries", entries) }
            return message.members
        }
    }
}

extension RecordKind {
    fileprivate var name: String? {
        switch self {
        case .call: "call"
        case .policy: "policy"
        case .person: "person"
        case .device: "device"
        default: nil
        }
    }
}

extension String {
    /// The JSON name of a field: audioMuted of audio_muted.
    fileprivate var camelCase: String {
        let words = split(separator: "_")
        return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

extension FieldValue {
    fileprivate func json(_ field: FieldDescriptor) -> Any? {
        switch (field.type, self) {
        case (.boolean, .number(let number)): number == 1
        case (.number, .number(let number)): "\(number)"
        case (.slot, .number(let number)): Int(number)
        case (.enumeration, .number(let number)): enumeration(UInt32(number), field.enumeration)
        case (.text, .bytes(let bytes)): String(decoding: bytes, as: UTF8.self)
        case (.message(let type), .bytes(let bytes)): type.json(bytes)
        default: nil
        }
    }
}

extension FieldDescriptor {
    fileprivate var enumeration: String {
        switch name {
        case "role": Names.role
        case "connection": Names.connection
        case "moderation": Names.moderation
        default: Names.presenters
        }
    }
}

extension MessageType {
    fileprivate func json(_ bytes: [UInt8]) -> [String: Any]? {
        var body = JSONMessage()
        switch self {
        case .hand:
            guard let hand = Hand(encoded: bytes) else { return nil }
            body.put("version", hand.version)
            body.put("at", hand.at)
        case .recording:
            guard let recording = Recording(encoded: bytes) else { return nil }
            body.put("byUid", recording.byUID)
            body.put("byName", recording.byName)
            body.put("since", recording.since)
        case .unmuteRequest:
            guard let request = UnmuteRequest(encoded: bytes) else { return nil }
            body.put("byUid", request.byUID)
            body.put("until", request.until)
        case .slotList:
            guard let list = SlotList(encoded: bytes) else { return nil }
            if !list.slots.isEmpty { body.write("slots", list.slots.map { Int($0) }) }
        }
        return body.members
    }
}
