import CallState
import Randomness
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Parts of the rules")
struct UnitTests {
    @Test("Deadlines come in order of instant, then of adding")
    func deadlines() {
        var deadlines = Deadlines()
        #expect(deadlines.first == nil)
        #expect(deadlines.takeDue(at: .max) == nil)
        var generator = SplitMix64(seed: 5)
        var expected: [(UInt64, UInt32)] = []
        for number in 0..<200 as Range<UInt32> {
            let instant: UInt64 = generator.next() % 40
            deadlines.set(.connection(ConnectionID(index: number, generation: 0)), at: instant)
            expected.append((instant, number))
        }
        expected.sort { $0 < $1 }
        #expect(deadlines.first == expected[0].0)
        for (instant, number) in expected {
            let due = deadlines.takeDue(at: 100)
            #expect(due?.instant == instant)
            #expect(due?.subject == .connection(ConnectionID(index: number, generation: 0)))
        }
        deadlines.set(.stopping, at: 50)
        #expect(deadlines.takeDue(at: 49) == nil)
        #expect(deadlines.takeDue(at: 50)?.subject == .stopping)
    }

    @Test("A place of the table of calls that was used 2^32 times is used again")
    func lastGeneration() {
        var world = World()
        let ana = world.join("ana")
        world.send(ana, .leave(.left))
        world.turn()
        #expect(world.core.callGenerations == [1])
        world.core.callGenerations[0] = .max
        let ben = world.join("ben")
        world.send(ben, .leave(.left))
        world.turn()
        #expect(world.core.callGenerations == [0])
        let cleo = world.join("cleo")
        #expect(world.state(cleo).peopleCount == 1)
    }

    @Test("A subject has one deadline: the one that was set last, and none once it is removed")
    func oneDeadlineEach() {
        var deadlines = Deadlines()
        let first = Deadlines.Subject.connection(ConnectionID(index: 1, generation: 0))
        let second = Deadlines.Subject.connection(ConnectionID(index: 2, generation: 0))
        deadlines.set(first, at: 10)
        deadlines.set(second, at: 20)
        deadlines.set(first, at: 30)
        #expect(deadlines.first == 20 && deadlines.count == 2)
        deadlines.set(first, at: 5)
        #expect(deadlines.first == 5)
        deadlines.remove(first)
        deadlines.remove(first)
        #expect(deadlines.first == 20 && deadlines.count == 1)
        #expect(deadlines.takeDue(at: 100)?.subject == second)
        #expect(deadlines.takeDue(at: 100) == nil && deadlines.first == nil && deadlines.count == 0)
    }

    @Test("Deadlines take memory for what is due, not for how often it was moved", arguments: [1, 2, 3] as [UInt64])
    func deadlinesAreBounded(seed: UInt64) {
        var deadlines = Deadlines()
        var model: [UInt32: UInt64] = [:]
        var generator = SplitMix64(seed: seed)
        for round in 0..<20_000 as Range<UInt64> {
            let number = UInt32(generator.next() % 50)
            let subject = Deadlines.Subject.connection(ConnectionID(index: number, generation: 0))
            if generator.next() % 5 == 0 {
                deadlines.remove(subject)
                model[number] = nil
            } else {
                // Rising, falling, and at random.
                let instant: UInt64 = [round, 1_000_000 - round, generator.next() % 1_000_000][Int(seed) - 1]
                deadlines.set(subject, at: instant)
                model[number] = instant
            }
            #expect(deadlines.first == model.values.min() && deadlines.count == model.count)
            #expect(deadlines.heldCount <= 2 * 50 + 65)
        }
        var last: UInt64 = 0
        while let due = deadlines.takeDue(at: .max) {
            guard case .connection(let connection) = due.subject else { return }
            #expect(model.removeValue(forKey: connection.index) == due.instant && due.instant >= last)
            last = due.instant
        }
        #expect(model.isEmpty)
    }

    @Test("A ring gives each cursor one slice, forgets the oldest frames, and keeps no frame that is too long")
    func ring() {
        var ring = FrameRing(at: 10)
        #expect(ring.isEmpty)
        #expect(ring.range(from: 10)?.isEmpty == true)
        #expect(ring.range(from: 9) == nil)
        #expect(ring.range(from: 11) == nil)
        for seq in stride(from: 12 as UInt64, through: 40, by: 2) {
            ring.append(to: seq, capacity: 20, keeping: .max, longest: 10) { bytes in
                bytes += Array(repeating: UInt8(seq), count: 4)
            }
        }
        #expect(ring.end == 40)
        #expect(ring.start == 30)
        #expect(ring.count == 20)
        #expect(ring.range(from: 29) == nil)
        for seq in 30...39 as ClosedRange<UInt64> {
            // A cursor inside of a frame gets the whole frame.
            let first = UInt8(seq / 2 * 2 + 2)
            let slice = ring.range(from: seq).map { Array(ring.bytes[$0]) }
            #expect(slice?.first == first)
            #expect(slice?.last == 40)
        }
        #expect(ring.bytes.count <= 44)
        ring.append(to: 41, capacity: 20, keeping: .max, longest: 10) { $0 += Array(repeating: 1, count: 11) }
        #expect(ring.isEmpty)
        #expect(ring.count == 0)
        #expect(ring.range(from: 40) == nil)
        #expect(ring.range(from: 41)?.isEmpty == true)
    }

