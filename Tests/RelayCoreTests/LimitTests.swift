import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Limits")
struct LimitTests {
    /// A limit: how it is set, what exceeds it, and how that is refused.
    struct Limit: CustomTestStringConvertible {
        var name: String
        var set: @Sendable (inout RelayConfiguration) -> Void
        /// Fills what the limit is about and exceeds it; gives code and text of the refusal.
        var exceed: @Sendable (inout World) -> (Code?, String?)
        var code: Code
        var text: String

        var testDescription: String { name }
    }

    private static func closed(_ world: World, _ client: Int) -> (Code?, String?) {
        (world.closed(client), world.replica(client).closed?.text)
    }

    private static func attributes(_ count: Int) -> [Setting] {
        (0..<count).map { Setting(.attribute(Attribute(key: ByteString("k\($0)"), value: [1]))) }
    }

    private static func send(_ settings: [Setting], by client: Int, in world: inout World) -> (Code?, String?) {
        world.send(client, .command(Command(op: 1, settings: settings)))
        world.turn()
        return (world.replica(client).acks.last?.code, world.replica(client).acks.last?.text)
    }

    private static func sendThreeAttributes(in world: inout World) -> (Code?, String?) {
        let ana = world.join("ana")
        return send(attributes(3), by: ana, in: &world)
    }

    static let limits: [Limit] = [
        Limit(name: "connections") {
            $0.maximumConnections = 2
        } exceed: { world in
            for _ in 0..<2 { _ = world.greet() }
            let third = world.open()
            world.turn()
            return closed(world, third)
        } code: {
            (.overload, "the relay has 2 connections, which is its limit")
        },
        Limit(name: "calls") {
            $0.maximumCalls = 2
        } exceed: { world in
            for session in ["one", "two"] { _ = world.join("ana", session: session) }
            let last = world.join("ana", session: "three")
            return closed(world, last)
        } code: {
            (.limit, "the relay has 2 calls, which is its limit")
        },
        Limit(name: "people of a call") {
            $0.limits.people = 2
        } exceed: { world in
            for uid in ["ana", "ben"] { _ = world.join(uid) }
            let last = world.join("chloe")
            return closed(world, last)
        } code: {
            (.limit, "the call has 2 people, which is the limit")
        },
        Limit(name: "people of a call who are brought in") {
            $0.limits.people = 2
        } exceed: { world in
            for uid in ["ana", "ben"] { _ = world.join(uid) }
            let bot = world.observe(trusted: true, uid: "bot")
            return send([Setting(target: Target(uid: "chloe", device: "d"), .bringIn(BringIn()))], by: bot, in: &world)
        } code: {
            (.full, "the call has 2 people, which is the limit")
        },
        Limit(name: "devices of a person") {
            $0.maximumDevicesPerPerson = 2
        } exceed: { world in
            for device in ["one", "two"] { _ = world.join("ana", device) }
            let last = world.join("ana", "three")
            return closed(world, last)
        } code: {
            (.limit, "ana is in this call with 2 devices, which is the limit")
        },
        Limit(name: "observers") {
            $0.maximumObservers = 2
        } exceed: { world in
            for _ in 0..<2 { _ = world.observe() }
            let last = world.observe()
            return closed(world, last)
        } code: {
            (.limit, "the call has 2 observers, which is the limit")
        },
        Limit(name: "attributes") {
            $0.limits.attributes = 2
        } exceed: { world in
            sendThreeAttributes(in: &world)
        } code: {
            (.full, "there are 2 attributes already: remove one before adding k2")
        },
        Limit(name: "attributes in a Join") {
            $0.limits.attributes = 2
        } exceed: { world in
            let ana = world.join("ana") { join in
                join.attributes = (0..<3).map { Attribute(key: ByteString("k\($0)"), value: [1]) }
            }
            return closed(world, ana)
        } code: {
            (.badRequest, "Join.attributes has 3, at most 2 are allowed")
        },
        Limit(name: "bytes of an attribute") {
            $0.limits.attributeValue = 2
        } exceed: { world in
            let setting = Setting(.attribute(Attribute(key: "k", value: [1, 2, 3])))
            let ana = world.join("ana")
            return send([setting], by: ana, in: &world)
        } code: {
            (.invalid, "attribute k has 3 bytes, 0 to 2 are allowed")
        },
        Limit(name: "settings of a command") {
            $0.limits.settings = 2
        } exceed: { world in
            sendThreeAttributes(in: &world)
        } code: {
            (.invalid, "the command has 3 settings, at most 2 are allowed")
        },
        Limit(name: "answers that wait") {
            $0.maximumUnsentAnswers = 2
        } exceed: { world in
            let ana = world.join("ana")
            world.links[ana].capacity = 0
            for op in 1...17 as ClosedRange<UInt64> {
                world.send(ana, .command(Command(op: op, settings: [Setting(.handRaised(true))])))
            }
            world.turn()
            world.links[ana].capacity = nil
            world.drain(ana)
            world.turn()
            return closed(world, ana)
        } code: {
            (.limit, "16 answers are waiting to be read: at most 2 may")
        },
    ]

    @Test("R-127: what is above a limit is refused by a code, and the text names the limit", arguments: limits)
    func isNamed(limit: Limit) {
        var configuration = RelayConfiguration()
        limit.set(&configuration)
        var world = World(configuration)
        let (code, text) = limit.exceed(&world)
        #expect(code == limit.code)
        #expect(text == limit.text)
        world.expectHealthy()
    }
}

extension LimitTests.Limit {
    fileprivate init(
        name: String,
        set: @escaping @Sendable (inout RelayConfiguration) -> Void,
        exceed: @escaping @Sendable (inout World) -> (Code?, String?),
        code: () -> (Code, String)
    ) {
        let (code, text) = code()
        self.init(name: name, set: set, exceed: exceed, code: code, text: text)
    }
}
