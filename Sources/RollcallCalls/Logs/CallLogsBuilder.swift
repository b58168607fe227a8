public import Foundation
import Rollcall

/// Which call logs to ask for: those that meet every condition that is set.
struct CallLogsFilter: Hashable, Sendable {
    var limit = 30
    var status: CallStatus?
    var attendance = AttendanceFilter()

    /// Whether there can be any: a relay's calls are ongoing or ended.
    var canMatch: Bool { status == nil || status == .ongoing || status == .ended }

    /// Refuses what can't be meant.
    func check() throws(RollcallCallException) {
        if !(1...100).contains(limit) { throw .invalidSetting("set(limit:)", "\(limit): give 1 to 100") }
        if let from = attendance.from, let to = attendance.to, from >= to {
            throw .invalidSetting("set(to:)", "a time that is not after that of set(from:)")
        }
    }
}

extension CallLogsRequest {
    /// Gathers what logs to ask for, one call after the other.
    ///
    /// ```swift
    /// let request = CallLogsRequest.CallLogsBuilder().set(sessionID: "standup").set(limit: 10).build()
    /// ```
    ///
    /// An empty text is no condition. What is out of range is refused by the fetch, with an error that names the
    /// setter.
    public final class CallLogsBuilder {
        private(set) var filter = CallLogsFilter()

        /// A builder without conditions.
        public init() {}

        /// Sets how many logs come with one fetch, 1..100; 30 unless said otherwise.
        @discardableResult
        public func set(limit: Int) -> Self {
            filter.limit = limit
            return self
        }

        /// Only meetings of this call.
        @discardableResult
        public func set(sessionID: String) -> Self {
            filter.attendance.session = sessionID.isEmpty ? nil : sessionID
            return self
        }

        /// Only the meeting with this id.
        @discardableResult
        public func set(mid: String) -> Self {
            filter.attendance.meeting = mid.isEmpty ? nil : mid
            return self
        }

        /// Only meetings in which this person was; they come with everybody's rows.
        @discardableResult
        public func set(uid: String) -> Self {
            filter.attendance.uid = uid.isEmpty ? nil : uid
            return self
        }

        /// Only meetings that were ever recorded, or only those that never were.
        @discardableResult
        public func set(hasRecording: Bool) -> Self {
            filter.attendance.hasRecording = hasRecording
            return self
        }

        /// Only meetings that go on, or only those that are over; any other status has no logs.
        @discardableResult
        public func set(callStatus: CallStatus) -> Self {
            filter.status = callStatus
            filter.attendance.isRunning = callStatus == .ongoing
            return self
        }

        /// Only meetings that were not over at this time, by the relay's clock.
        @discardableResult
        public func set(from: Date) -> Self {
            filter.attendance.from = from.sinceEpoch
            return self
        }

        /// Only meetings that had begun before this time, by the relay's clock.
        @discardableResult
        public func set(to: Date) -> Self {
            filter.attendance.to = to.sinceEpoch
            return self
        }

        /// A request that stands before the first page.
        public func build() -> CallLogsRequest { CallLogsRequest(filter) }
    }
}

extension Date {
    /// The time in ms since 1970, in the range that a relay's clock has.
    fileprivate var sinceEpoch: UInt64 {
        let limit = 9_007_199_254_740_991.0
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded(.down)
        return milliseconds.isNaN ? 0 : UInt64(min(max(milliseconds, 0), limit))
    }
}
