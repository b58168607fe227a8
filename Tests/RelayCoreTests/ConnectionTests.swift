import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("The life of a connection")
struct ConnectionTests {
    @Test("R-8: silence after connecting ends it after the time for Hello")
    func helloTimeout() {
        var world = World()
        let client = world.open()
        world.advance(4_999)
        #expect(world.closed(client) == nil)
        world.advance(1)
        #expect(world.closed(client) == .helloTimeout)
        #expect(world.replica(client).closed?.advice == .now)
        #expect(world.links[client].isClosed)
    }

    @Test("R-8 R-12: frames that are not allowed yet, or twice, are out of order", arguments: earlyFrames)
    func outOfOrder(greets: Bool, frame: ClientFrame) {
        var world = World()
        let client = greets ? world.greet() : world.open()
        world.send(client, frame)
        world.turn()
        #expect(world.closed(client) == .outOfOrder)
        #expect(world.links[client].isClosed)
        // Nothing that comes afterwards counts.
        let id = world.links[client].id
        world.apply(.received(id, .hello(Hello(clientName: "x", instance: Array(repeating: 1, count: 8)))))
        world.turn()
        world.expectHealthy()
    }

    static let earlyFrames: [(Bool, ClientFrame)] = [
        (false, .join(Join(session: "s", uid: "u", device: "d"))),
        (false, .list(request: 1, after: .empty)),
        (false, .authenticate(token: "t")),
        (false, .peek(session: "s", request: 1)),
        (false, .inspect(request: 1, after: 0)),
        (true, .hello(Hello(clientName: "x", instance: Array(repeating: 1, count: 8)))),
        (true, .command(Command(op: 1, settings: []))),
        (true, .speaking(Speaking(on: true))),
        (true, .resync(Resync(position: .zero, reason: .gap))),
        (true, .leave(.left)),
    ]

