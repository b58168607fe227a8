import CallState
import RollcallProtocol

// Peek, List and Inspect: looks that change nothing.
extension RelayCore {
    /// Bytes of one page of an answer; with its last entry a frame stays below 64 KiB.
    static let pageSize = 60 * 1024
    /// What a snapshot that waits counts, in answers.
    private static let peekWeight = 8

    static let noSuchCall = Refusal(code: .noSuchCall, text: "no call has that session id")

    mutating func peek(_ session: ByteString, _ request: UInt64, on index: Int) {
        guard connections[index].phase == .greeted else {
            let text = "not allowed now: Peek on a connection that attends a call"
            return refuse(Refusal(code: .outOfOrder, text: text), request, on: index)
        }
        guard request > 0 else {
            return refuse(Refusal(code: .badRequest, text: "Peek.request is 1 or more"), request, on: index)
        }
        guard WireLimits.session.contains(session.count) else {
            let (least, most) = (WireLimits.session.lowerBound, WireLimits.session.upperBound)
            let text = "Peek.session_id has \(session.count) bytes, \(least) to \(most) are allowed"
            return refuse(Refusal(code: .badRequest, text: text), request, on: index)
        }
        guard canAnswer(request, on: index) else { return }
        if let loop = elsewhere(session) {
            return depart(index, to: loop, with: .peek(session: session, request: request))
        }
        if let call = call(named: session), mustBeClaimed(call) {
            return claim(call, for: .peek(session: session, request: request), on: index)
        }
        guard let call = call(named: session), calls[call]!.shownPeople > 0 || calls[call]!.observers > 0 else {
            let text = "no call has the session id \(session)"
            return refuse(Refusal(code: .noSuchCall, text: text), request, on: index)
        }
        let snapshot = PendingSnapshot(call: calls[call]!.id, reason: .requested, request: request)
        connections[index].output.pieces.append(.snapshot(snapshot))
        hasOutput(index)
        count(answers: Self.peekWeight, on: index)
    }

    mutating func list(_ request: UInt64, after: ByteString, on index: Int) {
        guard canAnswer(request, on: index) else { return }
        let own = ownCalls(after: after)
        if place.count > 1 { return ask(.calls(after: after), place.others, own: [own], request, on: index) }
        guard case .calls(let page, let more) = own else { return }
        answer(.calls(request: request, page, more: more), on: index)
    }

    /// A page of this loop's calls.
    mutating func ownCalls(after: ByteString) -> LoopAnswer {
        var page: [CallSummary] = []
        var size = 0
        var next = after.isEmpty ? 0 : place(of: after)
        if next < sessions.count, sessions[next] == after { next += 1 }
        while next < sessions.count, size < Self.pageSize {
            if let call = call(named: sessions[next]), calls[call]!.shownPeople > 0 || calls[call]!.observers > 0 {
                let summary = summary(of: call)
                size += Self.weight(summary)
                page.append(summary)
            }
            next += 1
        }
        return .calls(page, more: next < sessions.count)
    }

    /// About what a call takes in an answer, in bytes.
    static func weight(_ summary: CallSummary) -> Int {
        100 + summary.session.count + summary.meeting.count + summary.title.count
    }

    private mutating func summary(of call: Int) -> CallSummary {
        var summary = CallSummary()
        summary.session = calls[call]!.session
        summary.observers = UInt64(calls[call]!.observers)
        calls[call]!.readShown { state in
            summary.meeting = state.text(CallField.meetingID, of: .call)
            summary.position = state.position
            summary.people = UInt64(state.peopleCount)
            summary.devices = UInt64(state.deviceCount)
            summary.hands = UInt64(state.raisedHands.count)
            summary.recording = state.value(CallField.recording, of: .call) != nil
            summary.startedAt = state.number(CallField.startedAt, of: .call) ?? 0
            summary.title = state.text(CallField.title, of: .call)
        }
        return summary
    }

    mutating func inspect(_ request: UInt64, after: UInt64, on index: Int) {
        guard rightsRule(index).isAdmin else {
            let text =
                "Inspect needs the admin right: connect as the relay's user, or start the relay with --open-admin"
            return refuse(Refusal(code: .forbidden, text: text), request, on: index)
        }
        guard canAnswer(request, on: index) else { return }
        let own = ownConnections(after: after)
        if place.count > 1 { return ask(.connections(after: after), place.others, own: [own], request, on: index) }
        guard case .connections(let page, let more) = own else { return }
        answer(.connections(request: request, page, more: more), on: index)
    }

    /// A page of this loop's connections.
    mutating func ownConnections(after: UInt64) -> LoopAnswer {
        let waiting = connections.indices
            .filter { connections[$0].phase != .free && name($0).number > after }
            .sorted { name($0).number < name($1).number }
        var page: [ConnectionInfo] = []
        var size = 0
        for other in waiting {
            if size >= Self.pageSize { break }
            // What has come for one that takes nothing counts too.
            noteHeld(other)
            let info = info(of: other)
            size += Self.weight(info)
            page.append(info)
        }
        return .connections(page, more: page.count < waiting.count)
    }

    /// About what a connection takes in an answer, in bytes.
    static func weight(_ info: ConnectionInfo) -> Int {
        155 + info.session.count + info.uid.count + info.device.count + info.clientName.count
    }

    private mutating func info(of index: Int) -> ConnectionInfo {
        var info = ConnectionInfo()
        info.number = name(index).number
        info.openedAt = connections[index].openedWall
        info.inFlight = UInt64(connections[index].inFlight)
        info.roundTrip = connections[index].roundTrip
        info.writes = connections[index].writes
        info.merged = connections[index].merged
        info.clientName = connections[index].clientName
        info.turns = connections[index].turns
        info.heldMost = UInt64(connections[index].heldMost)
        guard connections[index].phase == .attached, let call = call(of: index) else { return info }
        let head = calls[call]!.shownPosition
        let cursor = connections[index].cursor
        info.session = calls[call]!.session
        info.uid = connections[index].uid
        info.device = connections[index].device
        if case .device = connections[index].role {} else { info.mode = .observer }
        info.attachedAt = connections[index].attachedAt
        info.cursor = cursor
        info.lag = cursor.epoch == head.epoch ? head.seq - min(head.seq, cursor.seq) : head.seq
        return info
    }

    // MARK: Refusals

    mutating func refuse(_ refusal: Refusal, _ request: UInt64, on index: Int) {
        answer(.error(refusal, request: request), on: index)
    }

    /// Refuses a request whose answer costs memory while too many answers wait.
    mutating func canAnswer(_ request: UInt64, on index: Int) -> Bool {
        if canAnswer(index) { return true }
        let text = "too many answers are waiting to be read: read them, then ask again"
        refuse(Refusal(code: .overload, text: text, advice: .after, after: 1_000), request, on: index)
        return false
    }
}
