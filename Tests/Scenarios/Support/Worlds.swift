import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport

// What the worlds of several scenarios begin with, and how they are read.

extension CallWorld {
    /// A call that some people are in, and at rest.
    static func calm(_ uids: ByteString...) -> CallWorld {
        var world = CallWorld(seed: 1)
        for uid in uids { _ = world.addPresent(uid) }
        return world
    }

    /// Somebody who is in already, and at rest.
    mutating func addPresent(
        _ uid: ByteString,
        device: ByteString = "d",
        instance: UInt8 = 3,
        _ change: (inout Join) -> Void = { _ in }
    ) -> Int {
        let client = add(uid: uid, device: device, instance: instance, change)
        start(client)
        settle()
        return client
    }

    /// Somebody whose program dies with its link: it never comes back.
    mutating func addMortal(_ uid: ByteString) -> Int {
        let client = add(uid: uid)
        var join = Join(session: "standup", uid: uid, device: "d")
        join.attempt = 1
        var configuration = ClientConfiguration(instance: [UInt8](repeating: 9, count: 16), join: join)
        configuration.reconnect = .never
        clients[client].core = ClientCore(configuration, seed: 9)
        return client
    }

    /// What the client's app was told.
    func told(_ client: Int) -> Told { Told(clients[client].app.events) }

    /// What a client shows now.
    func shown(_ client: Int) -> CallSnapshot { clients[client].core.snapshot }

    /// The code with which a client's call ended; nil while it goes on, and after leaving.
    func endCode(_ client: Int) -> RollcallError.Code? { clients[client].closeReason?.error?.code }
}

extension ScriptedWorld.Act {
    /// It gives a command, about itself or about somebody else.
    static func set(_ change: Setting.Change, of target: Target? = nil) -> Self {
        .set(Setting(target: target, change))
    }
}

extension Told {
    /// How often somebody came.
    func joins(_ uid: String) -> Int { items.filter { $0 == .joined(uid) }.count }
    /// How often somebody left.
    func lefts(_ uid: String) -> Int { items.filter { $0 == .left(uid) }.count }

    /// The queue of hands of an app that appends and removes as it is told.
    var queue: [String] {
        var queue: [String] = []
        for item in items {
            switch item {
            case .hand(let uid, true): queue.append(uid)
            case .hand(let uid, false), .left(let uid): queue.removeAll { $0 == uid }
            default: continue
            }
        }
        return queue
    }
}

/// Something of the own device or person that is on or off.
enum Toggle: String, CaseIterable, Sendable {
    case microphone, camera, screen, hand

    /// The setting that makes it so.
    func change(isOn: Bool) -> Setting.Change {
        switch self {
        case .microphone: .audioMuted(!isOn)
        case .camera: .videoPaused(!isOn)
        case .screen: .presenting(isOn)
        case .hand: .handRaised(isOn)
        }
    }

    /// Whether it is on.
    func isOn(_ person: CallSnapshot.Person?) -> Bool {
        switch self {
        case .microphone: person?.audio == .on
        case .camera: person?.video == .on
        case .screen: person?.isPresenting == true
        case .hand: person?.hand != nil
        }
    }
}
