import CallState
import Foundation
import RollcallProtocol
import Synchronization
import Testing

@testable import Rollcall

/// Tests with real sockets, one after the other.
@Suite(.serialized, .timeLimit(.minutes(2)))
enum SocketTests {}

extension SocketTests {
    /// The public API over real sockets.
    struct ClientTests {
        enum Kind: CaseIterable {
            case unix
            case tcp
        }

        /// The test's own reactor: what lives on it is the test's.
        let options = {
            var options = ClientOptions()
            options.reactor = SocketReactor()
            return options
        }()

        func withRelay(
            _ kind: Kind = .unix,
            _ body: (RollcallClient, SocketRelay) async throws -> Void
        ) async throws {
            let relay = try SocketRelay(kind == .unix ? .unix() : .tcp())
            defer { relay.stop() }
            try await body(RollcallClient(relay.address, options: options), relay)
            await expectNothingLeft()
        }

        /// Nothing of a call is left: no object, no socket, no thread.
        func expectNothingLeft() async {
            // What lets go last does so on the reactor's thread; the suite's time limit bounds the wait.
            while options.reactor.live.total > 0 || options.reactor.isRunning { await Task.yield() }
            #expect(options.reactor.live.total == 0)
            #expect(!options.reactor.isRunning)
        }

        @Test(arguments: Kind.allCases)
        func `R-19 join returns when the state is complete, and leaving leaves nothing`(kind: Kind) async throws {
            try await withRelay(kind) { client, _ in
                let ana = try await client.join("standup", as: .init(uid: "ana", name: "Ana", device: "laptop"))
                try await ana.raiseHand()
                let dan = try await client.join(
                    "standup",
                    as: .init(uid: "dan", name: "Dan"),
                    status: .init(audio: .on, video: .paused)
                )
                #expect(dan.state.people.map(\.name) == ["Ana", "Dan"])
                #expect(dan.state.raisedHands.map(\.uid) == ["ana"])
                #expect(dan.state.me?.audio == .on)
                #expect(dan.state.myDevice?.audio == .on)
                #expect(dan.state.meeting != nil && dan.state.startedAt > 0 && !dan.state.isLocked)
                #expect(dan.connection.isLive)
                #expect(dan.rights.contains(.participate))
                #expect(dan.session == "standup" && dan.address == client.address)
                #expect(dan.position == dan.state.position && dan.digest == dan.state.digest)
                await dan.leave()
                await dan.leave()
                #expect(dan.connection.isClosed)
                await ana.leave()
            }
        }

