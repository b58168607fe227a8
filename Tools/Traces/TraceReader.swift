import Foundation

extension Trace {
    /// Reads a trace from a file.
    ///
    /// - Throws: ``TraceError`` with the file, the line and the field that is wrong.
    /// - Complexity: O(bytes of the file).
    public static func load(path: String) throws(TraceError) -> Trace {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw TraceError(.unreadable, file: path, line: 0, cause: "cannot be opened")
        }
        defer { try? handle.close() }
        var bytes: [UInt8] = []
        do {
            // Read in parts up to the limit: the path may name a device that never ends.
            while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty {
                bytes.append(contentsOf: part)
                if bytes.count > maximumFileBytes { break }
            }
        } catch {
            throw TraceError(.unreadable, file: path, line: 0, cause: "cannot be read: \(error.localizedDescription)")
        }
        return try parse(bytes, file: path)
    }

    /// Reads a trace from bytes; `file` is only for the messages.
    ///
    /// - Throws: ``TraceError`` with the line and the field that is wrong.
    public static func parse(_ bytes: [UInt8], file: String) throws(TraceError) -> Trace {
        guard bytes.count <= maximumFileBytes else {
            throw TraceError(.fileTooLong, file: file, line: 0, cause: "longer than \(maximumFileBytes) bytes")
        }
        var reader = TraceReader(file: file)
        var line = 0
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            line += 1
            try reader.read(bytes[start..<end], line: line)
            start = end + 1
        }
        return try reader.finish()
    }
}

/// Judges the lines of a trace one after the other.
private struct TraceReader {
    let file: String
    private let decoder = JSONDecoder()
    private var session: String?
    private var promisedEvents: Int?
    private var presentAtStart: [TraceDevice] = []
    private var entries: [Trace.Entry] = []
    private var unknownEvents: [String: Int] = [:]
    private var unknownFields: [String: Int] = [:]

    init(file: String) { self.file = file }

    mutating func read(_ bytes: ArraySlice<UInt8>, line number: Int) throws(TraceError) {
        let line = try decode(bytes, line: number)
        let place = Place(file: file, line: number)
        let time = try place.milliseconds(line.t)
        guard let session else {
            try readMeta(line, at: place)
            return
        }
        guard line.event != "meta" else {
            throw place.error(.duplicateMeta, field: "event", "a second meta line")
        }
        guard line.session == session else {
            throw place.error(.otherSession, field: "session", "'\(line.session)' in the trace of '\(session)'")
        }
        if let last = entries.last?.time, time < last {
            throw place.error(.timeWentBack, field: "t", "\(time) ms after \(last) ms")
        }
        let event = try line.judged(at: place)
        if case .unknown(let name) = event { unknownEvents[name, default: 0] += 1 }
        for name in line.unknownFields { unknownFields[name, default: 0] += 1 }
        entries.append(
            Trace.Entry(
                line: number,
                time: time,
                uid: try place.identity(line.uid, field: "uid"),
                device: try place.identity(line.device, field: "device"),
                event: event,
                isNoop: line.noop ?? false
            )
        )
    }

    private mutating func readMeta(_ line: TraceLine, at place: Place) throws(TraceError) {
        guard line.event == "meta" else {
            throw place.error(.missingMeta, field: "event", "the first line must be 'meta', not '\(line.event)'")
        }
        guard !line.session.isEmpty else { throw place.error(.invalidField, field: "session", "empty") }
        session = line.session
        promisedEvents = line.events
        for device in line.presentAtStart ?? [] {
            presentAtStart.append(try place.device(device, field: "present_at_start"))
        }
    }

    func finish() throws(TraceError) -> Trace {
        guard let session else {
            throw TraceError(.missingMeta, file: file, line: 0, cause: "no lines, not even 'meta'")
        }
        if let promisedEvents, promisedEvents != entries.count {
            throw TraceError(
                .wrongCount,
                file: file,
                line: 1,
                field: "events",
                cause: "says \(promisedEvents), the file holds \(entries.count)"
            )
        }
        return Trace(
            file: file,
            session: session,
            presentAtStart: presentAtStart,
            entries: entries,
            unknownEvents: unknownEvents,
            unknownFields: unknownFields
        )
    }

    private func decode(_ bytes: ArraySlice<UInt8>, line number: Int) throws(TraceError) -> TraceLine {
        func error(_ code: TraceError.Code, _ path: [any CodingKey], _ cause: String) -> TraceError {
            let field = path.isEmpty ? nil : path.map(\.stringValue).joined(separator: ".")
            return TraceError(code, file: file, line: number, field: field, cause: cause)
        }
        guard bytes.count <= Trace.maximumLineBytes else {
            throw error(.lineTooLong, [], "\(bytes.count) bytes, at most \(Trace.maximumLineBytes)")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw error(.notUTF8, [], "not UTF-8")
        }
        do {
            return try decoder.decode(TraceLine.self, from: Data(bytes))
        } catch DecodingError.keyNotFound(let key, let context) {
            throw error(.missingField, context.codingPath + [key], "missing")
        } catch DecodingError.typeMismatch(let type, let context) where context.codingPath.isEmpty {
            throw error(.notJSON, [], "not a JSON object (\(type) expected)")
        } catch DecodingError.typeMismatch(let type, let context) {
            throw error(.invalidField, context.codingPath, "not of type \(type)")
        } catch DecodingError.valueNotFound(_, let context) {
            throw error(.invalidField, context.codingPath, "null")
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw error(.invalidField, context.codingPath, context.debugDescription)
        } catch {
            throw TraceError(.notJSON, file: file, line: number, cause: "not one JSON object")
        }
    }
}

