import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Several loops: answers and limits of the relay as a whole")
struct LoopsAnswerTests {
    private func calls(_ world: LoopsWorld, _ client: Int) -> [(calls: [CallSummary], more: Bool)] {
        world.replica(client).frames.compactMap { frame in
            if case .calls(_, let calls, let more) = frame { (calls, more) } else { nil }
        }
    }

    private func connections(_ world: LoopsWorld, _ client: Int) -> [(page: [ConnectionInfo], more: Bool)] {
        world.replica(client).frames.compactMap { frame in
            if case .connections(_, let page, let more) = frame { (page, more) } else { nil }
        }
    }

    @Test("R-134: pages of several loops make one in order, which leaves nothing out")
    func pages() {
        // The second has more behind 4, so that 5 and 9 must wait for the next page.
        let page = PageMerge([([1, 5, 9], false), ([2, 4], true)], room: 1_000, key: { $0 }, weight: { _ in 1 })
        #expect(page.entries == [1, 2, 4])
        #expect(page.hasMore)
        let full = PageMerge([([1, 5], false), ([2], false)], room: 2, key: { $0 }, weight: { _ in 1 })
        #expect(full.entries == [1, 2])
        #expect(full.hasMore)
        let last = PageMerge([([5], false), ([2], false)], room: 2, key: { $0 }, weight: { _ in 1 })
        #expect(last.entries == [2, 5])
        #expect(!last.hasMore)
        let none = PageMerge<Int>([([], false), ([], false)], room: 2, key: { $0 }, weight: { _ in 1 })
        #expect(none.entries.isEmpty && !none.hasMore)
    }

    @Test("R-106 R-134: List tells the calls of all loops, page by page")
    func list() {
        var world = LoopsWorld(3)
        var expected: [ByteString] = []
        for number in 0..<360 {
            let session = ByteString("call \(number) " + String(repeating: "x", count: 100))
            expected.append(session)
            _ = world.join("u", session, from: number % 3)
        }
        let client = world.greet(in: 1)
        var found: [ByteString] = []
        while true {
            world.give([.list(request: 7, after: found.last ?? .empty)], client)
            world.settle()
            guard let last = calls(world, client).last else { break }
            found += last.calls.map(\.session)
            if !last.more || last.calls.isEmpty { break }
        }
        #expect(found == expected.sorted())
        #expect(calls(world, client).count > 1)
    }

    @Test("R-108 R-134: Inspect tells the connections of all loops, each with a name of its own")
    func inspect() {
        var world = LoopsWorld(3)
        for loop in 0..<3 { _ = world.join("u\(loop)", world.session(in: loop), from: 0) }
        let admin = world.greet(in: 1, trusted: true)
        world.give([.inspect(request: 1, after: 0)], admin)
        world.settle()
        let page = connections(world, admin).last?.page ?? []
        #expect(page.map(\.uid).sorted() == ["", "u0", "u1", "u2"])
        #expect(Set(page.map(\.number)).count == 4)
        #expect(page.map(\.number) == page.map(\.number).sorted())
        let guest = world.greet(in: 1)
        world.give([.inspect(request: 2, after: 0)], guest)
        world.settle()
        guard case .error(let refusal, 2)? = world.replica(guest).frames.last else {
            Issue.record("no refusal")
            return
        }
        #expect(refusal.code == .forbidden)
    }

    @Test("R-111 R-134: any loop tells the call logs of all, and who has left has left")
    func attendance() {
        var world = LoopsWorld(3)
        for loop in 0..<3 {
            let client = world.join("u\(loop)", world.session(in: loop), from: 0)
            world.give([.leave(.left)], client)
        }
        world.settle()
        for loop in 0..<3 {
            let client = world.greet(in: loop)
            world.give([.attendance(request: 9, AttendanceQuery())], client)
            world.settle()
            guard case .attendance(9, let report)? = world.replica(client).frames.last else {
                Issue.record("no report: \(world.replica(client).frames)")
                return
            }
            #expect(report.meetings.count == 3)
            #expect(report.meetings.allSatisfy { $0.endedAt != nil })
            // A question that is none is refused as by a relay of one loop.
            var query = AttendanceQuery()
            query.cursor = [1, 2, 3]
            world.give([.attendance(request: 10, query)], client)
            world.settle()
            guard case .error(let refusal, 10)? = world.replica(client).frames.last else {
                Issue.record("no refusal: \(world.replica(client).frames)")
                return
            }
            #expect(refusal.code == .badRequest)
        }
    }

