import CallState
import Randomness
import RollcallProtocol
import SimulationSupport
import Testing

@testable import Rollcall

/// The client's rules against the relay's own, through bytes.
struct RelayWorldTests {
    @Test func `R-19 a late joiner has everything at once`() {
        var world = CallWorld(seed: Seed.value)
        let ana = world.join(uid: "ana")
        world.settle()
        world.command(ana, [Setting(.handRaised(true))])
        world.command(ana, [Setting(.recording(true))])
        world.command(ana, [Setting(.title("plans"))])
        world.settle()
        let ben = world.join(uid: "ben")
        world.settle()
        let late = world.clients[ben]
        #expect(late.core.phase == .live)
        #expect(late.core.snapshot.title == "plans")
        #expect(late.core.snapshot.raisedHands.map(\.uid) == ["ana"])
        #expect(late.core.snapshot.recording?.uid == "ana")
        #expect(late.core.confirmed.digest == world.clients[ana].core.confirmed.digest)
        #expect(late.core.confirmed.position == world.clients[ana].core.confirmed.position)
    }

    @Test func `R-29 R-72 a cut before the ack: the command happens once`() {
        var world = CallWorld(seed: Seed.value)
        let ana = world.join(uid: "ana")
        world.settle()
        let token = world.command(ana, [Setting(.handRaised(true))])
        // Everything reaches the relay, and nothing comes back.
        if let link = world.link(of: ana) { world.deliverToRelay(link) }
        world.endTurn()
        world.cut(ana)
        world.pass(3_000)
        #expect(world.clients[ana].core.phase == .live)
        #expect(world.clients[ana].results[token] != nil)
        #expect(world.clients[ana].core.snapshot.me?.hand == 1)
        #expect(world.clients[ana].core.commands.count == 0)
    }

    @Test func `R-31 a device that was away for too long begins anew, and its facts hold`() {
        var world = CallWorld(seed: Seed.value)
        let ana = world.join(uid: "ana")
        let ben = world.join(uid: "ben")
        world.settle()
        world.cut(ana)
        let fact = world.command(ana, [Setting(.audioMuted(false))])
        let title = world.command(ana, [Setting(.title("t"))])
        // The client sleeps through its grace.
        let waiting = world.clients[ana].core
        world.clients[ana].core = ClientCore(
            ClientConfiguration(
                instance: [UInt8](repeating: 3, count: 16),
                join: Join(session: "x", uid: "x", device: "x")
            ),
            seed: 1
        )
        world.pass(20_000)
        #expect(world.clients[ben].core.snapshot.people.map(\.uid) == ["ben"])
        world.clients[ana].core = waiting
        world.pass(1_000)
        #expect(world.clients[ana].core.phase == .live)
        #expect(world.clients[ana].core.snapshot.me?.audio == .on)
        if case .success = world.clients[ana].results[fact] {} else { Issue.record("the fact did not hold") }
        if case .failure(let error) = world.clients[ana].results[title] {
            #expect(error.code == .expired)
        } else {
            Issue.record("the title was not expired")
        }
        #expect(world.clients[ben].core.snapshot.people.map(\.uid) == ["ben", "ana"])
    }

    @Test(arguments: 0..<12)
    func `random lives end in equal copies`(run: Int) {
        let seed = Seed.value &+ UInt64(run)
        var world = CallWorld(seed: seed)
        for index in 0..<5 { world.join(uid: ByteString("p\(index % 4)"), device: ByteString("d\(index)")) }
        world.join(uid: "", device: "") { $0.mode = .observer }
        for _ in 0..<150 {
            let index = Int.random(in: 0..<world.clients.count, using: &world.random)
            switch Int.random(in: 0..<20, using: &world.random) {
            case 0..<10: world.command(index, [world.randomSetting()])
            case 10..<14: world.turn()
            case 14: world.cut(index)
            case 15: world.pass(UInt64.random(in: 1...3_000, using: &world.random))
            case 16: world.resync(index)
            case 17:
                if world.clients.count < 10 {
                    let number = world.clients.count
                    world.join(uid: ByteString("p\(number % 6)"), device: ByteString("d\(number)"))
                }
            case 18: world.leave(index)
            default: world.settle()
            }
        }
        world.pass(40_000)
        let live = world.clients.filter { $0.core.phase == .live }
        let digests = Set(live.map(\.core.confirmed.digest))
        let positions = Set(live.map(\.core.confirmed.position))
        #expect(digests.count <= 1 && positions.count <= 1, "seed \(seed)")
        for (index, client) in world.clients.enumerated() {
            let isOver = client.closeReason != nil
            #expect(isOver || client.core.phase == .live, "client \(index), seed \(seed)")
            #expect(client.core.commands.count == 0 || isOver, "client \(index), seed \(seed)")
            #expect(client.core.overlay == Overlay(), "client \(index), seed \(seed)")
            if isOver { continue }
            #expect(Story(client.app.events) == Story(client.core.snapshot), "client \(index), seed \(seed)")
        }
    }
}