    @Test("R-138: a ring forgets no frame that nobody was told of, however little it may hold")
    func untoldFrames() {
        var ring = FrameRing(at: 0)
        for seq in 1...40 as ClosedRange<UInt64> {
            ring.append(to: seq, capacity: 20, keeping: 10, longest: 10) { $0 += Array(repeating: 1, count: 4) }
        }
        #expect(ring.start == 10)
        #expect(ring.range(from: 10)?.count == 120)
        ring.append(to: 41, capacity: 20, keeping: 40, longest: 10) { $0 += Array(repeating: 1, count: 4) }
        #expect(ring.start == 36 && ring.count == 20)
    }

    @Test("A ring whose frames are tiny does not grow without end")
    func tinyFrames() {
        var ring = FrameRing(at: 0)
        for seq in 1...10_000 as ClosedRange<UInt64> {
            ring.append(to: seq, capacity: 64, keeping: .max, longest: 64) { $0.append(1) }
        }
        #expect(ring.count == 64)
        #expect(ring.bytes.count <= 130)
        #expect(ring.range(from: 9_936)?.count == 64)
        #expect(ring.range(from: 9_935) == nil)
    }

    @Test("R-71 R-72: the window keeps the last 64 answers")
    func window() {
        var window = OperationWindow()
        for op in 1...200 as ClosedRange<UInt64> {
            guard case .new = window.lookup(op) else {
                Issue.record("\(op) is not new")
                return
            }
            window.record(Ack(op: op, position: Position(epoch: 1, seq: op)))
        }
        #expect(window.last == 200)
        for op in 1...200 as ClosedRange<UInt64> {
            switch window.lookup(op) {
            case .answered(let ack): #expect(op > 136 && ack.position.seq == op)
            case .tooOld: #expect(op <= 136)
            case .new: Issue.record("\(op) is new")
            }
        }
    }

    @Test("R-72: the window keeps why commands were refused, as long as it keeps that they were")
    func refusalsInWindow() {
        var window = OperationWindow()
        for op in 1...150 as ClosedRange<UInt64> {
            let position = Position(epoch: 1, seq: op / 2)
            if op % 2 == 0 {
                window.record(done: op, at: position)
            } else {
                window.record(Ack(op: op, code: .rate, position: position, text: "no \(op)", after: op))
            }
        }
        var kept: [Ack] = []
        window.forEach { kept.append($0) }
        let expected = (87...150).map { (op: UInt64) in
            let position = Position(epoch: 1, seq: op / 2)
            return op % 2 == 0
                ? Ack(op: op, position: position)
                : Ack(op: op, code: .rate, position: position, text: "no \(op)", after: op)
        }
        #expect(kept == expected)
        for ack in expected {
            guard case .answered(let known) = window.lookup(ack.op), known == ack else {
                Issue.record("\(ack.op) is not known")
                continue
            }
        }
        let again = OperationWindow(last: 150, answers: kept)
        var restored: [Ack] = []
        again?.forEach { restored.append($0) }
        #expect(restored == expected && again?.last == 150)
    }

    @Test("A list of devices gives each once, in order")
    func deviceList() {
        #expect(Array(DeviceList(7)) == [7])
        #expect(Array(DeviceList([])) == [])
        #expect(Array(DeviceList([3, 5, 9])) == [3, 5, 9])
    }

    @Test("A secret proves an incarnation only whole")
    func secrets() {
        let record = PrivateRecord(incarnation: 1, secret: [1, 2, 3])
        #expect(record.proves([1, 2, 3]))
        #expect(!record.proves([1, 2]))
        #expect(!record.proves([1, 2, 4]))
        #expect(!record.proves([]))
        #expect(!PrivateRecord(incarnation: 1, secret: []).proves([]))
    }

    @Test("A connection is small: an idle one costs less than half a KiB in the table")
    func connectionSize() {
        #expect(MemoryLayout<Connection>.stride <= 512)
    }

    @Test("R-26: rights come from one rule", arguments: [false, true])
    func rights(admin: Bool) {
        let rule = RightsRule(peer: Peer(isTrusted: admin), isAdminOpen: false)
        let extra: Rights = admin ? .admin : []
        #expect(rule.participant(role: .participant, moderation: .everyone) == extra.union([.participate, .moderate]))
        #expect(rule.participant(role: .participant, moderation: .moderators) == extra.union([.participate]))
        #expect(rule.participant(role: .moderator, moderation: .moderators) == extra.union([.participate, .moderate]))
        #expect(rule.observer == (admin ? [.moderate, .actForOthers, .admin] : []))
        let sender = Sender(rights: [], uid: .empty, incarnation: 0, moderatorsOnly: false)
        #expect(throws: CommandRefusal.self) { try sender.mustParticipate(to: "do it") }
        let refused = #expect(throws: CommandRefusal.self) { try sender.mustModerate(to: "do it") }
        #expect(refused?.text == "an observer may not do it: it lacks the right to moderate")
    }

    @Test("The relay gives up what it knows of stale names")
    func staleNames() {
        var core = RelayCore(configuration: RelayConfiguration(), random: SplitMix64(seed: 1))
        #expect(core.nextDeadline == nil)
        var effects: [Effect] = []
        core.endTurn(at: Now(monotonic: 5, wall: 5), into: &effects)
        #expect(effects.isEmpty)
        #expect(core.random(upTo: 0) == 0)
        #expect(core.random(upTo: .max) != core.random(upTo: .max))
    }
}
