import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Takeover")
struct TakeoverTests {
    @Test("R-32: a fresh join of a device that is in takes it over in place")
    func takeover() {
        var scene = ResumeScene()
        scene.world.set(scene.ana, Setting(.handRaised(true)), Setting(.name("Ana")), Setting(.presenting(true)))
        let before = scene.world.person("ana", as: scene.ben)
        scene.world.advance(1_000)
        let other = scene.world.join("ana", instance: "instance-b") {
            $0.name = "Other"
            $0.audioMuted = true
        }
        let joined = scene.world.joined(other)
        #expect(joined.outcome == .replaced)
        #expect(joined.device == scene.world.joined(scene.ana).device)
        #expect(joined.person == scene.world.joined(scene.ana).person)
        #expect(joined.incarnation > scene.world.joined(scene.ana).incarnation)
        #expect(scene.world.closed(scene.ana) == .replaced)
        #expect(scene.world.replica(scene.ana).closed?.advice == .never)
        let person = scene.world.person("ana", as: scene.ben)
        #expect(person?.name == "Ana")
        #expect(person?.hand == before?.hand)
        #expect(person?.joinedAt == before?.joinedAt)
        #expect(person?.devices[0].joinedAt == before?.devices[0].joinedAt)
        #expect(person?.devices[0].isAudioMuted == true)
        #expect(person?.devices[0].isPresenting == false)
        scene.world.apply(.closed(scene.world.links[scene.ana].id))
        scene.world.turn()
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.expectEqual([other, scene.ben])
    }

    @Test("R-32: the same when the old connection's end comes first")
    func takeoverOfReconnecting() {
        var scene = ResumeScene()
        scene.world.cut(scene.ana)
        let other = scene.world.join("ana", instance: "instance-b")
        #expect(scene.world.joined(other).outcome == .replaced)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.advance(20_000)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.expectEqual([other, scene.ben])
    }

    @Test(
        "R-33: who was replaced by another program does not come back with its secret, however many came after",
        arguments: [1, 6, 40]
    )
    func replacedSecret(others: Int) {
        var scene = ResumeScene()
        let resume = scene.world.replica(scene.ana).resume()
        var last = scene.ana
        for other in 0..<others { last = scene.world.join("ana", instance: "instance-b\(other)") }
        func comeBack() -> Int {
            scene.world.join("ana", instance: "instance-a") {
                $0.attempt = 2
                $0.resume = resume
            }
        }
        let back = comeBack()
        #expect(scene.world.closed(back) == .replaced)
        #expect(scene.world.replica(back).closed?.advice == .never)
        #expect(scene.world.closed(last) == nil)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        // Also when the other one has left: only a person may decide to come back.
        scene.world.send(last, .leave(.left))
        scene.world.turn()
        #expect(scene.world.device("ana", as: scene.ben) == nil)
        let again = comeBack()
        #expect(scene.world.closed(again) == .replaced)
    }

    @Test("R-33: the last 1,024 replaced secrets of a call are remembered, and no more")
    func replacedSecretsAreBounded() {
        var secrets = ReplacedSecrets()
        func secret(_ number: Int) -> [UInt8] { Array("secret-\(number)".utf8) }
        for number in 0..<5_000 { secrets.insert(secret(number), by: [1], with: [9]) }
        #expect(!secrets.contains(secret(5_000 - ReplacedSecrets.maximum - 1), byOtherThan: [2]))
        #expect(secrets.contains(secret(5_000 - ReplacedSecrets.maximum), byOtherThan: [2]))
        #expect(secrets.contains(secret(4_999), byOtherThan: [2]))
        #expect(!secrets.contains(secret(4_999), byOtherThan: [1]))
        #expect(!secrets.contains([], byOtherThan: [2]))
        secrets.removeAll()
        #expect(!secrets.contains(secret(4_999), byOtherThan: [2]))
    }

    @Test("R-33: a secret counts as replaced by another program also when its own program came in between")
    func replacedByWayOfOwn() {
        var secrets = ReplacedSecrets()
        secrets.insert([1], by: [10], with: [2])
        secrets.insert([2], by: [10], with: [3])
        #expect(!secrets.contains([1], byOtherThan: [10]))
        secrets.insert([3], by: [11], with: [4])
        for secret in [[1], [2], [3]] as [[UInt8]] { #expect(secrets.contains(secret, byOtherThan: [10])) }
        // The first two were replaced by another program than this one, the third by itself.
        #expect(secrets.contains([1], byOtherThan: [11]) && !secrets.contains([3], byOtherThan: [11]))
        // Whatever secrets are drawn, the search ends.
        secrets.insert([4], by: [11], with: [4])
        #expect(!secrets.contains([4], byOtherThan: [11]))
    }

    @Test("R-33: an older session of a program does not put out the other program that replaced its newer one")
    func olderSession() {
        var scene = ResumeScene()
        let first = scene.world.replica(scene.ana).resume()
        let second = scene.world.join("ana", instance: "instance-a") { $0.attempt = 5 }
        #expect(scene.world.replica(scene.ana).closed?.advice == .now)
        let other = scene.world.join("ana", instance: "instance-b")
        #expect(scene.world.replica(second).closed?.advice == .never)
        func comeBack() -> Int {
            scene.world.join("ana", instance: "instance-a") {
                $0.attempt = 9
                $0.resume = first
            }
        }
        let back = comeBack()
        #expect(scene.world.closed(back) == .replaced)
        #expect(scene.world.replica(back).closed?.advice == .never)
        #expect(scene.world.closed(other) == nil)
        scene.world.send(other, .leave(.left))
        scene.world.turn()
        let again = comeBack()
        #expect(scene.world.closed(again) == .replaced)
    }

    @Test("R-33: the program that replaced itself comes back with an older secret as expired")
    func ownReplacedSecret() {
        var scene = ResumeScene()
        _ = scene.world.join("ana", instance: "instance-a") { $0.attempt = 2 }
        let back = scene.comeBack(attempt: 3)
        #expect(scene.world.joined(back).outcome == .expired)
    }

    @Test("R-34: a Join with an attempt that is not above the current one of the same program is stale")
    func staleAttempt() {
        var scene = ResumeScene()
        let second = scene.comeBack(attempt: 5)
        for attempt in [4, 5] as [UInt64] {
            let stale = scene.comeBack(attempt: attempt)
            #expect(scene.world.closed(stale) == .staleAttempt)
            #expect(scene.world.replica(stale).closed?.advice == .never)
        }
        #expect(scene.world.closed(second) == nil)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        let guest1 = scene.comeBack(attempt: 6)
        #expect(scene.world.joined(guest1).outcome == .resumed)
    }
}
