import CallState
import RollcallProtocol

// Call logs: kept from the commits, told to who asks.
extension RelayCore {
    /// Takes the last commit of a call into the log.
    mutating func recordAttendance(of call: Int) {
        guard attendanceLog.isKept else { return }
        calls[call]!.state.appendAttendanceChanges(to: &attendanceChanges)
        attendanceLog.record(attendanceChanges, of: calls[call]!.session, at: calls[call]!.clock)
        attendanceChanges.removeAll(keepingCapacity: attendanceChanges.capacity <= Self.keptChanges)
    }

    /// Room for changes above this is given back.
    private static let keptChanges = 1_024

    mutating func attendance(_ request: UInt64, _ query: AttendanceQuery, on index: Int) {
        guard canAnswer(request, on: index) else { return }
        do throws(AttendanceQueryError) {
            let report = try attendanceLog.report(query, at: now.wall, budget: Self.pageSize)
            answer(.attendance(request: request, report), on: index)
        } catch {
            let refusal =
                switch error {
                case .notKept: Refusal(code: .unsupported, text: "this relay keeps no attendance")
                case .invalid(let why): Refusal(code: .badRequest, text: why)
                }
            refuse(refusal, request, on: index)
        }
    }
}
