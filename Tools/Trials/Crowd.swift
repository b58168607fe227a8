import CallState
import Rollcall
import RollcallProtocol

/// Many clients of one process, in several calls.
struct Crowd: Sendable {
    /// One client.
    struct Member: Sendable {
        let uid: String
        let session: String
        let call: Call
    }

    let members: [Member]
    let sessions: [String]

    /// The sessions of `calls` calls.
    static func sessions(_ calls: Int) -> [String] { (0..<calls).map { "call-\($0)" } }

    /// Joins `count` people, spread over the calls.
    static func join(
        _ count: Int,
        calls: Int,
        at address: Address,
        options: ClientOptions = ClientOptions(),
        _ book: FrameBook
    ) async throws -> Crowd {
        let sessions = sessions(calls)
        var members: [Member] = []
        // Not all at once: the first of a call has to begin it, and a listener's queue is finite.
        for begin in stride(from: 0, to: count, by: 50) {
            let batch = begin..<min(count, begin + 50)
            let joined = try await withThrowingTaskGroup(of: (Int, Member).self) { group in
                for number in batch {
                    group.addTask {
                        let session = sessions[number % sessions.count]
                        var identity = Identity(uid: "u\(number)", name: "Person \(number)")
                        identity.device = "d"
                        var options = options
                        options.onFrame = { book.note($0, from: number) }
                        let client = RollcallClient(address, options: options)
                        let call = try await client.join(session, as: identity)
                        return (number, Member(uid: "u\(number)", session: session, call: call))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            members += joined.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return Crowd(members: members, sessions: sessions)
    }

    /// Waits until every client is live again.
    func waitUntilLive() async throws {
        try await withThrowingTaskGroup { group in
            for member in members { group.addTask { try await Self.waitUntilLive(member.call) } }
            try await group.waitForAll()
        }
    }

    /// Waits until every client was attached again since `joins` were counted, and is live.
    func waitUntilBack(_ book: FrameBook, since joins: [Int]) async throws {
        try await withThrowingTaskGroup { group in
            for (index, member) in members.enumerated() {
                group.addTask { try await Self.waitUntilBack(member.call, index, book, since: joins[index]) }
            }
            try await group.waitForAll()
        }
    }

    /// Waits until one client, the book's `index`, was attached again and is live.
    static func waitUntilBack(_ call: Call, _ index: Int, _ book: FrameBook, since joins: Int) async throws {
        // Its answer is in the book before the connection is told to be live.
        for await state in call.connectionUpdates {
            if state.isLive, book.joins(of: index) > joins { return }
            if case .closed(let reason) = state { throw TrialFailure("a client was ended: \(reason)") }
        }
    }

    static func waitUntilLive(_ call: Call) async throws {
        for await state in call.connectionUpdates {
            if state.isLive { return }
            if case .closed(let reason) = state { throw TrialFailure("a client was ended: \(reason)") }
        }
    }

    /// A change of each call that everybody in it sees: after it, all that came before has been seen too.
    ///
    /// Gives how many copies differ from the first of their call.
    func settle(_ mark: Int) async throws -> Int {
        let value = Array("\(mark)".utf8)
        for session in sessions {
            guard let first = members.first(where: { $0.session == session }) else { continue }
            _ = try await first.call.setCallAttribute("mark", value)
        }
        try await withThrowingTaskGroup { group in
            for member in members { group.addTask { try await Self.wait(for: value, on: member.call) } }
            try await group.waitForAll()
        }
        var different = 0
        for session in sessions {
            let states = members.filter { $0.session == session }.map { $0.call.state.confirmed }
            guard let first = states.first else { continue }
            different += states.count { state in
                state.position != first.position || state.digest != first.digest || state.people != first.people
                    || state.recomputedDigest != first.digest
            }
        }
        return different
    }

    private static func wait(for value: [UInt8], on call: Call) async throws {
        func isThere(_ state: CallSnapshot) -> Bool {
            state.attributes.contains { $0.key.string == "mark" && $0.value == value }
        }
        if isThere(call.state) { return }
        for await update in call.updates where isThere(update.state) { return }
        throw TrialFailure("a client was ended before it saw the mark")
    }

    /// Everybody leaves.
    func leave() async {
        await withTaskGroup { group in
            for member in members { group.addTask { await member.call.leave() } }
        }
    }
}
