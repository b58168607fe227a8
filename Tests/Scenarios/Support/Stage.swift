import Foundation
import Rollcall
import RollcallCalls
import Synchronization
import TestSupport
import Testing

/// A relay in a process of its own, and the sessions of a scenario in this one.
///
/// ```swift
/// try await Stage.run("--grace", "1s") { stage in
///     let ana = try await stage.join("ana")
///     try await ana.perform(.raiseHand)
///     let ben = try await stage.join("ben")
///     #expect(ben.view["ana"]?.handAt == ana.view["ana"]?.handAt)
/// }
/// ```
///
/// A scenario waits for what is heard (``Recorder/until(_:times:)``), for answers (``Member/perform(_:)``) or for the
/// network (``FaultProxy/until(_:patience:_:)``), never for time. At its end ``run(_:sourceLocation:_:)`` holds for
/// everybody who is still in that their session shows what the relay says, and that their app's books agree.
final class Stage: Sendable {
    /// The call.
    static let call = "standup"

    /// Clients that wait long, so that a test's verdict does not depend on how busy the machine is.
    static let patient: ClientOptions = {
        var options = ClientOptions()
        options.connectTimeout = .seconds(120)
        options.handshakeTimeout = .seconds(120)
        return options
    }()

    private struct State {
        var relay: RelayProcess
        var members: [Member] = []
    }

    private let options: [String]
    private let state: Mutex<State>

    private init(options: [String]) async throws {
        self.options = options
        state = Mutex(State(relay: try await RelayProcess(options: options, scratch: Scratch())))
    }

    /// Plays a scenario with a relay of its own, and judges everybody at its end.
    ///
    /// - Parameter options: More options of the relay; its times are long unless said otherwise.
    static func run(
        _ options: String...,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ play: (Stage) async throws -> Void
    ) async throws {
        try await run(options: options, sourceLocation: sourceLocation, play)
    }

    /// Plays a scenario with a relay of its own, and judges everybody at its end.
    static func run(
        options: [String],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ play: (Stage) async throws -> Void
    ) async throws {
        let stage = try await Stage(options: options)
        try await play(stage)
        for fault in try await stage.faults() { Issue.record("\(fault)", sourceLocation: sourceLocation) }
        for member in stage.members { await member.session.leave() }
        stage.relay.send(SIGTERM)
        #expect(await stage.relay.end() == 0, sourceLocation: sourceLocation)
    }

    // MARK: The relay

    /// The relay of now.
    var relay: RelayProcess { state.withLock { $0.relay } }

    /// Ends the relay with a signal, and starts another on the same socket: SIGTERM is in good order, SIGKILL is a
    /// crash.
    func restart(_ signal: Int32 = SIGTERM) async throws {
        try await stopRelay(signal)
        try await startRelay()
    }

    /// Ends the relay with a signal.
    func stopRelay(_ signal: Int32 = SIGTERM) async throws {
        relay.send(signal)
        _ = await relay.end()
    }

    /// Starts a relay again, on the same socket.
    func startRelay() async throws {
        let started = try await RelayProcess(options: options, scratch: relay.scratch)
        state.withLock { $0.relay = started }
    }

    /// The call as the relay has it; nil when nobody is in it.
    func peek() async throws -> CallSnapshot? {
        do throws(RollcallError) {
            return try await RollcallClient(relay.address, options: Stage.patient).peek(Stage.call)
        } catch {
            if error.code == .noSuchCall { return nil }
            throw error
        }
    }

    /// A network of its own for who is told to use it: it works until it is told to fail.
    func network(_ kind: FaultProxy.Kind = .unix) throws -> FaultProxy {
        try FaultProxy(to: relay.address, kind)
    }

    /// A client that may act for others, as a media server may.
    func bot() async throws -> Call {
        let bot = Identity(uid: "bot", device: "bot")
        return try await RollcallClient(relay.address, options: Stage.patient).observe(Stage.call, as: bot)
    }

    // MARK: The people

    /// Everybody who was ever on the stage.
    var members: [Member] { state.withLock { $0.members } }

    /// Somebody with an app, who has not joined yet.
    ///
    /// - Parameters:
    ///   - device: Stable id of the device.
    ///   - network: What fails when told to; nil is a good network.
    ///   - isJudged: Whether an app that believes the callbacks must have the session's state.
    ///   - isCrowd: Whether it is one of very many, whose app looks at nothing.
    ///   - change: Other ways to connect than the usual.
    func add(
        _ uid: String,
        device: String = "phone",
        over network: FaultProxy? = nil,
        isJudged: Bool = true,
        isCrowd: Bool = false,
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) -> Member {
        var options = Stage.patient
        // Each is an app of its own.
        options.instance = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        change(&options)
        let client = RollcallClient(network?.address ?? relay.address, options: options)
        let member = Member(uid, device: device, client: client, network: network, isJudged: isJudged, isCrowd: isCrowd)
        state.withLock { $0.members.append(member) }
        return member
    }

    /// Somebody with an app, who has joined: the state is complete and was told.
    @discardableResult
    func join(
        _ uid: String,
        device: String = "phone",
        over network: FaultProxy? = nil,
        isJudged: Bool = true,
        isCrowd: Bool = false,
        _ settings: SessionSettings = .make()
    ) async throws -> Member {
        let member = add(uid, device: device, over: network, isJudged: isJudged, isCrowd: isCrowd)
        try await member.join(settings)
        return member
    }

    // MARK: The end

    /// Waits until everybody whose connection lives has heard of everything that has happened until now.
    ///
    /// Somebody comes into the call, and leaves again when all have heard of it: whoever has heard that too has heard
    /// all before. Not for a call that keeps new people out.
    func settle() async throws {
        let live = members.filter { $0.session.isCallSessionActive() && !$0.session.isReconnecting }
        if live.isEmpty { return }
        let marker = Identity(uid: Marker.uid, name: Marker.uid)
        let call = try await RollcallClient(relay.address, options: Stage.patient).join(Stage.call, as: marker)
        for member in live { try await member.recorder.untilMarked(isPresent: true) }
        await call.leave()
        for member in live {
            try await member.recorder.untilMarked(isPresent: false)
            await member.drain()
        }
    }

    /// What is wrong at the end.
    private func faults() async throws -> [String] {
        try await settle()
        var faults: [String] = []
        let relay = try await peek().map { View($0).shared }
        for member in members {
            faults += member.recorder.faults().map { "\(member): \($0)" }
            guard member.session.isCallSessionActive(), !member.session.isReconnecting else { continue }
            guard let relay else {
                faults.append("\(member) is in a call that the relay does not have")
                continue
            }
            faults += member.view.shared.differences(from: relay).map { "\(member) differs from the relay: \($0)" }
        }
        return faults
    }
}

/// Somebody of the stage's own who marks a moment; tests do not hear of it.
enum Marker {
    static let uid = "~stage"

    /// Whether a callback tells of it.
    static func isAbout(_ heard: Heard) -> Bool {
        if case .list(let uids) = heard { return uids.contains(uid) }
        return heard.uid == uid
    }
}
