/// The attendance of many meetings, running and ended, within limits: the call logs of a relay.
///
/// A value: changes in (``record(_:of:at:)``), answers out (``report(_:at:budget:)``). Nothing else of a relay knows how
/// it is kept, so that a store can take its place.
public struct AttendanceLog: Sendable {
    /// How much is kept.
    public struct Limits: Hashable, Sendable {
        /// Meetings; 0 keeps no attendance at all.
        ///
        /// Running ones are always kept and count.
        public var meetings: Int
        /// Rows of devices in all meetings.
        public var rows: Int

        /// Limits.
        public init(meetings: Int = 1_000, rows: Int = 100_000) {
            self.meetings = meetings
            self.rows = rows
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
    /// The meeting that ended first is forgotten first when there are too many meetings or rows. What running meetings
    /// need beyond that is not kept, and their reports say so.
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
        while order.count > limits.meetings, forgetOne() {}
    }

    /// The number of the meeting with that id.
    func number(of meeting: ByteString) -> UInt64? { numbers[meeting] }

    private mutating func record(_ change: AttendanceChange, in number: UInt64, at: UInt64) {
        guard let index = entries.index(forKey: number) else { return }
        let rows = entries.values[index].attendance.rowCount
        // An ended meeting gives its rows up for one that runs.
        let hasRoom = rowCount < limits.rows || firstEnded < ended.count
        entries.values[index].attendance.record(change, at: at, hasRoom: hasRoom)
        rowCount += entries.values[index].attendance.rowCount - rows
        while rowCount > limits.rows, forgetOne() {}
    }

    /// A new meeting; one of the same call that nobody ended is over now.
    private mutating func begin(_ meeting: ByteString, of session: ByteString, at: UInt64) {
        if let before = running[session] {
            record(.ended, in: before, at: at)
            ended.append(before)
        }
        lastNumber = max(lastNumber &+ 1, at)
        entries[lastNumber] = Entry(session: session)
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