    @Test("R-134: what is sent behind a question waits for its answer, and keeps its order")
    func order() {
        var world = LoopsWorld(3)
        let session = world.session(in: 1)
        let ana = world.join("ana", session, from: 1)
        let before = world.replica(ana).frames.count
        world.give(
            [
                .list(request: 1, after: .empty),
                .command(Command(op: 1, settings: [Setting(.name("Ana"))])),
                .list(request: 2, after: .empty),
                .peek(session: session, request: 3),
            ],
            ana
        )
        world.settle()
        let words = world.replica(ana).frames.dropFirst(before).compactMap { frame -> String? in
            switch frame {
            case .calls(let request, _, _): "calls \(request)"
            case .ack(let ack): "ack \(ack.op)"
            case .error(_, let request): "error \(request)"
            default: nil
            }
        }
        #expect(words == ["calls 1", "ack 1", "calls 2", "error 3"])
        #expect(world.links[ana].isRead)
    }

    @Test("R-134: whoever has asked and is gone gets nothing, and neither does its place")
    func goneAsker() {
        var world = LoopsWorld(2)
        let client = world.greet(in: 0)
        world.turn()
        world.give([.list(request: 1, after: .empty)], client)
        #expect(world.cores[0].gatherings.count == 1)
        world.links[client].isClosed = true
        world.apply(.closed(world.links[client].id), to: 0)
        let other = world.greet(in: 0)
        world.settle()
        #expect(calls(world, other).isEmpty)
        #expect(world.cores[0].gatherings.isEmpty)
        // Nor does one that is told goodbye meanwhile.
        world.give([.list(request: 2, after: .empty)], other)
        world.apply(.stopping(resumeAfter: 0), to: 0)
        world.settle()
        #expect(calls(world, other).isEmpty)
        #expect(world.replica(other).closed?.code == .goingAway)
        #expect(world.cores[0].gatherings.isEmpty)
    }

    @Test("R-127 R-135: calls and connections are counted over all loops")
    func limits() {
        var configuration = RelayConfiguration()
        configuration.maximumCalls = 3
        configuration.maximumConnections = 5
        var world = LoopsWorld(3, configuration)
        for number in 0..<3 { _ = world.join("u\(number)", world.session(in: number), from: 2) }
        let fourth = world.join("ana", world.session(in: 0, 1), from: 0)
        #expect(world.replica(fourth).closed?.code == .limit)
        #expect(world.replica(fourth).closed?.text.contains("3 calls") == true)
        // Three are in; the fourth has gone.
        let more = (0..<3).map { world.greet(in: $0) }
        world.settle()
        #expect(more.map { world.replica($0).closed?.code } == [nil, nil, .overload])
        #expect(world.counts.connections == 5 && world.counts.calls == 3)
        world.give([.leave(.left)], 0)
        world.settle()
        let next = world.join("ben", world.session(in: 1, 1), from: 0)
        #expect(world.replica(next).joined?.outcome == .new)
    }

    @Test("R-125 R-135: every loop lets in its share of the joins that come to it, wherever they go")
    func joinShare() {
        var configuration = RelayConfiguration()
        configuration.joinRate = Rate(perSecond: 2, burst: 8)
        var world = LoopsWorld(2, configuration)
        let session = world.session(in: 1)
        let clients = (0..<12).map { world.join("u\($0)", session, from: $0 % 2) }
        // Of a burst of four in each loop half is for those who come back.
        #expect(clients.filter { world.replica($0).joined != nil }.count == 4)
        #expect(world.links.filter { $0.loop == 1 && !$0.isClosed }.count == 4)
        let refused = clients.compactMap { world.replica($0).closed }
        #expect(refused.allSatisfy { $0.code == .overload && $0.text.contains("2 in a second") })
        #expect(LoopPlace.alone.share(of: configuration.joinRate) == configuration.joinRate)
    }

    @Test("R-134: a question to other loops takes one page of each, however many are asked at once")
    func bounded() {
        var world = LoopsWorld(3)
        let client = world.greet(in: 0)
        world.turn()
        world.give((1...40).map { .list(request: $0, after: .empty) }, client)
        #expect(world.messages.count == 2)
        #expect(!world.links[client].isRead)
        world.settle()
        #expect(calls(world, client).count == 40)
        #expect(world.replica(client).closed == nil)
    }
}
