import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Rates of joins")
struct JoinRateTests {
    @Test("R-125: joins above the rate are told when to come back, spread, and all get in at the rate")
    func joins() {
        var configuration = RelayConfiguration()
        configuration.joinRate = Rate(perSecond: 100, burst: 200)
        var world = World(configuration, hasRates: true)
        var waits: [UInt64] = []
        for number in 0..<1_000 {
            let client = world.join("u\(number)")
            if let refusal = world.replica(client).closed {
                #expect(refusal.code == .overload && refusal.advice == .after)
                #expect(refusal.text == "too many join at once: the relay lets 100 in a second")
                waits.append(refusal.after)
            }
        }
        #expect(waits.count == 900)
        for (number, wait) in waits.enumerated() {
            let turn = 510 + 10 * UInt64(number)
            #expect((turn...turn + turn / 2).contains(wait))
        }
        // In no second do many more come back than get in.
        let times = waits.sorted()
        for second in 0..<14 as Range<UInt64> {
            let many = times.count { (second * 1_000..<second * 1_000 + 1_000).contains($0) }
            #expect(many <= 150, "second \(second)")
        }
        #expect(times.last ?? 0 > 9_000)
    }

    @Test("R-125: who resumes comes before newcomers, and a trusted peer has no limit")
    func resumesFirst() {
        var configuration = RelayConfiguration()
        configuration.joinRate = Rate(perSecond: 10, burst: 20)
        var world = World(configuration, hasRates: true)
        let ana = world.join("ana", instance: "instance-a")
        let resume = world.replica(ana).resume()
        world.cut(ana)
        for number in 0..<30 { _ = world.join("u\(number)") }
        #expect(world.replica(world.links.count - 1).closed?.code == .overload)
        let back = world.join("ana", instance: "instance-a") {
            $0.attempt = 2
            $0.resume = resume
        }
        #expect(world.joined(back).outcome == .resumed)
        for number in 0..<100 {
            let trusted = world.join("t\(number)", trusted: true)
            #expect(world.joined(trusted).outcome == .new)
        }
    }

    @Test("R-125: a Join that waited for the store counts once")
    func countedOnce() {
        var configuration = RelayConfiguration()
        configuration.joinRate = Rate(perSecond: 1, burst: 2)
        var world = World(configuration, hasRates: true)
        world.nextEpoch = nil
        let ana = world.join("ana")
        world.apply(.store(.claimed(session: "standup", .init(epoch: 7))))
        world.turn()
        #expect(world.joined(ana).outcome == .new)
        let ben = world.join("ben")
        #expect(world.closed(ben) == .overload)
    }

    @Test("R-125 R-105: who finds no place for a connection, or a relay that stops, is told times that are spread")
    func spread() {
        var configuration = RelayConfiguration()
        configuration.maximumConnections = 1
        var world = World(configuration, hasRates: true)
        _ = world.greet()
        let refused = (0..<200).map { _ in world.open() }
        world.turn()
        let waits = refused.map { world.replica($0).closed?.after ?? 0 }
        #expect(waits.allSatisfy { (5_000...7_500).contains($0) })
        // Ten even parts of the time: each has its share.
        for part in 0..<10 as Range<UInt64> {
            let range = 5_000 + part * 250..<5_000 + part * 250 + 250
            #expect((5...40).contains(waits.count { range.contains($0) }), "\(range)")
        }
        var stopping = World()
        let clients = (0..<200).map { stopping.join("u\($0)") }
        stopping.apply(.stopping(resumeAfter: 1_000))
        stopping.turn()
        let returns = clients.map { stopping.replica($0).closed?.after ?? 0 }
        #expect(returns.allSatisfy { (1_000...1_500).contains($0) })
        for part in 0..<5 as Range<UInt64> {
            let range = 1_000 + part * 100..<1_000 + part * 100 + 100
            #expect((20...60).contains(returns.count { range.contains($0) }), "\(range)")
        }
    }
}
