/// The attendance of many meetings, running and ended, within limits: the call logs of a relay.
///
/// A value: changes in (``record(_:of:at:)``), answers out (``report(_:at:budget:)``). Nothing else of a relay knows
/// how it is kept, so that a store can take its place.
public struct AttendanceLog: Sendable {
    /// How much is kept.
    public struct Limits: Hashable, Sendable {
        /// Meetings; 0 keeps no attendance at all.
        ///
        /// Running ones are always kept and count.
        public var meetings: Int
        /// Rows of devices in all meetings.
        public var rows: Int
        /// Bytes of all meetings in memory, about.
        ///
        /// The default is enough for the default number of rows, unless names, pictures or stays are unusually long.
        public var bytes: Int

        /// Limits.
        public init(meetings: Int = 1_000, rows: Int = 100_000, bytes: Int = 128 << 20) {
            self.meetings = meetings
            self.rows = rows
            self.bytes = bytes
        }
    }

    /// A meeting of a call.
    struct Entry: Sendable {
        var session: ByteString
        var attendance = Attendance()
    }

    /// How much is kept.
    public let limits: Limits
    /// The meetings by their numbers, which rise with the begin.
    private(set) var entries: [UInt64: Entry] = [:]
    /// The numbers, ascending.
    private(set) var order: [UInt64] = []
    private var running: [ByteString: UInt64] = [:]
    private var numbers: [ByteString: UInt64] = [:]
    /// The ended meetings in order of their end; those before ``firstEnded`` are forgotten.
    private var ended: [UInt64] = []
    private var firstEnded = 0
    private var lastNumber: UInt64 = 0
    /// Rows of devices that are kept.
    public private(set) var rowCount = 0
    /// The bytes of what is kept in memory, about.
    public private(set) var size = 0

    /// An empty log.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether attendance is kept at all.
    public var isKept: Bool { limits.meetings > 0 }

    /// The number of meetings that are kept.
    public var meetingCount: Int { order.count }

    /// Takes in what a commit of a call changed, in order; `at` is the time of the commit, ms since 1970.
    ///
    /// The meeting that ended first is forgotten first when there are too many meetings, rows or bytes. What running
    /// meetings need beyond that is not kept, and their reports say so.
    public mutating func record(_ changes: [AttendanceChange], of session: ByteString, at: UInt64) {
        guard isKept else { return }
        for change in changes {
            if case .began(let meeting, let startedAt) = change { begin(meeting, of: session, at: startedAt) }
            guard let number = running[session] else { continue }
            record(change, in: number, at: at)
            if case .ended = change {
                running[session] = nil
                ended.append(number)
            }
        }
        while order.count > limits.meetings || isOverfull, forgetOne() {}
    }

    /// The number of the meeting with that id.
    func number(of meeting: ByteString) -> UInt64? { numbers[meeting] }

    private mutating func record(_ change: AttendanceChange, in number: UInt64, at: UInt64) {
        guard let index = entries.index(forKey: number) else { return }
        // An ended meeting gives its place up for one that runs.
        let canGrow = size < limits.bytes || firstEnded < ended.count
        let hasRoom = canGrow && (rowCount < limits.rows || firstEnded < ended.count)
        rowCount -= entries.values[index].attendance.rowCount
        size -= entries.values[index].size
        entries.values[index].attendance.record(change, at: at, hasRoom: hasRoom, canGrow: canGrow)
        rowCount += entries.values[index].attendance.rowCount
        size += entries.values[index].size
        while isOverfull, forgetOne() {}
    }

    /// Whether there are more rows or bytes than may be.
    private var isOverfull: Bool { rowCount > limits.rows || size > limits.bytes }

    /// A new meeting; one of the same call that nobody ended is over now.
    private mutating func begin(_ meeting: ByteString, of session: ByteString, at: UInt64) {
        if let before = running[session] {
            record(.ended, in: before, at: at)
            ended.append(before)
        }
        lastNumber = max(lastNumber &+ 1, at)
        let entry = Entry(session: session)
        entries[lastNumber] = entry
        size += entry.size
        order.append(lastNumber)
        running[session] = lastNumber
        numbers[meeting] = lastNumber
    }

    /// Forgets the meeting that ended first; false when none has ended.
    private mutating func forgetOne() -> Bool {
        guard firstEnded < ended.count else { return false }
        let number = ended[firstEnded]
        firstEnded += 1
        if firstEnded >= 64, firstEnded * 2 >= ended.count {
            ended.removeSubrange(..<firstEnded)
            firstEnded = 0
        }
        guard let entry = entries.removeValue(forKey: number) else { return true }
        rowCount -= entry.attendance.rowCount
        size -= entry.size
        let place = order.place(of: number)
        if place < order.count, order[place] == number { order.remove(at: place) }
        if let meeting = entry.attendance.meetingID, numbers[meeting] == number { numbers[meeting] = nil }
        return true
    }
}

extension [UInt64] {
    /// Where a number is, or would be, in an ascending list.
    ///
    /// O(log count).
    func place(of number: UInt64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
