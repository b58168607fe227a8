import Rollcall
import Testing

@testable import RollcallCalls

@Suite("Setting up and logging in")
struct CallsEntryTests {
    private static func ready() throws -> CallsEntry {
        var entry = CallsEntry()
        try entry.setUp(CallAppSettingsBuilder().setRelay("tcp:127.0.0.1:7420").build(), ClientOptions())
        return entry
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RollcallCallException)?.errorCode
        }
    }

    @Test("The relay's address is text; one that can't be used changes nothing")
    func addresses() throws {
        var entry = CallsEntry()
        try entry.setUp(
            CallAppSettingsBuilder().setRelay("unix:/tmp/r.sock").setClientName("my app 2").build(),
            ClientOptions()
        )
        #expect(entry.client?.address == .unix("/tmp/r.sock") && entry.client?.options.clientName == "my app 2")
        for wrong in ["", "relay.example.org", "tcp:host", "unix:", "tcp:host:99999"] {
            #expect(
                code { try entry.setUp(CallAppSettingsBuilder().setRelay(wrong).build(), ClientOptions()) }
                    == "INIT ERROR",
                "\(wrong)"
            )
        }
        #expect(entry.client?.address == .unix("/tmp/r.sock"))
    }

    @Test("Each step wants the one before it")
    func steps() throws {
        var entry = CallsEntry()
        #expect(code { _ = try entry.logIn(Identity(uid: "ana")) } == "INIT ERROR")
        #expect(code { _ = try entry.join("standup", SessionSettings()) } == "INIT ERROR")
        #expect(code { _ = try entry.logs() } == "INIT ERROR")
        entry = try Self.ready()
        #expect(code { _ = try entry.join("standup", SessionSettings()) } == "AUTH TOKEN ERROR")
        #expect(entry.user == nil)
        let user = try entry.logIn(Identity(uid: "ana", name: "Ana", avatar: "a.png", device: "phone", token: "secret"))
        #expect(user.uid == "ana" && user.name == "Ana" && user.avatar == "a.png" && user.deviceID == "phone")
        #expect(entry.user == user && "\(user)" == "ana (Ana)")
        let (client, identity) = try entry.join("standup", SessionSettings())
        #expect(client.address == .tcp("127.0.0.1", 7_420))
        #expect(identity.uid == "ana" && identity.device == "phone" && identity.token == "secret")
        entry.logOut()
        #expect(entry.user == nil && code { _ = try entry.join("standup", SessionSettings()) } == "AUTH TOKEN ERROR")
    }

    @Test("Without a device id the device is the process")
    func device() throws {
        var entry = try Self.ready()
        let user = try entry.logIn(Identity(uid: "ana"))
        #expect(user.deviceID == Identity.processDevice && user.name == nil && "\(user)" == "ana")
    }

    @Test("A login that can't be sent is refused, and leaves who was logged in")
    func badLogin() throws {
        var entry = try Self.ready()
        let ana = try entry.logIn(Identity(uid: "ana"))
        let wrong = [
            Identity(uid: ""), Identity(uid: String(repeating: "x", count: 129)),
            Identity(uid: "ben", name: String(repeating: "x", count: 257)),
            Identity(uid: "ben", avatar: String(repeating: "x", count: 2_049)), Identity(uid: "ben", device: ""),
            Identity(uid: "ben", device: String(repeating: "x", count: 65)),
        ]
        for identity in wrong { #expect(code { _ = try entry.logIn(identity) } == "ERR_INVALID_ARGUMENT") }
        #expect(entry.user == ana)
    }

    @Test("A join is refused for its session id and its settings before anything is connected")
    func badJoin() throws {
        var entry = try Self.ready()
        _ = try entry.logIn(Identity(uid: "ana"))
        #expect(code { _ = try entry.join("", SessionSettings()) } == "SESSION ID ERROR")
        #expect(code { _ = try entry.join(String(repeating: "é", count: 65), SessionSettings()) } == "SESSION ID ERROR")
        let negative = SessionSettingsBuilder().setIdleTimeoutPeriod(-1).build()
        #expect(code { _ = try entry.join("standup", negative) } == "ERR_INVALID_SETTING")
        let named = SessionSettingsBuilder().setDisplayName("The chair").build()
        #expect(try entry.join("standup", named).identity.name == "The chair")
    }
}
