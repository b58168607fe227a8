import CallState
import RollcallProtocol

/// One question to a relay, on a connection of its own.
struct RelayQuery {
    private let client: RollcallClient
    private let purpose: String

    init(_ client: RollcallClient, _ purpose: String) {
        self.client = client
        self.purpose = purpose
    }

    func calls() async throws(RollcallError) -> [CallSummary] {
        let connection = try await open()
        defer { connection.close() }
        var calls: [CallSummary] = []
        while true {
            connection.send(.list(request: 1, after: calls.last?.session ?? .empty))
            let page = try await answer(on: connection) { frame -> (calls: [CallSummary], more: Bool)? in
                if case .calls(_, let calls, let more) = frame { (calls, more) } else { nil }
            }
            calls += page.calls
            // A page without a call that promises more would go on for ever.
            if !page.more || page.calls.isEmpty { return calls }
        }
    }

    func connections() async throws(RollcallError) -> [ConnectionInfo] {
        let connection = try await open()
        defer { connection.close() }
        var infos: [ConnectionInfo] = []
        while true {
            connection.send(.inspect(request: 1, after: infos.last?.number ?? 0))
            let page = try await answer(on: connection) { frame -> (infos: [ConnectionInfo], more: Bool)? in
                if case .connections(_, let infos, let more) = frame { (infos, more) } else { nil }
            }
            infos += page.infos
            if !page.more || page.infos.isEmpty { return infos }
        }
    }

    func peek(_ session: String) async throws(RollcallError) -> CallSnapshot {
        let connection = try await open()
        defer { connection.close() }
        connection.send(.peek(session: ByteString(session), request: 1))
        let head = try await answer(on: connection) { frame -> SnapshotHead? in
            if case .snapshot(let head) = frame { head } else { nil }
        }
        var assembly = SnapshotAssembly(head, maximum: client.options.maximumSnapshot)
        while true {
            let part = try await answer(on: connection) { frame -> SnapshotPart? in
                if case .part(let part) = frame { part } else { nil }
            }
            var copy = CallState()
            guard assembly.append(part) else { throw wrongSnapshot() }
            guard let end = part.end else { continue }
            if assembly.replace(&copy, end: end) != nil { throw wrongSnapshot() }
            return CallSnapshot(confirmed: copy, session: session, overlay: Overlay(), own: OwnSlots())
        }
    }

    func attendance(
        _ filter: AttendanceFilter,
        limit: Int,
        at place: AttendancePlace,
        people: AttendancePeople
    ) async throws(RollcallError) -> AttendancePage {
        let query = try query(filter, limit: limit, at: place, people: people)
        let connection = try await open()
        defer { connection.close() }
        var collection = AttendanceCollection(query, limit: limit, room: client.options.maximumSnapshot)
        var next = collection.first
        while true {
            connection.send(.attendance(request: 1, next))
            let report = try await answer(on: connection) { frame -> AttendanceReport? in
                if case .attendance(_, let report) = frame { report } else { nil }
            }
            switch collection.take(report) {
            case .ask(let rest): next = rest
            case .done(let page): return page
            case .broken(let how): throw broken(how)
            case .tooLarge:
                let text = "the call logs are larger than the client takes: ask for fewer meetings, or without people"
                throw RollcallError(code: .limit, message: text, place: self.place)
            }
        }
    }

    /// What to ask; refuses here what a relay would refuse.
    private func query(
        _ filter: AttendanceFilter,
        limit: Int,
        at place: AttendancePlace,
        people: AttendancePeople
    ) throws(RollcallError) -> AttendanceQuery {
        guard (1...Int(AttendanceQuery.maximumLimit)).contains(limit) else {
            let text = "a page of call logs has 1 to \(AttendanceQuery.maximumLimit) meetings, not \(limit)"
            throw RollcallError(code: .invalidArgument, message: text, place: self.place)
        }
        if filter.session?.isEmpty == true || filter.meeting?.isEmpty == true || filter.uid?.isEmpty == true {
            let text = "an empty session, meeting or uid names nothing: leave the condition out for any"
            throw RollcallError(code: .invalidArgument, message: text, place: self.place)
        }
        var query = filter.query
        query.limit = UInt32(limit)
        query.people = people.choice
        switch place {
        case .newest: break
        case .oldest: query.isNewer = true
        case .older(let cursor): query.cursor = cursor.bytes
        case .newer(let cursor):
            query.cursor = cursor.bytes
            query.isNewer = true
        }
        do {
            try ClientFrame.attendance(request: 1, query).check()
        } catch {
            throw RollcallError(
                code: .invalidArgument,
                message: "the value of \(error.field) can't be sent: \(error.detail)",
                place: self.place,
                underlying: error
            )
        }
        return query
    }

    func roundTrip() async throws(RollcallError) -> Duration {
        try checkAddress()
        let connection = try await connect()
        defer { connection.close() }
        let clock = ContinuousClock()
        let start = clock.now
        try await greet(connection)
        return start.duration(to: clock.now)
    }

    private func checkAddress() throws(RollcallError) {
        if let problem = client.address.problem { throw .invalidAddress("\(client.address)", problem) }
    }

    private func open() async throws(RollcallError) -> RawConnection {
        try checkAddress()
        let connection = try await connect()
        try await greet(connection)
        return connection
    }

    private func connect() async throws(RollcallError) -> RawConnection {
        try await RawConnection.open(
            client.address,
            timeout: client.options.connectTimeout,
            reactor: client.options.reactor
        )
    }

    private func greet(_ connection: RawConnection) async throws(RollcallError) {
        try await limited(connection) { () async throws(RollcallError) in
            _ = try await connection.hello(
                clientName: client.options.clientName,
                instance: client.options.instance
            )
        }
    }

    /// Waits for the frame that answers, past those that are for anybody.
    private func answer<Answer>(
        on connection: RawConnection,
        _ pick: (ServerFrame) -> Answer?
    ) async throws(RollcallError) -> Answer {
        try await limited(connection) { () async throws(RollcallError) -> Answer in
            while let frame = try await connection.receive() {
                if let answer = pick(frame) { return answer }
                switch frame {
                case .closed(let refusal), .error(let refusal, request: _):
                    throw RollcallError(refusal, place: place)
                default:
                    continue
                }
            }
            throw connection.link.ended
        }
    }

    /// Waits no longer than a handshake may take.
    private func limited<Answer>(
        _ connection: RawConnection,
        _ body: () async throws(RollcallError) -> Answer
    ) async throws(RollcallError) -> Answer {
        let link = connection.link
        let time = client.options.handshakeTimeout
        let late = RollcallError(
            code: .timedOut,
            message: "the relay did not answer within \(time.milliseconds) ms",
            place: place
        )
        let timer = client.options.reactor.makeTimer { link.giveUp(late) }
        timer.set(Platform.now + time.milliseconds)
        defer { timer.cancel() }
        return try await body()
    }

    private var place: String { "\(purpose) at \(client.address)" }

    private func wrongSnapshot() -> RollcallError { broken("its snapshot is not whole, or its digest is wrong") }

    private func broken(_ how: String) -> RollcallError {
        RollcallError(code: .protocolViolation, message: "the relay broke the protocol: \(how)", place: place)
    }
}
