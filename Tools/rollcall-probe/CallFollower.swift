import CallState
import Rollcall
import RollcallProtocol
import ToolSupport

/// An observer of a call that hands over every frame and everything that may end a command, as one sequence.
///
/// A reader that is too slow loses the oldest frames; the states in the later ones still tell the sum.
final class CallFollower {
    /// What comes.
    enum Event: Sendable {
        /// A frame, and what it did to the copy.
        case frame(FrameTrace)
        /// The connection changed.
        case connection(ConnectionState)
        /// Something ends the command.
        case signal(Signals)
    }

    /// What comes, in order.
    let events: AsyncStream<Event>
    /// Where the join was complete: what comes after it is news.
    let start: Position
    /// The call.
    let call: Call

    private let watch: Signals.Watch
    private let connections: Task<Void, Never>

    /// Observes `session`.
    init(_ session: String, _ context: ProbeContext, until time: Duration?) async throws(ToolError) {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(4096))
        self.events = events
        let client = context.client { continuation.yield(.frame($0)) }
        let call = try await context.ask { () throws(RollcallError) in try await client.observe(session) }
        self.call = call
        start = call.joined.position
        watch = Signals.watch(until: time) { continuation.yield(.signal($0)) }
        let updates = call.connectionUpdates
        connections = Task {
            for await state in updates { continuation.yield(.connection(state)) }
        }
    }

    /// Leaves the call and stops.
    func end() async {
        await call.leave()
        watch.cancel()
        connections.cancel()
        await connections.value
    }
}
