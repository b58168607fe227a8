import CallState
import Randomness
import RollcallProtocol
import Testing

import class Foundation.ProcessInfo

@testable import RelayCore

/// Many clients, random commands, random kernels, random cuts, and with a store random delays, failures, crashes and
/// restarts: every copy that has drained equals the relay's state.
@Suite("Random histories")
struct RandomTests {
    /// Set `ROLLCALL_SEED` to run one history again.
    static let seeds: [UInt64] = {
        if let text = ProcessInfo.processInfo.environment["ROLLCALL_SEED"], let seed = UInt64(text) { return [seed] }
        var random = SystemRandomNumberGenerator()
        return regressions + (0..<5).map { _ in random.next() }
    }()

    /// Histories that have found something.
    ///
    /// The first: a slow connection below the floor that was taken over got its answers without what they were about.
    /// The second: who had left in the first turn of an epoch came back, and was told a difference from seq 0.
    static let regressions: [UInt64] = [11_018_174_308_217_723_951, 11_284_575_130_315_454_923]

    /// Every seed with every policy.
    static let histories = seeds.flatMap { seed in RelayConfiguration.Durability.allCases.map { (seed, $0) } }

    /// One history; gives the world at its end.
    struct History {
        var world: World
        var random: SplitMix64
        var clients: [Int] = []
        var watcher = 0
        var attempts: UInt64 = 1

        init(seed: UInt64, _ durability: RelayConfiguration.Durability = .none) {
            var configuration = RelayConfiguration.keeping(durability)
            random = SplitMix64(seed: seed)
            configuration.ringBytes = [64, 1_024, 256 * 1024].randomElement(using: &random)!
            configuration.maximumDelta = [400, 4_096, 256 * 1024].randomElement(using: &random)!
            configuration.maximumTombstones = [8, 4_096].randomElement(using: &random)!
            world = World(configuration, seed: seed)
            watcher = world.observe(trusted: true, uid: "watcher")
            world.answersAtOnce = durability == .none || Int.random(in: 0..<4, using: &random) == 0
        }

        /// With the policy sync nobody was shown what is not kept.
        private func expectKept() {
            guard world.configuration.durability == .sync else { return }
            let kept = world.store.calls["standup"]?.header.position ?? .zero
            for link in world.links where !link.isClosed && link.replica.position.epoch == kept.epoch {
                #expect(link.replica.position <= kept)
            }
        }

        /// Something happens to the relay or its store.
        private mutating func disturb() {
            switch Int.random(in: 0..<40, using: &random) {
            case 0:
                expectKept()
                world.crash(for: UInt64.random(in: 0...20_000, using: &random))
            case 1: world.restart(after: UInt64.random(in: 0...20_000, using: &random))
            case 2..<5: world.store.failure = world.store.failure == nil ? "broken" : nil
            default: return world.answer(Int.random(in: 1...3, using: &random))
            }
            guard world.links[watcher].isClosed else { return }
            let (copy, resume) = (world.state(watcher), world.replica(watcher).resume())
            watcher = world.greet(trusted: true)
            world.links[watcher].replica = Replica(copy: copy)
            var join = Join(session: "standup", uid: "watcher", device: "bot")
            join.mode = .observer
            join.resume = resume
            world.send(watcher, .join(join))
        }

        mutating func run(steps: Int) {
            for _ in 0..<steps { step() }
            settle()
        }

        private mutating func step() {
            if world.configuration.durability != .none, Int.random(in: 0..<4, using: &random) == 0 { disturb() }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<12: joinSomebody()
            case 12..<16: leaveSomebody()
            case 16..<21: cutSomebody()
            case 21..<40: slowSomebody()
            case 40..<55: drainSomebody()
            case 55..<58: world.advance(UInt64.random(in: 1...9_000, using: &random))
            case 58..<60:
                guard let client = living.randomElement(using: &random) else { return }
                world.send(client, .resync(Resync(position: world.replica(client).position, reason: .unspecified)))
            case 60..<65: act()
            case 65..<69:
                guard let client = living.randomElement(using: &random) else { return }
                world.send(client, .speaking(Speaking(on: Bool.random(using: &random))))
            default: command()
            }
            if Bool.random(using: &random) { world.turn() }
        }

        private var living: [Int] { clients.filter { !world.links[$0].isClosed && world.closed($0) == nil } }