    @Test("R-12: a second Join ends the connection, and the device has lost its link")
    func secondJoin() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.send(ana, .join(Join(session: "standup", uid: "ana", device: "laptop")))
        world.turn()
        #expect(world.closed(ana) == .outOfOrder)
        #expect(world.device("ana", as: ben)?.link == .reconnecting)
    }

    @Test("R-9: versions", arguments: [(0, 1, Code.badRequest), (2, 1, .badRequest), (2, 3, .unsupported)])
    func versions(low: UInt32, high: UInt32, code: Code) {
        var world = World()
        let client = world.open()
        let instance = [UInt8](repeating: 1, count: 8)
        world.send(client, .hello(Hello(minVersion: low, maxVersion: high, clientName: "x", instance: instance)))
        world.turn()
        #expect(world.closed(client) == code)
    }

    @Test("R-9 R-10: Welcome names the highest common version and the relay's numbers")
    func welcome() {
        var configuration = RelayConfiguration()
        configuration.relayID = "r1"
        configuration.limits.people = 9
        var world = World(configuration)
        let client = world.open()
        let instance = [UInt8](repeating: 1, count: 8)
        world.send(client, .hello(Hello(minVersion: 1, maxVersion: 4, clientName: "x", instance: instance)))
        world.turn()
        guard case .welcome(let welcome)? = world.replica(client).frames.first else {
            Issue.record("no Welcome")
            return
        }
        #expect(welcome.version == 1)
        #expect(welcome.relayID == "r1")
        #expect(welcome.pingInterval == 10_000)
        #expect(welcome.deadAfter == 25_000)
        #expect(welcome.limits.people == 9)
    }

    @Test("R-11: lengths of instance and client name", arguments: [(7, 4), (33, 4), (8, 65)])
    func helloLengths(instance: Int, name: Int) {
        var world = World()
        let client = world.open()
        let hello = Hello(
            clientName: ByteString(Array(repeating: 97, count: name)),
            instance: Array(repeating: 1, count: instance)
        )
        world.send(client, .hello(hello))
        world.turn()
        #expect(world.closed(client) == .badRequest)
    }

    @Test("R-1 R-5 R-7: bytes that are no legal frame get a code and a text that names field and offset")
    func malformed() {
        let cases: [(WireError.Code, Code)] = [
            (.badPreface, .badPreface), (.unknownFrame, .unsupported), (.truncated, .badFrame), (.limit, .badRequest),
        ]
        for (code, expected) in cases {
            var world = World()
            let ana = world.join("ana")
            let ben = world.join("ben")
            let error = WireError(code: code, field: "Join.uid", offset: 17, detail: "too long")
            world.apply(.malformed(world.links[ana].id, error))
            world.apply(.malformed(world.links[ana].id, error))
            world.turn()
            #expect(world.closed(ana) == expected)
            #expect(world.replica(ana).closed?.text == "Join.uid, offset 17: too long")
            #expect(world.replica(ana).closed?.advice == .never)
            #expect(world.device("ana", as: ben)?.link == .reconnecting)
            world.expectHealthy()
        }
    }

    @Test("R-13: a closing connection that does not take its last bytes is cut after a time")
    func closeTimeout() {
        var world = World()
        let client = world.greet()
        world.turn()
        world.links[client].capacity = 0
        world.send(client, .leave(.left))
        world.turn()
        #expect(world.links[client].isClosed == false)
        world.advance(1_999)
        #expect(world.links[client].isClosed == false)
        world.advance(1)
        #expect(world.links[client].isClosed)
    }

    @Test("R-13: a closing connection is closed once its last bytes have left")
    func closesWhenDrained() {
        var world = World()
        let client = world.greet()
        world.turn()
        world.links[client].capacity = 3
        world.send(client, .leave(.left))
        world.turn()
        #expect(world.links[client].isClosed == false)
        world.drain(client)
        world.turn()
        #expect(world.links[client].isClosed)
        #expect(world.closed(client) == .outOfOrder)
    }

    @Test("R-14 R-102: an end without Closed and without Leave is a lost link")
    func lostLink() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.cut(ana)
        let device = world.device("ana", as: ben)
        #expect(device?.link == .reconnecting)
        #expect(device?.reconnectingUntil == world.now.wall + 15_000)
        #expect(device?.isAudioMuted == false)
        world.advance(14_999)
        #expect(world.person("ana", as: ben) != nil)
        world.advance(1)
        #expect(world.person("ana", as: ben) == nil)
        #expect(world.log.contains(.left(session: "standup", uid: "ana", device: "laptop", reason: .lost)))
        world.expectHealthy()
    }

    @Test("R-102: without grace a lost link is a leave")
    func noGrace() {
        var world = World()
        let ana = world.join("ana") { $0.grace = 0 }
        let ben = world.join("ben")
        world.cut(ana)
        #expect(world.person("ana", as: ben) == nil)
        #expect(world.state(ben).removal(of: world.joined(ana).device)?.reason == .lost)
    }

    @Test("R-103: Leave takes the device out at once and is answered by Closed")
    func leave() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let chloe = world.join("chloe")
        world.send(ana, .leave(.unspecified))
        world.send(ben, .leave(.lost))
        world.turn()
        #expect(world.closed(ana) == .left)
        #expect(world.closed(ben) == .left)
        #expect(world.state(chloe).removal(of: world.joined(ana).device)?.reason == .left)
        #expect(world.state(chloe).removal(of: world.joined(ben).device)?.reason == .lost)
        let observer = world.observe()
        world.send(observer, .leave(.left))
        world.turn()
        #expect(world.closed(observer) == .left)
        // Who left is not told of it by a frame of the call.
        #expect(world.person("ana", as: ana) != nil)
        world.expectHealthy()
    }

    @Test("R-70 R-103: what was answered before Leave has its frame before its Ack")
    func ackBeforeLeave() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.send(ana, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        world.send(ana, .leave(.left))
        world.turn()
        #expect(world.replica(ana).acks.map(\.code) == [.ok])
        #expect(world.closed(ana) == .left)
        #expect(world.person("ana", as: ana)?.hand != nil)
        #expect(world.person("ana", as: ben) == nil)
        world.expectHealthy()
    }

    @Test("R-110: Authenticate is refused on an open relay")
    func authenticate() {
        var world = World()
        let client = world.greet()
        world.send(client, .authenticate(token: "t"))
        let ana = world.join("ana")
        world.send(ana, .authenticate(token: "t"))
        world.turn()
        for client in [client, ana] {
            guard case .error(let refusal, request: 0)? = world.replica(client).frames.last else {
                Issue.record("no Error")
                return
            }
            #expect(refusal.code == .unsupported)
            #expect(world.closed(client) == nil)
        }
    }

    @Test("Inputs about connections that are gone, or that the shell has replaced, are harmless")
    func staleNames() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let old = world.links[ana].id
        world.cut(ana)
        world.apply(.closed(old))
        world.apply(.drained(old))
        world.apply(.progress(old, unsent: 4))
        world.apply(.received(old, .leave(.left)))
        world.apply(.malformed(old, WireError(code: .limit, field: "", offset: 0, detail: "x")))
        world.apply(.closed(ConnectionID(index: 999, generation: 1)))
        world.apply(.tick)
        world.turn()
        #expect(world.device("ana", as: ben)?.link == .reconnecting)
        var made: [Effect] = []
        world.core.takeOutput(of: old, at: world.now, into: &made, room: .max) { _ in
            Issue.record("output for a stale name")
        }
        #expect(made.isEmpty)
        // The shell gives the place of ben's connection to another one without a word.
        let replaced = ConnectionID(index: world.links[ben].id.index, generation: 2)
        let chloe = world.join("chloe")
        world.apply(.opened(replaced, Peer(isTrusted: false)))
        world.turn()
        #expect(world.device("ben", as: chloe)?.link == .reconnecting)
        #expect(replaced.number == 2 << 32 | UInt64(replaced.index))
    }

    @Test("Time that goes back counts as the latest one seen, and times in a call never go back")
    func timeGoesBack() {
        var world = World()
        let ana = world.join("ana")
        let began = world.now.wall
        world.now.wall -= 60_000
        world.now.monotonic -= 500
        world.set(ana, Setting(.handRaised(true)))
        #expect(world.person("ana", as: ana)?.hand?.at == began)
        world.expectHealthy()
    }
}
