import CallState
import RollcallProtocol
import TestSupport
import Testing
import Traces

@testable import RelayCore

@Suite("The dominant speaker")
struct ElectionTests {
    // MARK: The rule alone

    private func make() -> Election { Election(qualifyingTime: 500, maximumChanges: 4) }

    @Test("R-96: who has been speaking for 0.5 s becomes dominant, and stays in silence")
    func begins() {
        var election = make()
        #expect(election.nextDeadline == nil)
        election.report(device: 3, of: 2, speaks: true, at: 1_000)
        election.report(device: 3, of: 2, speaks: true, at: 1_400)
        #expect(election.nextDeadline == 1_500)
        #expect(election.evaluate(at: 1_499) == .unchanged)
        #expect(election.evaluate(at: 1_500) == .dominant(2))
        #expect(election.nextDeadline == nil)
        election.report(device: 3, of: 2, speaks: false, at: 1_600)
        #expect(election.evaluate(at: 9_000) == .unchanged)
        #expect(election.dominant == 2)
        #expect(election.isSilent)
    }

    @Test("R-96: the earlier begin comes first, then the lower slot; a break begins anew")
    func order() {
        var election = make()
        for (device, person, at) in [(9, 8, 100), (7, 6, 100), (5, 4, 50)] as [(Slot, Slot, UInt64)] {
            election.report(device: device, of: person, speaks: true, at: at)
        }
        election.report(device: 5, of: 4, speaks: false, at: 300)
        election.report(device: 5, of: 4, speaks: true, at: 300)
        #expect(election.nextDeadline == 600)
        #expect(election.evaluate(at: 600) == .dominant(6))
        election.report(device: 7, of: 6, speaks: false, at: 700)
        #expect(election.evaluate(at: 700) == .dominant(8))
        election.report(device: 9, of: 8, speaks: false, at: 701)
        #expect(election.evaluate(at: 701) == .unchanged)
        #expect(election.nextDeadline == 800)
        #expect(election.evaluate(at: 800) == .dominant(4))
    }

    @Test("R-96: a person speaks while any of its devices does")
    func devices() {
        var election = make()
        election.report(device: 3, of: 2, speaks: true, at: 0)
        election.report(device: 5, of: 2, speaks: true, at: 300)
        election.report(device: 3, of: 2, speaks: false, at: 400)
        #expect(election.evaluate(at: 500) == .dominant(2))
        election.silence(device: 5)
        election.silence(device: 5)
        #expect(election.isSilent)
    }

    @Test("R-96: nobody is dominant once the dominant one is gone and no other qualifies")
    func nobody() {
        var election = make()
        election.vacate()
        #expect(election.evaluate(at: 0) == .unchanged)
        election.report(device: 3, of: 2, speaks: true, at: 0)
        #expect(election.evaluate(at: 500) == .dominant(2))
        election.report(device: 5, of: 4, speaks: true, at: 600)
        election.silence(device: 3)
        election.vacate()
        #expect(election.evaluate(at: 700) == .dominant(nil))
        #expect(election.evaluate(at: 700) == .unchanged)
        #expect(election.nextDeadline == 1_100)
        #expect(election.evaluate(at: 1_100) == .dominant(4))
        election.report(device: 7, of: 6, speaks: true, at: 1_100)
        election.silence(device: 5)
        election.vacate()
        #expect(election.evaluate(at: 1_700) == .dominant(6))
    }

    @Test("R-96: at most 4 changes in any second")
    func changes() {
        var election = make()
        for person in 0..<8 as Range<Slot> {
            election.report(device: 100 + person, of: person, speaks: true, at: UInt64(person))
        }
        var now: UInt64 = 1_000
        var times: [UInt64] = []
        for _ in 0..<8 {
            while election.evaluate(at: now) == .unchanged {
                guard let due = election.nextDeadline, due > now else {
                    Issue.record("nothing is due at \(now)")
                    return
                }
                now = due
            }
            times.append(now)
            if let dominant = election.dominant { election.silence(device: 100 + dominant) }
            now += 10
        }
        #expect(times == [1_000, 1_010, 1_020, 1_030, 2_000, 2_010, 2_020, 2_030])
    }

    @Test("R-97: a stated dominant speaker suspends the election")
    func stated() {
        var election = make()
        election.report(device: 3, of: 2, speaks: true, at: 0)
        election.state(9)
        #expect(election.nextDeadline == nil)
        #expect(election.evaluate(at: 1_000) == .unchanged)
        election.vacate()
        #expect(election.evaluate(at: 1_000) == .unchanged)
    }

    // MARK: In a call

