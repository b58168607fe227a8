import CallState
import Rollcall

/// What the relay has acknowledged, by client: each sets a number that rises.
final class Ledger: Sendable {
    private struct State: Sendable {
        /// The highest number that each was promised.
        var numbers: [Int]
        var total = 0
    }

    private let state: Watched<State>

    /// Nothing was acknowledged to `count` clients.
    init(count: Int) {
        state = Watched(State(numbers: Array(repeating: 0, count: count)))
    }

    /// How many commands were acknowledged.
    var total: Int { state.now.total }

    /// The relay has acknowledged that a client has set `number`.
    func acknowledge(_ number: Int, _ client: Int) {
        state.change { state in
            state.numbers[client] = max(state.numbers[client], number)
            state.total += 1
        }
    }

    /// Waits until so many more commands were acknowledged; for one at a time.
    func wait(forMore count: Int) async throws {
        let wanted = total + count
        try await state.wait { $0.total >= wanted }
    }

    /// How many clients' numbers are older than they were promised, in what a stranger is told of each call; those are
    /// believed from now on.
    ///
    /// A client's own copy would prove nothing: it shows what the client has asked for.
    func lost(_ crowd: Crowd, at address: Address) async throws -> Int {
        // First: what is promised later may be missing in what is seen.
        let promised = state.now.numbers
        var lost = 0
        for session in crowd.sessions {
            let stated = try await RollcallClient(address).peek(session).confirmed
            for (index, member) in crowd.members.enumerated() where member.session == session {
                let seen = Self.number(of: member.uid, in: stated)
                guard seen < promised[index] else { continue }
                lost += 1
                state.change { $0.numbers[index] = seen }
            }
        }
        return lost
    }

    private static func number(of uid: String, in state: CallState) -> Int {
        let value = state.person(uid: ByteString(uid))?.attributes.first { $0.key == "n" }?.value ?? []
        return Int(String(decoding: value, as: UTF8.self)) ?? 0
    }
}
