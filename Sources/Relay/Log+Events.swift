import CallState
import RelayCore
import RollcallProtocol

extension Log {
    /// Writes an event of the rules.
    func write(_ event: LogEvent) {
        switch event {
        case .claiming, .restored, .storeUnavailable, .storeRecovered, .fenced, .damaged, .notKept: writeKeeping(event)
        case .meetingBegan(let session, let meeting, let epoch):
            line(
                .info,
                "meeting-began",
                [("session", .text(session.string)), ("meeting", .text(meeting.string)), ("epoch", .number(epoch))]
            )
        case .meetingEnded(let session, let meeting, let position):
            line(
                .info,
                "meeting-ended",
                [
                    ("session", .text(session.string)), ("meeting", .text(meeting.string)),
                    ("position", .text(position.description)),
                ]
            )
        case .joined(let connection, let session, let uid, let device, let outcome):
            line(
                .debug,
                "joined",
                [
                    ("connection", .number(connection.number)), ("session", .text(session.string)),
                    ("uid", .text(uid.string)), ("device", .text(device.string)),
                    ("outcome", .text(outcome.word)),
                ]
            )
        case .left(let session, let uid, let device, let reason):
            line(
                .debug,
                "left",
                [
                    ("session", .text(session.string)), ("uid", .text(uid.string)), ("device", .text(device.string)),
                    ("reason", .text(reason.word)),
                ]
            )
        case .refused(let connection, let refusal):
            line(
                .debug,
                "refused",
                [
                    ("connection", .number(connection.number)), ("code", .number(UInt64(refusal.code.rawValue))),
                    ("text", .text(refusal.text)),
                ]
            )
        }
    }
}

extension Log {
    /// Writes an event of the store.
    private func writeKeeping(_ event: LogEvent) {
        switch event {
        case .claiming(let done, let all):
            line(.info, "claiming", [("done", .number(UInt64(done))), ("of", .number(UInt64(all)))])
        case .restored(let session, let position, let isClean, let people):
            line(
                .info,
                "restored",
                [
                    ("session", .text(session.string)), ("position", .text(position.description)),
                    ("clean", .text(isClean ? "yes" : "no")), ("people", .number(UInt64(people))),
                ]
            )
        case .storeUnavailable(let session, let reason):
            line(
                .warning,
                "store-unavailable",
                [("session", .text(session.string)), ("cause", .text(reason.string))]
            )
        case .storeRecovered(let session):
            line(.info, "store-recovered", [("session", .text(session.string))])
        case .fenced(let session):
            line(.error, "fenced", [("session", .text(session.string))])
        case .damaged(let session, let reason):
            line(.error, "damaged", [("session", .text(session.string)), ("cause", .text(reason))])
        case .notKept(let calls, let session, let kept, let head):
            line(
                .error,
                "not-kept",
                [
                    ("calls", .number(UInt64(calls))), ("session", .text(session.string)), ("kept", .number(kept)),
                    ("position", .text(head.description)),
                ]
            )
        default: return
        }
    }
}

extension Outcome {
    /// For the log; an outcome that has no word is its number.
    fileprivate var word: String {
        switch self {
        case .new: "new"
        case .resumed: "resumed"
        case .expired: "expired"
        case .replaced: "replaced"
        case .observer: "observer"
        default: String(rawValue)
        }
    }
}

extension LeaveReason {
    /// For the log; a reason that has no word is its number.
    fileprivate var word: String {
        switch self {
        case .unspecified: "unspecified"
        case .left: "left"
        case .lost: "lost"
        case .removed: "removed"
        case .ended: "ended"
        case .expired: "expired"
        default: String(rawValue)
        }
    }
}