    @Test("R-95 R-96: speech in a call; mute, lost link and leaving end it")
    func inACall() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let chloe = world.join("chloe")
        func dominant() -> ByteString? {
            world.state(ana).call.dominantSpeaker.flatMap { world.state(ana).person($0)?.uid }
        }
        let muted = world.join("dan") { $0.audioMuted = true }
        let seq = world.state(ana).position.seq
        world.send(muted, .speaking(Speaking(on: true)))
        world.turn()
        world.advance(600)
        #expect(dominant() == nil && world.state(ana).position.seq == seq)
        world.send(ben, .speaking(Speaking(on: true)))
        world.turn()
        world.advance(499)
        #expect(dominant() == nil)
        world.advance(1)
        #expect(dominant() == "ben")
        #expect(world.replica(ana).deltas.last?.actor == 0)
        world.send(chloe, .speaking(Speaking(on: true)))
        world.turn()
        world.advance(600)
        #expect(dominant() == "ben")
        // Muting gives the place to who qualifies, in the same turn.
        world.set(ben, Setting(.audioMuted(true)))
        #expect(dominant() == "chloe")
        // A report of a muted device is ignored.
        world.send(ben, .speaking(Speaking(on: true)))
        world.turn()
        world.advance(1_000)
        // A lost link ends speech but not the place; leaving ends both.
        world.cut(chloe)
        #expect(dominant() == "chloe")
        world.advance(15_000)
        #expect(dominant() == nil)
        #expect(world.state(ana).value(CallField.dominantSpeaker, of: .call) == nil)
        world.set(ben, Setting(.audioMuted(false)))
        world.send(ben, .speaking(Speaking(on: true)))
        world.turn()
        world.advance(500)
        #expect(dominant() == "ben")
        world.set(ben, Setting(.audioMuted(true)))
        #expect(dominant() == nil)
        world.expectEqual([ana, ben])
    }

    @Test("R-92 R-96: who leaves is cleared in the commit of the leave, and a waiting speaker follows in the same turn")
    func leaves() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let chloe = world.join("chloe")
        world.send(ben, .speaking(Speaking(on: true)))
        world.turn()
        world.advance(600)
        world.send(chloe, .speaking(Speaking(on: true)))
        world.turn()
        world.advance(600)
        let seq = world.state(ana).position.seq
        world.send(ben, .leave(.left))
        world.turn()
        #expect(world.state(ana).position.seq == seq + 2)
        #expect(world.state(ana).call.dominantSpeaker == world.joined(chloe).person)
    }

    @Test("R-95 R-97: who acts for others reports speech and states the dominant speaker")
    func actsForOthers() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let bot = world.observe(trusted: true, uid: "sfu")
        let observer = world.observe()
        for client in [ana, observer] {
            world.send(client, .speaking(Speaking(on: true, target: Target(uid: "ben"))))
        }
        world.send(observer, .speaking(Speaking(on: true)))
        world.send(bot, .speaking(Speaking(on: true)))
        world.send(bot, .speaking(Speaking(on: true, target: Target(uid: "nobody"))))
        world.send(bot, .speaking(Speaking(on: true, target: Target(uid: "ben", device: "none"))))
        world.turn()
        world.advance(600)
        #expect(world.state(ana).call.dominantSpeaker == nil)
        world.send(bot, .speaking(Speaking(on: true, target: Target(uid: "ben"))))
        world.turn()
        world.advance(500)
        #expect(world.state(ana).call.dominantSpeaker == world.joined(ben).person)
        world.send(bot, .speaking(Speaking(on: false, target: Target(uid: "ben", device: "laptop"))))
        world.send(bot, .speaking(Speaking(on: true, target: Target(uid: "ana", device: "laptop"))))
        world.turn()
        world.advance(500)
        #expect(world.state(ana).call.dominantSpeaker == world.joined(ana).person)
        world.set(bot, Setting(.dominantSpeaker("ben")))
        world.advance(2_000)
        #expect(world.state(ana).call.dominantSpeaker == world.joined(ben).person)
        world.set(ben, Setting(.audioMuted(true)))
        #expect(world.state(ana).call.dominantSpeaker == world.joined(ben).person)
        world.send(ben, .leave(.left))
        world.turn()
        #expect(world.state(ana).call.dominantSpeaker == nil)
        world.set(bot, Setting(.dominantSpeaker("ana")))
        #expect(world.state(ana).call.dominantSpeaker == world.joined(ana).person)
        world.set(bot, Setting(.dominantSpeaker("")))
        #expect(world.state(ana).call.dominantSpeaker == nil)
        world.expectHealthy()
    }

    // MARK: Recordings

    @Test("R-96: the recordings are there", .needsTraceData)
    func recordingsAreThere() {
        #expect(TraceData.speeches.count >= 16)
    }

    @Test(
        "R-96: over the speech of a recording the election gives exactly its dominant speakers",
        .needsTraceData,
        arguments: TraceData.speeches
    )
    func recording(path: String) throws {
        let trace = try TraceData.load(path)
        var world = World()
        let start = world.now.monotonic
        let observer = world.observe()
        var clients: [String: Int] = [:]
        var uids: [Slot: String] = [:]
        // All are in from the start, in the order of their first events, unmuted.
        for entry in trace.entries where !entry.uid.isEmpty && clients[entry.uid] == nil {
            let client = world.join(entry.uid, entry.device.isEmpty ? "mic" : entry.device) { $0.idle = 0 }
            clients[entry.uid] = client
            uids[world.joined(client).person] = entry.uid
            world.links[client].capacity = nil
        }
        var expected: [String] = []
        var found: [String] = []
        var last: Slot?
        func note(_ world: World) {
            let dominant = world.state(observer).call.dominantSpeaker
            guard dominant != last else { return }
            last = dominant
            found.append("\(world.now.monotonic - start) \(dominant.flatMap { uids[$0] } ?? "nobody")")
        }
        var next = 0
        while next < trace.entries.count {
            let instant = start + UInt64(trace.entries[next].time)
            while let due = world.core.nextDeadline, due < instant {
                world.advance(due > world.now.monotonic ? due - world.now.monotonic : 0)
                note(world)
            }
            world.now.wall += instant - world.now.monotonic
            world.now.monotonic = instant
            while next < trace.entries.count, start + UInt64(trace.entries[next].time) == instant {
                let entry = trace.entries[next]
                switch entry.event {
                case .speech(let on):
                    if let client = clients[entry.uid] { world.send(client, .speaking(Speaking(on: on))) }
                case .dominantSpeaker: expected.append("\(entry.time) \(entry.uid)")
                default: break
                }
                next += 1
            }
            world.turn()
            note(world)
        }
        world.advance(1_000)
        note(world)
        #expect(!expected.isEmpty)
        #expect(found == expected)
        world.expectHealthy()
    }
}
