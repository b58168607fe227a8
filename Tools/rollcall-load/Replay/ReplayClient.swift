import CallState
import Rollcall
import RollcallProtocol
import Traces

/// One client of the library in a replay: one connection, one device.
struct ReplayClient: Sendable {
    /// Who it is, for reports.
    let name: String
    /// The call as it sees it.
    let call: Call

    /// Waits until its state has reached `position`.
    ///
    /// - Returns: false when that took longer than `time`, or its call is over.
    func reach(_ position: Position, within time: Duration = .seconds(30)) async throws -> Bool {
        try await poll(within: time) {
            if call.position >= position { return true }
            return call.connection.isClosed ? false : nil
        } ?? false
    }
}

/// Asks again and again until there is an answer; nil when there was none in time.
///
/// The first tries come at once, since most answers are there within a fraction of a millisecond.
func poll<Answer>(within time: Duration, _ ask: () async throws -> Answer?) async throws -> Answer? {
    let deadline = ContinuousClock.Instant.in(time)
    var tries = 0
    while true {
        if let answer = try await ask() { return answer }
        if .now >= deadline { return nil }
        tries += 1
        if tries < 20 {
            await Task.yield()
        } else {
            try await Task.sleep(for: tries < 200 ? .microseconds(100) : .milliseconds(2))
        }
    }
}

/// Opens the connections of one replay, each with its own identity as a program.
struct ReplayDoor: Sendable {
    let address: Address
    let session: String
    let lags: LagBoard
    let snapshots: SnapshotCounter
    /// Whether arrivals and snapshots are measured; with hundreds of clients that costs more than it tells.
    let isMeasured: Bool

    /// Joins as a device.
    func join(_ device: TraceDevice, _ facts: InitialFacts) async throws -> ReplayClient {
        let status = Status(audio: facts.audioMuted ? .muted : .on, video: facts.videoPaused ? .paused : .on)
        // Nobody waits for a device that was cut, and a call with one person in it goes on: traces have both.
        let call = try await client().join(
            session,
            as: Identity(uid: device.uid, device: device.device),
            status: status,
            options: JoinOptions(grace: .zero, idle: .zero)
        )
        return ReplayClient(name: "\(device)", call: call)
    }

    /// Watches; with a name that a client may have who acts for others.
    func observe(_ name: String) async throws -> ReplayClient {
        let call = try await client().observe(session, as: Identity(uid: name, device: "load"))
        return ReplayClient(name: name, call: call)
    }

    /// The relay's own word on the call; an empty call is nil.
    func peek() async throws(RollcallError) -> CallSnapshot? {
        do {
            return try await client().peek(session)
        } catch  where error.code == .noSuchCall {
            return nil
        }
    }

    private func client() -> RollcallClient {
        var options = ClientOptions()
        options.clientName = "rollcall-load"
        // Each device is a program of its own, so that a takeover is one.
        options.instance = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        // A link that is lost without being cut on purpose is a fault.
        options.reconnect = .never
        if isMeasured { options.onFrame = measure }
        return RollcallClient(address, options: options)
    }

    private var measure: @Sendable (FrameTrace) -> Void {
        { [lags, snapshots] trace in
            switch trace.frame {
            case .delta where trace.before.position != trace.after.position:
                lags.arrived(trace.after.position)
            case .part(let part):
                // The encoding is canonical: these are the bytes that came.
                var bytes: [UInt8] = []
                trace.frame.encode(into: &bytes)
                snapshots.count(bytes: bytes.count, isLast: part.end != nil)
            default: break
            }
        }
    }
}
