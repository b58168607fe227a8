// What attendance takes in memory: an estimate from what is kept, so that equal values have equal sizes. Texts count
// with the block that each is in, arrays and tables half as much again, since they grow in steps.

/// The heads of an array and of its block of memory.
private let blockHead = 48

/// An array of so many elements.
private func block<Element>(_ count: Int, of _: Element.Type) -> Int {
    count == 0 ? 0 : blockHead + count * MemoryLayout<Element>.stride * 3 / 2
}

extension ByteString {
    /// The bytes that the text takes in memory, about.
    fileprivate var size: Int { blockCount == 0 ? 0 : blockHead + blockCount }
}

extension Attendance {
    /// The bytes that the meeting takes in memory, about; O(1).
    var size: Int {
        // A table has twice the places of an array.
        block(people.count, of: PersonLog.self) + 2 * block(people.count, of: (ByteString, Int).self)
            + 2 * block(slotCount, of: (Slot, ByteString, ByteString).self)
            + block(recordings.count, of: RecordingLog.self)
            + (meetingID?.size ?? 0) + title.size + sizeOfParts
    }
}

extension Attendance.RecordingLog {
    /// The bytes of the texts in memory, about.
    var size: Int { byUID.size + byName.size }
}

extension Attendance.PersonLog {
    /// The bytes of the texts and rows in memory, about.
    ///
    /// O(devices).
    var size: Int {
        let texts = uid.size + name.size + avatar.size
        return devices.reduce(texts + block(devices.count, of: Attendance.DeviceLog.self)) {
            $0 + $1.id.size + block($1.intervals.count, of: PresenceReport.self)
        }
    }
}

extension AttendanceLog.Entry {
    /// The bytes that the meeting takes in all tables of the log, about.
    var size: Int { 2 * MemoryLayout<Self>.stride + 256 + session.size + attendance.size }
}