        private mutating func joinSomebody() {
            let uid = "u\(Int.random(in: 0..<12, using: &random))"
            let device = ["laptop", "phone"].randomElement(using: &random)!
            let last = clients.last { world.replica($0).joined != nil && world.links[$0].isClosed }
            attempts += 1
            var resume: Resume?
            var copy: CallState?
            if let last, Bool.random(using: &random) {
                resume = world.replica(last).resume()
                copy = world.state(last)
            }
            let client = world.greet(instance: "instance-\(Int.random(in: 0..<3, using: &random))")
            if let copy { world.links[client].replica = Replica(copy: copy) }
            if Int.random(in: 0..<3, using: &random) == 0 { world.links[client].capacity = 100 }
            var join = Join(session: "standup", uid: ByteString(uid), device: ByteString(device))
            join.attempt = attempts
            join.resume = resume
            join.audioMuted = Bool.random(using: &random)
            join.presenting = Bool.random(using: &random)
            if Int.random(in: 0..<6, using: &random) == 0 { join.mode = .observer }
            world.send(client, .join(join))
            clients.append(client)
        }

        private mutating func leaveSomebody() {
            guard let client = living.randomElement(using: &random) else { return }
            world.send(client, .leave(.left))
        }

        private mutating func cutSomebody() {
            guard let client = living.randomElement(using: &random) else { return }
            world.cut(client)
        }

        private mutating func slowSomebody() {
            guard let client = living.randomElement(using: &random) else { return }
            world.links[client].capacity = Bool.random(using: &random) ? Int.random(in: 0...300, using: &random) : nil
        }

        private mutating func drainSomebody() {
            guard let client = living.randomElement(using: &random) else { return }
            world.drain(client)
        }

        private mutating func command() {
            guard let client = living.randomElement(using: &random) else { return }
            let settings = (0..<Int.random(in: 1...3, using: &random)).map { _ in setting() }
            let op = world.replica(client).acks.map(\.op).max() ?? 0
            world.send(client, .command(Command(op: op + 100_000 + UInt64(world.effects.count), settings: settings)))
        }

