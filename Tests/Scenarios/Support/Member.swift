import Foundation
import Rollcall
import RollcallCalls
import TestSupport

/// Somebody on a ``Stage``: a session, the app that listens to it, and the network in between.
final class Member: Sendable {
    let uid: String
    let device: String
    let session: CallSession
    let recorder: Recorder
    /// What its connections go over; nil is a good network.
    let network: FaultProxy?
    private let queue: DispatchQueue
    private let client: RollcallClient

    init(_ uid: String, device: String, client: RollcallClient, network: FaultProxy?, isJudged: Bool, isCrowd: Bool) {
        self.uid = uid
        self.device = device
        self.client = client
        self.network = network
        queue = DispatchQueue(label: "callbacks of \(uid)")
        session = CallSession(callbackQueue: queue)
        recorder = Recorder(session, isJudging: isJudged, isCrowd: isCrowd)
        recorder.attach()
    }

    /// Joins, and returns when the state is complete, whether or not it was told.
    func enter(_ settings: SessionSettings = .make()) async throws {
        let identity = Identity(uid: uid, name: uid.capitalized, device: device)
        try await session.join(client: client, sessionID: Stage.call, identity: identity, settings: settings)
    }

    /// Joins, and returns when the state is complete and was told.
    func join(_ settings: SessionSettings = .make()) async throws {
        let before = recorder.count(.sessionJoined)
        try await enter(settings)
        try await recorder.until(.sessionJoined, times: before + 1)
        await drain()
    }

    /// Returns when what is being told has been told: the queue is serial.
    func drain() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    /// Does a command, and returns when the relay has answered.
    func perform(_ command: SessionCommand) async throws {
        try await session.perform(command)
    }

    /// What the session's queries answer now.
    var view: View { View(session) }

    /// The app is slow: its callbacks wait until ``releaseApp()``.
    func holdApp() { queue.suspend() }

    /// The app goes on.
    func releaseApp() { queue.resume() }

    /// Another listener on the same session, from now on.
    func listener() -> Recorder {
        let listener = Recorder(session)
        listener.attach()
        return listener
    }

    /// Waits until the session hears that its connection is lost.
    func untilLost(times: Int = 1) async throws { try await recorder.until(.connectionLost, times: times) }

    /// Waits until the session hears that its connection is made again.
    func untilRestored(times: Int = 1) async throws { try await recorder.until(.connectionRestored, times: times) }
}

extension SessionSettings {
    /// Settings as an app makes them.
    static func make(_ change: (SessionSettingsBuilder) -> SessionSettingsBuilder = { $0 }) -> SessionSettings {
        change(SessionSettingsBuilder()).build()
    }
}

extension Member: CustomStringConvertible {
    var description: String { "\(uid)'s \(device)" }
}
