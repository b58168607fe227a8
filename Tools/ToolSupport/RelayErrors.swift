import Options
package import Rollcall

/// Why the session is not there, with the names that it may have meant.
package func unknownSession(_ session: String, among sessions: [String], address: Address) -> ToolError {
    let near = nearNames(to: session, in: sessions)
    let advice =
        if !near.isEmpty {
            "Did you mean \(near.map(safeText).joined(separator: " or "))?"
        } else if sessions.isEmpty {
            "The relay has no calls now."
        } else {
            "rollcall-probe calls lists the calls of the relay."
        }
    return ToolError(.noInput, "nobody is in a call \"\(safeText(session))\" at \(address)", advice: advice)
}

/// Why the call logs have no meeting of the session, with the names that it may have meant.
package func unloggedSession(_ session: String, among sessions: [String], address: Address) -> ToolError {
    let near = nearNames(to: session, in: sessions)
    let advice =
        near.isEmpty
        ? "rollcall-probe attendance lists the meetings that the relay keeps."
        : "Did you mean \(near.map(safeText).joined(separator: " or "))?"
    let text = "the relay at \(address) keeps no meeting of a call \"\(safeText(session))\""
    return ToolError(.noInput, text, advice: advice)
}

extension ToolError {
    /// What a failure of the client library means for a tool.
    package init(_ error: RollcallError, address: Address) {
        let place = "the relay at \(address)"
        let said = safeText(error.message)
        switch error.code {
        case .unreachable, .timedOut:
            self.init(
                .unavailable,
                said,
                advice: "Start a relay with rollcall-relay --listen \(address), or name another with --connect."
            )
        case .linkLost, .callEnded:
            self.init(.unavailable, said, advice: "Try again; the relay's log may tell more.")
        case .invalidAddress, .invalidArgument:
            self.init(.usage, said)
        case .protocolViolation:
            self.init(.protocolError, said, advice: "Is it a relay that listens at \(address), and of this version?")
        case .noSuchTarget:
            self.init(.noInput, "\(place) refuses: \(said)")
        case .noSuchCall:
            self.init(.noInput, said, advice: "rollcall-probe calls lists the calls of the relay.")
        case .denied, .forbidden, .unauthenticated, .removed, .locked:
            self.init(.noPermission, "\(place) refuses: \(said)")
        case .invalid, .badRequest, .unsupportedSetting:
            self.init(.usage, "\(place) refuses: \(said)")
        case let code where [4000, 4001, 4002, 4011].contains(code.rawValue):
            self.init(
                .protocolError,
                "\(place) refuses: \(said)",
                advice: "Are the relay and this tool of one version?"
            )
        case let code where (2000..<3000).contains(code.rawValue):
            self.init(.temporaryFailure, "\(place) can't do it now: \(said)", advice: "Try again later.")
        case let code where (3000..<4000).contains(code.rawValue):
            self.init(.noPermission, "\(place) refuses: \(said)")
        default:
            self.init(.unavailable, "\(place) refuses: \(said)")
        }
    }
}