        @Test func `every command reaches the state that its author reads afterwards`() async throws {
            try await withRelay { client, _ in
                let ana = try await client.join("c", as: .init(uid: "ana", device: "a"))
                let ben = try await client.join(
                    "c",
                    as: .init(uid: "ben", device: "b"),
                    status: .init(audio: .on, video: .on)
                )
                try await ana.setAudio(.on)
                try await ana.setVideo(.on)
                try await ana.startPresenting()
                try await ana.setName("Anna")
                try await ana.setAvatar("a.png")
                try await ana.setAttribute("team", [1, 2])
                try await ana.raiseHand()
                var me = ana.state.me
                #expect(me?.audio == .on && me?.video == .on && me?.isPresenting == true && me?.hand == 1)
                #expect(me?.name == "Anna" && me?.avatar == "a.png" && me?.attribute("team") == [1, 2])
                #expect(ana.state.presenters.map(\.uid) == ["ana"])
                try await ana.stopPresenting()
                try await ana.lowerHand()
                me = ana.state.me
                #expect(me?.isPresenting == false && me?.hand == nil)

                try await ana.mute("ben")
                try await ana.pauseVideo("ben")
                try await ana.stopPresenting("ben")
                try await ana.lowerHand("ben")
                try await ana.requestUnmute("ben", for: .seconds(30))
                #expect(ana.state.person(uid: "ben")?.unmuteRequest?.uid == "ana")
                try await ben.declineUnmute()
                try await ana.lockAudio("ben", true)
                try await ana.lockVideo("ben", true)
                let locked = ana.state.person(uid: "ben")
                #expect(locked?.audio == .muted && locked?.video == .paused)
                #expect(locked?.isAudioLocked == true && locked?.isVideoLocked == true)
                try await ana.lockAudio("ben", false)
                try await ana.lockVideo("ben", false)
                try await ana.setRole(.moderator, of: "ben")
                #expect(ana.state.person(uid: "ben")?.role == .moderator)
                try await ana.muteAll()
                try await ana.lowerAllHands()

                try await ana.setTitle("plans")
                try await ana.setCallAttribute("k", [9])
                try await ana.lockCall(true)
                try await ana.startRecording()
                try await ana.spotlight(["ben", "ana"])
                let state = ana.state
                #expect(state.title == "plans" && state.attributes.map(\.value) == [[9]] && state.isLocked)
                #expect(state.recording?.uid == "ana" && state.recording?.name == "Anna")
                #expect(state.spotlight.map(\.uid) == ["ben", "ana"])
                try await ana.stopRecording()
                #expect(ana.state.recording == nil)

                try await ana.setModeration(.everyone)
                try await ana.setStandingMute(true)
                try await ana.setStandingCameraOff(true)
                try await ana.setHandsEnabled(false)
                try await ana.setPresenters(.one)
                try await ana.setGrace(.seconds(20))
                try await ana.setIdle(.zero)
                let policy = ana.state.policy
                #expect(policy.standingMute && policy.standingCameraOff && !policy.handsEnabled)
                #expect(policy.presenters == .one && policy.grace == 20_000 && policy.idle == 0)
                await #expect { try await ana.raiseHand() } throws: { ($0 as? RollcallError)?.code == .heldDown }

                try await ana.lockCall(false)
                try await ana.remove("ben")
                #expect(ana.state.person(uid: "ben") == nil)
                try await ana.readmit("ben")
                #expect(ana.pendingCommands == 0)
                await ana.leave()
            }
        }

        @Test func `who acts for others brings people in and out`() async throws {
            try await withRelay { client, _ in
                let bot = try await client.observe("c", as: .init(uid: "bot", device: "bot"))
                #expect(bot.state.me == nil && bot.state.myDevice == nil)
                let ana = try await client.join("c", as: .init(uid: "ana", device: "a"))
                try await bot.bringIn("zoe", device: "phone", name: "Zoe", status: .init(audio: .on))
                try await bot.state([.presenting(true)], of: "zoe", device: "phone")
                try await bot.stateDominantSpeaker("zoe")
                bot.speaking(true, for: "zoe", device: "phone")
                #expect(bot.state.dominantSpeaker?.name == "Zoe")
                #expect(bot.state.person(uid: "zoe")?.isPresenting == true)
                try await bot.stateDominantSpeaker(nil)
                try await bot.lowerAllHands()
                try await bot.takeOut("zoe", device: "phone")
                #expect(bot.state.people.map(\.uid) == ["ana"])
                await ana.leave()
                await bot.leave()
            }
        }

        @Test func `updates begin with all that is there, and go on with what changes`() async throws {
            try await withRelay { client, _ in
                let ana = try await client.join("c", as: .init(uid: "ana", device: "a"))
                let watcher = try await client.observe("c")
                var all = watcher.updates.makeAsyncIterator()
                let first = await all.next()
                #expect(
                    first?.events.contains { if case .joined(let who) = $0 { who.uid == "ana" } else { false } } == true
                )
                var later = watcher.updates(since: watcher.state).makeAsyncIterator()
                try await ana.raiseHand()
                let second = await later.next()
                guard case .hand(let person, .raised(1))? = second?.events.first else { throw Missing("a raised hand") }
                #expect(person.uid == "ana" && person.hand == 1)
                #expect(second?.state.raisedHands.map(\.uid) == ["ana"])
                #expect(await all.next()?.events == second?.events)
                await watcher.leave()
                #expect(await all.next() == nil)
                #expect(await later.next() == nil)
                await ana.leave()
            }
        }

