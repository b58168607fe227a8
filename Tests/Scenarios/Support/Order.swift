import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

/// What an app was told, without what may differ between two orders: who is local, and the places of slots.
struct Told: Hashable {
    /// One thing that was told.
    enum Item: Hashable {
        case joined(String)
        case left(String)
        case audio(String, isMuted: Bool)
        case video(String, isPaused: Bool)
        case presenting(String, Bool)
        case hand(String, isUp: Bool)
        case reconnecting(String, Bool)
        case recording(Bool)
        case meeting(Bool)
        case title(String)
    }

    var items: [Item]

    init(_ events: [CallUpdate.Event]) {
        items = events.compactMap { event in
            switch event {
            case .joined(let person): .joined(person.uid)
            case .left(let person, _): .left(person.uid)
            case .audio(let person, let audio): .audio(person.uid, isMuted: audio == .muted)
            case .video(let person, let video): .video(person.uid, isPaused: video == .paused)
            case .presenting(let person, let isOn): .presenting(person.uid, isOn)
            case .hand(let person, let change): .hand(person.uid, isUp: change != .lowered)
            case .reconnecting(let person, let isOn): .reconnecting(person.uid, isOn)
            case .recording(let recording): .recording(recording != nil)
            case .meeting(let meeting): .meeting(meeting != nil)
            case .title(let title): .title(title)
            default: nil
            }
        }
    }

    /// The same, whatever came first.
    var sorted: [String] { items.map { "\($0)" }.sorted() }

    /// What no app may ever be told: somebody who leaves or changes without being there, who comes twice, who keeps the
    /// hand or the screen in leaving, or a start after a start.
    var faults: [String] {
        var faults: [String] = []
        var present: [String: Set<Item>] = [:]
        func flip(_ uid: String, _ on: Item, _ isOn: Bool) {
            guard let flags = present[uid] else { return faults.append("\(on) of somebody who is not there") }
            if flags.contains(on) == isOn { faults.append("\(on) twice") }
            if isOn { present[uid]?.insert(on) } else { present[uid]?.remove(on) }
        }
        var isRecording = false
        for item in items {
            switch item {
            case .joined(let uid):
                if present.updateValue([], forKey: uid) != nil { faults.append("\(uid) joined twice") }
            case .left(let uid):
                guard let flags = present.removeValue(forKey: uid) else {
                    faults.append("\(uid) left without having joined")
                    continue
                }
                if flags.contains(.hand(uid, isUp: true)) { faults.append("\(uid) left with the hand up") }
                if flags.contains(.presenting(uid, true)) { faults.append("\(uid) left presenting") }
            case .audio(let uid, let isOn): flip(uid, .audio(uid, isMuted: true), isOn)
            case .video(let uid, let isOn): flip(uid, .video(uid, isPaused: true), isOn)
            case .presenting(let uid, let isOn): flip(uid, .presenting(uid, true), isOn)
            case .hand(let uid, let isOn): flip(uid, .hand(uid, isUp: true), isOn)
            case .reconnecting(let uid, let isOn): flip(uid, .reconnecting(uid, true), isOn)
            case .recording(let isOn):
                if isOn == isRecording { faults.append("recording \(isOn) twice") }
                isRecording = isOn
            case .meeting, .title: continue
            }
        }
        return faults
    }
}

extension ScriptedWorld {
    /// Follows every order, holds at each end what must hold at all of them, and shows it.
    ///
    /// At the end everybody who is still in has the same state as the relay and as somebody who joins only now; each app
    /// was told that state and nothing that can't be.
    @discardableResult
    func everyOrder(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (CallWorld) throws -> Void = { _ in }
    ) throws -> Int {
        let count = try Interleavings(from: self).forEach { end, order in
            let before = end.faults
            if !before.isEmpty {
                Issue.record("\(before.joined(separator: "; ")) after \(order)", sourceLocation: sourceLocation)
                throw Stopped()
            }
            try body(end.world)
        }
        return count.orders
    }

    /// One order is enough to see.
    struct Stopped: Error {}

    /// What is wrong at the end of an order.
    private var faults: [String] {
        var faults: [String] = []
        for (client, script) in scripts where !script.isEmpty && world.clients[client].closeReason == nil {
            faults.append("client \(client) could not do \(script)")
        }
        var world = world
        world.looksAtOnce = true
        let late = world.add(uid: "", device: "") { $0.mode = .observer }
        world.start(late)
        world.settle()
        let relay = world.clients[late].core
        for (number, client) in world.clients.enumerated() where client.closeReason == nil && number != late {
            let core = client.core
            if core.confirmed.position != relay.confirmed.position || core.confirmed.digest != relay.confirmed.digest {
                faults.append("client \(number) is at \(core.confirmed.position), not \(relay.confirmed.position)")
            }
            if client.resyncs > 0 { faults.append("client \(number) had to ask for a snapshot") }
        }
        for (number, client) in world.clients.enumerated() {
            let told = Told(client.app.events)
            faults += told.faults.map { "client \(number): \($0)" }
            guard client.closeReason == nil else { continue }
            var fresh = WorldApp()
            fresh.look(at: client.core.snapshot)
            if Summary(told) != Summary(Told(fresh.events)) { faults.append("client \(number) was told another state") }
        }
        return faults
    }
}

/// Where all that was told ends.
private struct Summary: Hashable {
    private var present: [String: Set<Told.Item>] = [:]
    private var isRecording = false

    init(_ told: Told) {
        for item in told.items {
            switch item {
            case .joined(let uid): present[uid] = []
            case .left(let uid): present[uid] = nil
            case .audio(let uid, let isOn): set(uid, .audio(uid, isMuted: true), isOn)
            case .video(let uid, let isOn): set(uid, .video(uid, isPaused: true), isOn)
            case .presenting(let uid, let isOn): set(uid, .presenting(uid, true), isOn)
            case .hand(let uid, let isOn): set(uid, .hand(uid, isUp: true), isOn)
            case .reconnecting(let uid, let isOn): set(uid, .reconnecting(uid, true), isOn)
            case .recording(let isOn): isRecording = isOn
            case .meeting, .title: continue
            }
        }
    }

    private mutating func set(_ uid: String, _ flag: Told.Item, _ isOn: Bool) {
        if isOn { present[uid]?.insert(flag) } else { present[uid]?.remove(flag) }
    }
}
