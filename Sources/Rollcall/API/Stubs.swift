import CallState
import RollcallProtocol

// Shape only; replaced by the next commits.
final class CallDriver: Sendable {
    let session: String
    let address: Address
    let isObserver: Bool
    init(session: String, address: Address, isObserver: Bool) {
        self.session = session
        self.address = address
        self.isObserver = isObserver
    }
    var snapshot: CallSnapshot { fatalError("pending") }
    var position: Position { fatalError("pending") }
    var digest: UInt64 { fatalError("pending") }
    var rights: Rights { fatalError("pending") }
    var joined: Joined { fatalError("pending") }
    var connectionState: ConnectionState { fatalError("pending") }
    var pendingCommands: Int { fatalError("pending") }
    func abandon() {}
    func leave(reason: LeaveReason) async {}
    func speaking(_ speaking: Speaking) {}
    func resync() {}
    func cutLink() {}
    func perform(_ settings: [Setting]) async throws(RollcallError) -> Position { fatalError("pending") }
    func snapshot(after: UInt64?, isolation: isolated (any Actor)?) async -> (CallSnapshot, UInt64)? { nil }
    func connection(after: UInt64?, isolation: isolated (any Actor)?) async -> (ConnectionState, UInt64)? { nil }
}

extension RollcallClient {
    func attend(
        _ mode: JoinMode,
        session: String,
        identity: Identity,
        status: Status,
        options: JoinOptions
    ) async throws(RollcallError) -> Call { fatalError("pending") }
}

struct RelayQuery {
    init(_ client: RollcallClient, _ purpose: String) {}
    func calls() async throws(RollcallError) -> [CallSummary] { fatalError("pending") }
    func connections() async throws(RollcallError) -> [ConnectionInfo] { fatalError("pending") }
    func peek(_ session: String) async throws(RollcallError) -> CallSnapshot { fatalError("pending") }
    func roundTrip() async throws(RollcallError) -> Duration { fatalError("pending") }
}

final class FrameLink: Sendable {
    let place: String
    let ended = RollcallError(code: .linkLost, message: "")
    init(address: Address) { place = "\(address)" }
    func open(timeout: Duration) async throws(RollcallError) {}
    func send(_ frame: ClientFrame) {}
    func send(bytes: [UInt8]) {}
    func receive() async throws(RollcallError) -> ServerFrame? { nil }
    func close() {}
}

extension CallUpdate {
    static func events(from: CallSnapshot?, to: CallSnapshot) -> [Event] { [] }
}

extension RollcallError {
    init(_ refusal: Refusal, place: String) { self.init(code: Code(refusal.code), message: refusal.text) }
    static func unexpectedFrame(_ what: String, place: String) -> RollcallError { .cancelled(what) }
}