        @Test func `a slow reader gets the sum`() async throws {
            try await withRelay { client, _ in
                let ana = try await client.join("c", as: .init(uid: "ana", device: "a"))
                var reader = ana.updates(since: ana.state).makeAsyncIterator()
                for index in 1...20 { try await ana.setTitle("t\(index)") }
                let update = await reader.next()
                #expect(update?.events == [.title("t20")])
                await ana.leave()
            }
        }

        @Test func `R-29 a lost link is made again, and updates tell what happened meanwhile`() async throws {
            try await withRelay { client, relay in
                let ana = try await client.join("c", as: .init(uid: "ana", device: "a"))
                var connections = ana.connectionUpdates.makeAsyncIterator()
                #expect(await connections.next()?.isLive == true)
                relay.cutAll()
                guard case .reconnecting? = await connections.next() else { throw Missing("reconnecting") }
                // Shown at once, done when the link is back.
                async let raised = ana.raiseHand()
                #expect(await connections.next()?.isLive == true)
                _ = try await raised
                #expect(ana.state.me?.hand == 1)
                ana.cutLink()
                guard case .reconnecting? = await connections.next() else { throw Missing("reconnecting") }
                #expect(await connections.next()?.isLive == true)
                #expect(ana.state.me?.hand == 1)
                ana.resync()
                ana.speaking(true)
                try await ana.setTitle("after")
                #expect(ana.state.title == "after")
                await ana.leave()
                guard case .closed(.left)? = await connections.next() else { throw Missing("closed") }
                #expect(await connections.next() == nil)
            }
        }

        @Test func `R-32 a second join of the same device replaces the first, which stays away`() async throws {
            try await withRelay { client, _ in
                let first = try await client.join("c", as: .init(uid: "ana", device: "a"))
                let second = try await client.join("c", as: .init(uid: "ana", device: "a"))
                for await state in first.connectionUpdates where state.isClosed {}
                guard case .closed(let reason) = first.connection else { throw Missing("closed") }
                #expect([.replaced, .staleAttempt].contains(reason.error?.code))
                #expect(second.connection.isLive && second.state.peopleCount == 1)
                await second.leave()
            }
        }

        @Test func `dropping the call leaves it`() async throws {
            try await withRelay { client, _ in
                let watcher = try await client.observe("c")
                var call: Call? = try await client.join("c", as: .init(uid: "ana", device: "a"))
                var updates = watcher.updates.makeAsyncIterator()
                // The watcher may hear of the join after the one who joined.
                var last = await updates.next()
                while last?.state.peopleCount == 0 { last = await updates.next() }
                #expect(last?.state.peopleCount == 1)
                #expect(call?.connection.isLive == true)
                call = nil
                last = await updates.next()
                while last?.state.peopleCount == 1 { last = await updates.next() }
                #expect(last?.events.contains { if case .left(_, .left) = $0 { true } else { false } } == true)
                await watcher.leave()
            }
        }