extension CallWorld {
    mutating func randomSetting() -> Setting {
        let uid = "p\(Int.random(in: 0..<6, using: &random))"
        let flag = random.oneIn(2)
        return switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: Setting(.audioMuted(flag))
        case 2: Setting(.videoPaused(flag))
        case 3: Setting(.presenting(flag))
        case 4, 5: Setting(.handRaised(flag))
        case 6: Setting(.name(ByteString("name \(random.below(9))")))
        case 7: Setting(.attribute(Attribute(key: flag ? "a" : "b", value: random.oneIn(2) ? [1] : nil)))
        case 8: Setting(target: .person(uid), .audioMuted(true))
        case 9: Setting(target: .person(uid), .handRaised(false))
        case 10: Setting(target: .person(uid), .audioLocked(flag))
        case 11: Setting(.recording(flag))
        case 12: Setting(.spotlight(flag ? [ByteString(uid)] : []))
        default: Setting(.standingMute(flag))
        }
    }
}

/// What somebody knows of a call who keeps books by events alone, from rest, as the apps of call SDKs do.
private struct Story: Equatable {
    struct Person: Equatable {
        var isMuted = false
        var isPaused = false
        var isPresenting = false
        var isHandUp = false
        var name = ""
        var attributes: [ByteString: [UInt8]] = [:]
        var devices: Set<Slot> = []
    }

    var people: [Slot: Person] = [:]
    var isRecorded = false
    var faults: [String] = []

    init(_ snapshot: CallSnapshot) {
        for person in snapshot.people {
            people[person.slot] = Person(
                isMuted: person.audio == .muted,
                isPaused: person.video == .paused,
                isPresenting: person.isPresenting,
                isHandUp: person.hand != nil,
                name: person.name,
                attributes: Dictionary(uniqueKeysWithValues: person.attributes.map { ($0.key, $0.value) }),
                devices: Set(person.devices.map(\.slot))
            )
        }
        isRecorded = snapshot.recording != nil
    }

    init(_ events: [CallUpdate.Event]) {
        for event in events {
            switch event {
            case .joined(let person):
                if people[person.slot] != nil { faults.append("joined twice") }
                var entry = Person()
                entry.name = person.name
                for attribute in person.attributes { entry.attributes[attribute.key] = attribute.value }
                people[person.slot] = entry
            case .left(let person, _):
                let entry = people.removeValue(forKey: person.slot)
                if entry == nil { faults.append("left without joined") }
                if entry?.isHandUp == true || entry?.isPresenting == true { faults.append("left with hand or screen") }
            case .audio(let person, let audio): change(person, \.isMuted, audio == .muted)
            case .video(let person, let video): change(person, \.isPaused, video == .paused)
            case .presenting(let person, let isOn): change(person, \.isPresenting, isOn)
            case .hand(let person, let hand): change(person, \.isHandUp, hand != .lowered)
            case .name(let person, let name): people[person.slot]?.name = name
            case .attribute(let person, let key, let value):
                people[person.slot]?.attributes[ByteString(key)] = value
            case .deviceJoined(let person, let device): people[person.slot]?.devices.insert(device.slot)
            case .deviceLeft(let person, let device, _): people[person.slot]?.devices.remove(device.slot)
            case .recording(let recording):
                if isRecorded == (recording != nil) { faults.append("recording does not alternate") }
                isRecorded = recording != nil
            default: continue
            }
        }
    }

    private mutating func change(_ person: CallSnapshot.Person, _ path: WritableKeyPath<Person, Bool>, _ value: Bool) {
        guard let old = people[person.slot] else { return faults.append("a change of nobody") }
        if old[keyPath: path] == value { faults.append("does not alternate: \(path) of \(person.uid)") }
        people[person.slot]?[keyPath: path] = value
    }
}