/// The line that is being judged; makes the errors that name it.
struct Place {
    let file: String
    let line: Int

    func error(_ code: TraceError.Code, field: String, _ cause: String) -> TraceError {
        TraceError(code, file: file, line: line, field: field, cause: cause)
    }

    /// Seconds as the file has them, to whole milliseconds.
    func milliseconds(_ seconds: Double) throws(TraceError) -> Int {
        guard seconds >= 0, seconds * 1000 <= Double(Trace.latestTime) else {
            throw error(.invalidField, field: "t", "\(seconds) s is not between 0 and \(Trace.latestTime / 1000) s")
        }
        return Int((seconds * 1000).rounded())
    }

    /// A uid or device: ASCII, so that the bytes decide, and no longer than a relay would take.
    func identity(_ text: String, field: String) throws(TraceError) -> String {
        guard text.utf8.count <= 128, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            throw error(.invalidField, field: field, "not up to 128 printable ASCII characters")
        }
        return text
    }

    func device(_ device: TraceLine.Device, field: String) throws(TraceError) -> TraceDevice {
        guard !device.uid.isEmpty, !device.device.isEmpty else { throw error(.invalidField, field: field, "empty") }
        return TraceDevice(
            uid: try identity(device.uid, field: field + ".uid"),
            device: try identity(device.device, field: field + ".device")
        )
    }

    func present<Value>(_ value: Value?, field: String) throws(TraceError) -> Value {
        guard let value else { throw error(.missingField, field: field, "missing") }
        return value
    }
}

extension TraceLine {
    /// The event with its fields, each of them judged.
    func judged(at place: Place) throws(TraceError) -> TraceEvent {
        if let event = try sessionEvent(at: place) { return event }
        let event = try personEvent(at: place)
        if case .unknown = event { return event }
        guard !uid.isEmpty else { throw place.error(.invalidField, field: "uid", "'\(self.event)' needs a person") }
        return event
    }

    private func sessionEvent(at place: Place) throws(TraceError) -> TraceEvent? {
        switch event {
        case "mediaRecordingStarted": .mediaRecording(true)
        case "mediaRecordingStopped": .mediaRecording(false)
        case "transcriptionStarted": .transcriptionStarted
        case "sessionStarted": .sessionStarted
        case "sessionEnded": .sessionEnded
        case "check": try check(at: place)
        default: nil
        }
    }

    private func personEvent(at place: Place) throws(TraceError) -> TraceEvent {
        switch event {
        case "join": .join(role: role, audioMuted: audioMuted, videoPaused: videoPaused)
        case "leave": .leave(reason: reason)
        case "drop": .drop(reason: reason)
        case "kicked": .kicked
        case "nickChanged": .nickChanged(to: try renamedDevice(at: place))
        case "present": .present
        case "audioJoined": .audioJoined(muted: muted)
        case "audioLeft": .audioLeft
        case "audioMuted": .audioMuted(true)
        case "audioUnmuted": .audioMuted(false)
        case "videoPaused": .videoPaused(true, stream: stream)
        case "videoResumed": .videoPaused(false, stream: stream)
        case "screenShareStarted": .screenShare(true)
        case "screenShareStopped": .screenShare(false)
        case "handRaised": .handRaised(true, by: try actor(at: place))
        case "handLowered": .handRaised(false, by: try actor(at: place))
        case "recordingStarted": .recording(true)
        case "recordingStopped": .recording(false)
        case "presenterAssigned": .presenterAssigned
        case "speechStarted": .speech(true)
        case "speechStopped": .speech(false)
        case "dominantSpeaker": .dominantSpeaker(derived: derived != nil)
        default: .unknown(event)
        }
    }

    /// The other person who did it; nil when it was the person.
    private func actor(at place: Place) throws(TraceError) -> String? {
        guard let by, !by.isEmpty, by != uid else { return nil }
        return try place.identity(by, field: "by")
    }

    private func renamedDevice(at place: Place) throws(TraceError) -> TraceDevice {
        let device = try place.identity(try place.present(newDevice, field: "newDevice"), field: "newDevice")
        let owner = try place.identity(newUid ?? uid, field: "newUid")
        guard !device.isEmpty else { throw place.error(.invalidField, field: "newDevice", "empty") }
        guard !owner.isEmpty else { throw place.error(.invalidField, field: "newUid", "empty") }
        return TraceDevice(uid: owner, device: device)
    }

    private func check(at place: Place) throws(TraceError) -> TraceEvent {
        let statement: TraceCheck.Statement
        switch try place.present(what, field: "what") {
        case "counts":
            let counts = try place.present(counts, field: "counts")
            statement = .counts(joined: counts.joined, audioOn: counts.audioOn, videoOn: counts.videoOn)
        case "queue":
            statement = .queue(try place.present(queue, field: "queue"))
        case "participants":
            var devices: [TraceDevice] = []
            for device in try place.present(participants, field: "participants") {
                devices.append(try place.device(device, field: "participants"))
            }
            statement = .participants(devices)
        case let other:
            return .unknown("check of \(other)")
        }
        let agrees = try place.present(agrees, field: "agrees")
        return .check(TraceCheck(statement: statement, agrees: agrees, agreesInOrder: agreesInOrder ?? false))
    }
}
