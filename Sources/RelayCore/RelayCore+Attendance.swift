import CallState
import RollcallProtocol

// Call logs: kept from the commits, told to who asks.
extension RelayCore {
    /// Takes the last commit of a call into the log.
    mutating func recordAttendance(of call: Int) {
        guard attendanceLog.isKept else { return }
        defer { attendanceChanges.removeAll(keepingCapacity: attendanceChanges.capacity <= Self.keptChanges) }
        calls[call]!.state.appendAttendanceChanges(to: &attendanceChanges)
        if place.index == 0 {
            attendanceLog.record(attendanceChanges, of: calls[call]!.session, at: calls[call]!.clock)
        } else {
            let clock = calls[call]!.clock
            let changes = attendanceChanges.map { TimedAttendanceChange(at: clock, $0) }
            effects.append(.loop(.attended(session: calls[call]!.session, changes)))
        }
        calls[call]!.keeping.record(attendanceChanges, at: calls[call]!.clock)
        watchBacklog(of: call)
    }

    /// Room for changes above this is given back.
    private static let keptChanges = 1_024

    /// Meetings that may be looked at for the price of one more answer.
    private static let looksOfOneAnswer = 256

    mutating func attendance(_ request: UInt64, _ query: AttendanceQuery, on index: Int) {
        guard canAnswer(request, on: index) else { return }
        // The first loop keeps the logs of all.
        if place.index > 0 { return ask(.attendance(query), [0], own: [], request, on: index) }
        do throws(AttendanceQueryError) {
            say(try attendanceLog.report(query, at: now.wall, budget: Self.pageSize), request, on: index)
        } catch {
            refuse(Self.refusal(of: error), request, on: index)
        }
    }

    /// What this loop's log says.
    func ownAttendance(_ query: AttendanceQuery) -> LoopAnswer {
        do throws(AttendanceQueryError) {
            return .attendance(try attendanceLog.report(query, at: now.wall, budget: Self.pageSize))
        } catch {
            return .noAttendance(error)
        }
    }

    mutating func say(_ report: AttendanceReport, _ request: UInt64, on index: Int) {
        answer(.attendance(request: request, report), on: index)
        // One that looked at much counts for several however short it is, so that a flood of them is held back.
        count(answers: report.looks / Self.looksOfOneAnswer, on: index)
    }

    static func refusal(of error: AttendanceQueryError) -> Refusal {
        switch error {
        case .notKept: Refusal(code: .unsupported, text: "this relay keeps no attendance")
        case .invalid(let why): Refusal(code: .badRequest, text: why)
        }
    }
}