        @Test func `queries need no join`() async throws {
            try await withRelay(.tcp) { client, _ in
                #expect(try await client.calls().isEmpty)
                let ana = try await client.join("c", as: .init(uid: "ana", device: "a"))
                try await ana.setTitle("plans")
                #expect(try await client.calls().map(\.title) == ["plans"])
                #expect(try await client.connections().contains { $0.uid == "ana" })
                let peek = try await client.peek("c")
                #expect(peek.title == "plans" && peek.digest == ana.digest && peek.people.map(\.uid) == ["ana"])
                await #expect { try await client.peek("nobody") } throws: {
                    ($0 as? RollcallError)?.code == .noSuchCall
                }
                #expect(try await client.ping() > .zero)
                await ana.leave()
            }
        }

        @Test func `R-111 R-113 call logs, page by page`() async throws {
            try await withRelay(.unix) { client, _ in
                #expect(try await client.attendance().meetings.isEmpty)
                for number in 0..<5 {
                    let name = "Person \(number)"
                    let call = try await client.join(
                        "c\(number)",
                        as: .init(uid: "u\(number)", name: name, device: "d")
                    )
                    if number == 3 { try await call.startRecording() }
                    await call.leave()
                }
                let ana = try await client.join(
                    "c0",
                    as: .init(uid: "ana", device: "a"),
                    status: Status(audio: .on, video: .on)
                )
                var pages = client.attendancePages(limit: 4)
                let first = try #require(try await pages.next())
                #expect(first.meetings.map(\.session) == ["c0", "c4", "c3", "c2"] && first.hasMore)
                #expect(first.meetings[0].isRunning && first.meetings[0].meeting == ana.state.meeting)
                #expect(first.meetings[2].hasRecording && first.meetings[2].recordings[0].uid == "u3")
                #expect(first.meetings[2].recordings[0].to == first.meetings[2].endedAt)
                #expect(first.meetings[1].participants.map(\.name) == ["Person 4"])
                #expect(first.meetings[1].participants[0].devices.map(\.deviceID) == ["d"])
                #expect(try await pages.next()?.meetings.map(\.session) == ["c1", "c0"])
                #expect(try await pages.next() == nil)
                #expect(try await pages.previous()?.meetings.map(\.id) == first.meetings.map(\.id))
                #expect(try await pages.previous() == nil)
                let filter = AttendanceFilter(uid: "u3", isRunning: false, hasRecording: true)
                #expect(try await client.attendance(filter).meetings.map(\.session) == ["c3"])
                #expect(try await client.attendance(filter, people: .nobody).meetings[0].participants.isEmpty)
                let oldest = try await client.attendance(limit: 2, at: .oldest)
                #expect(oldest.meetings.map(\.session) == ["c1", "c0"] && oldest.hasMore)
                for limit in [0, 101] {
                    await #expect { try await client.attendance(limit: limit) } throws: { Self.isInvalid($0) }
                }
                let long = AttendanceFilter(session: String(repeating: "s", count: 129))
                await #expect { try await client.attendance(long) } throws: { Self.isInvalid($0) }
                let empty = AttendanceFilter(uid: "")
                await #expect { try await client.attendance(empty) } throws: { Self.isInvalid($0) }
                let foreign = AttendancePlace.older(than: AttendanceCursor(bytes: [1, 2, 3]))
                await #expect { try await client.attendance(at: foreign) } throws: {
                    ($0 as? RollcallError)?.code == .badRequest
                }
                await ana.leave()
            }
        }

        @Test func `many clients share one thread`() async throws {
            try await withRelay { client, _ in
                let calls = try await withThrowingTaskGroup { group in
                    for index in 0..<100 {
                        group.addTask { try await client.join("big", as: .init(uid: "p\(index)", device: "d")) }
                    }
                    var calls: [Call] = []
                    for try await call in group { calls.append(call) }
                    return calls
                }
                for call in calls {
                    for await update in call.updates where update.state.peopleCount == 100 { break }
                }
                #expect(Set(calls.map(\.digest)).count == 1)
                await withTaskGroup { group in
                    for call in calls { group.addTask { await call.leave() } }
                }
            }
        }

        @Test @MainActor func `the model follows the call`() async throws {
            let relay = try SocketRelay(.unix())
            defer { relay.stop() }
            let client = RollcallClient(relay.address, options: options)
            do {
                let ana = try await client.join("c", as: .init(uid: "ana", device: "a"))
                let model = CallModel(ana)
                #expect(model.people.map(\.uid) == ["ana"] && model.me?.uid == "ana" && model.connection.isLive)
                try await ana.raiseHand()
                try await ana.startRecording()
                try await ana.spotlight(["ana"])
                try await ana.setTitle("plans")
                while model.title != "plans" { await Task.yield() }
                #expect(model.raisedHands.map(\.uid) == ["ana"])
                #expect(model.recording?.uid == "ana" && model.spotlight.map(\.uid) == ["ana"])
                #expect(model.dominantSpeaker == nil && model.state.title == "plans")
                await ana.leave()
                while !model.connection.isClosed { await Task.yield() }
            }
            await expectNothingLeft()
        }
    }
}