        private mutating func act() {
            let target = Target(uid: ByteString("b\(Int.random(in: 0..<5, using: &random))"), device: "sip")
            let change: Setting.Change =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .takeOut(.left)
                case 1: .videoPaused(Bool.random(using: &random))
                default: .bringIn(BringIn())
                }
            let command = Command(op: UInt64(world.effects.count + 1), settings: [Setting(target: target, change)])
            world.send(watcher, .command(command))
        }

        private mutating func setting() -> Setting {
            let flag = Bool.random(using: &random)
            let other = Target(uid: ByteString("u\(Int.random(in: 0..<12, using: &random))"))
            let key = ByteString("k\(Int.random(in: 0..<6, using: &random))")
            let value: [UInt8]? = flag ? Array(repeating: 7, count: Int.random(in: 0..<80, using: &random)) : nil
            switch Int.random(in: 0..<20, using: &random) {
            case 0...2: return Setting(.audioMuted(flag))
            case 3...4: return Setting(.handRaised(flag))
            case 5: return Setting(.presenting(flag))
            case 6: return Setting(.attribute(Attribute(key: key, value: value)))
            case 7: return Setting(.callAttribute(Attribute(key: key, value: value)))
            case 8: return Setting(target: other, .audioMuted(true))
            case 9: return Setting(target: .everyone, .audioMuted(true))
            case 10: return Setting(target: other, .audioLocked(flag))
            case 11: return Setting(.presenters(flag ? .one : .many))
            case 12: return Setting(.handsEnabled(flag))
            case 13: return Setting(.standingMute(flag))
            case 14: return Setting(.recording(flag))
            case 15: return Setting(.spotlight(flag ? [other.uid] : []))
            case 16: return Setting(target: other, .removed(flag && Bool.random(using: &random)))
            case 17: return Setting(.title(ByteString("title \(Int.random(in: 0..<9, using: &random))")))
            case 18: return Setting(target: other, .unmuteRequest(flag ? 3_000 : 0))
            default: return Setting(.name(ByteString("name \(Int.random(in: 0..<9, using: &random))")))
            }
        }

        /// Everybody reads again.
        mutating func settle() {
            world.turn()
            world.store.failure = nil
            for _ in 0..<100
            where world.core.unkeptCalls > 0 || !world.store.requests.isEmpty
                || world.core.calls.contains(where: { $0?.isClaiming == true })
            {
                world.answer()
                world.advance(2_500)
            }
            #expect(world.core.unkeptCalls == 0)
            for _ in 0..<1_000 {
                let slow = world.links.indices.filter { !world.links[$0].isClosed && !world.links[$0].unsent.isEmpty }
                for client in world.links.indices { world.links[client].capacity = nil }
                if slow.isEmpty { break }
                for client in slow { world.drain(client) }
                world.turn()
            }
        }
    }

    @Test("R-58 R-59: every copy equals the relay's state by digest once it has drained", arguments: histories)
    func copiesAgree(seed: UInt64, durability: RelayConfiguration.Durability) throws {
        var history = History(seed: seed, durability)
        for round in 0..<8 {
            history.run(steps: 60)
            var world = history.world
            let peek = world.greet()
            world.send(peek, .peek(session: "standup", request: 1))
            world.turn()
            let truth = world.state(peek)
            let attached = world.links.indices.filter {
                $0 != peek && !world.links[$0].isClosed && world.replica($0).joined != nil && world.closed($0) == nil
            }
            #expect(durability != .none || !attached.isEmpty)
            for client in attached {
                #expect(world.state(client).position == truth.position, "seed \(seed) round \(round) client \(client)")
                #expect(world.state(client).digest == truth.digest, "seed \(seed) round \(round) client \(client)")
            }
            #expect(truth.digest == truth.recomputedDigest)
            world.expectHealthy()
        }
    }

    @Test("R-115 R-116: the call logs agree with the call", arguments: histories)
    func callLogsAgree(seed: UInt64, durability: RelayConfiguration.Durability) throws {
        var history = History(seed: seed, durability)
        for round in 0..<8 {
            history.run(steps: 60)
            var world = history.world
            let client = world.greet()
            world.send(client, .peek(session: "standup", request: 1))
            world.turn()
            let truth = world.state(client)
            var meetings: [MeetingReport] = []
            var query = AttendanceQuery()
            while true {
                world.send(client, .attendance(request: 1, query))
                world.turn()
                guard case .attendance(_, let report)? = world.replica(client).frames.last else {
                    Issue.record("no answer")
                    return
                }
                meetings += report.meetings
                query.cursor = report.older
                if !report.hasMore { break }
            }
            let place: Comment = "seed \(seed) round \(round)"
            #expect(
                meetings.filter { $0.endedAt == nil }.map(\.meeting) == [truth.call.meetingID].compactMap(\.self),
                place
            )
            for (newer, older) in zip(meetings, meetings.dropFirst()) {
                #expect(older.endedAt.map { $0 <= newer.startedAt } == true, place)
            }
            for meeting in meetings {
                check(meeting, at: world.now.wall, place)
                if meeting.endedAt == nil { compare(meeting, with: truth, place) }
            }
        }
    }

    /// Who is in by the log is in by the call, by the same devices.
    private func compare(_ meeting: MeetingReport, with truth: CallState, _ place: Comment) {
        let present = meeting.people.filter { $0.leftAt == nil }
        #expect(Set(present.map(\.uid)) == Set(truth.people.map(\.uid)), place)
        for person in present {
            let devices = truth.person(uid: person.uid)?.devices ?? []
            #expect(Set(person.devices.filter(\.isPresent).map(\.device)) == Set(devices.map(\.id)), place)
            for device in devices {
                let row = person.devices.first { $0.device == device.id }
                #expect((row?.intervals.last?.to == nil) == (device.link == .active), place)
            }
        }
    }

    /// The log adds up.
    private func check(_ meeting: MeetingReport, at now: UInt64, _ place: Comment) {
        let end = meeting.endedAt ?? now
        #expect(!meeting.hasMorePeople && meeting.participants == UInt64(meeting.people.count), place)
        #expect(meeting.duration == meeting.people.reduce(0) { $0 + $1.duration }, place)
        #expect(meeting.video == meeting.people.reduce(0) { $0 + $1.video }, place)
        for person in meeting.people {
            let stays = person.devices.flatMap(\.intervals).map { (from: $0.from, to: $0.to ?? end) }
            #expect(stays.allSatisfy { meeting.startedAt <= $0.from && $0.from <= $0.to && $0.to <= end }, place)
            var covered: UInt64 = 0
            var last: UInt64 = 0
            for stay in stays.sorted(by: { $0.from < $1.from }) {
                covered += stay.to > max(stay.from, last) ? stay.to - max(stay.from, last) : 0
                last = max(last, stay.to)
            }
            let isWhole = person.devicesLeftOut == 0 && person.devices.allSatisfy { $0.intervalsLeftOut == 0 }
            #expect(!isWhole || person.duration == covered, place)
            #expect(person.audio + person.video == person.duration && person.joinedAt >= meeting.startedAt, place)
        }
    }

    @Test("Contract: equal inputs give equal effects and equal bytes", arguments: histories.prefix(6))
    func deterministic(seed: UInt64, durability: RelayConfiguration.Durability) {
        var one = History(seed: seed, durability)
        var two = History(seed: seed, durability)
        one.run(steps: 300)
        two.run(steps: 300)
        #expect(one.world.effects == two.world.effects)
        for (left, right) in zip(one.world.links, two.world.links) {
            #expect(left.replica.frames == right.replica.frames)
            #expect(left.pieces == right.pieces)
        }
        #expect(one.world.links.count == two.world.links.count)
    }
}
