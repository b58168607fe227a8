import CallState
import CallStore
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

extension RelayProcessTests {
    /// A relay with a file to keep its calls in, as a process: what it says, and what comes back after its end.
    @Suite struct StoreTests {
        private func start(_ scratch: Scratch, _ options: String...) async throws -> RelayProcess {
            try await RelayProcess(options: ["--store=\(scratch.path)/calls.db"] + options, scratch: scratch)
        }

        private func client(_ relay: RelayProcess) -> RollcallClient { RollcallClient(relay.address) }

        @Test(arguments: ["sync", "async"])
        func afterAPlannedStopTheCallGoesOnWhereItWas(durability: String) async throws {
            let scratch = try Scratch()
            let first = try await start(scratch, "--durability=\(durability)", "--resume-after=1ms")
            let call = try await client(first).join("standup", as: Identity(uid: "ana", name: "Ana", device: "laptop"))
            try await call.raiseHand()
            try await call.setTitle("Daily")
            let before = call.state
            first.send(SIGTERM)
            #expect(await first.end() == 0)
            let second = try await start(scratch, "--durability=\(durability)")
            // Queued until it is back.
            try await call.setAudio(.on)
            // Of the same epoch, with the same people in the same places.
            #expect(call.state.position.epoch == before.position.epoch)
            #expect(call.state.title == "Daily")
            #expect(call.state.people.map(\.joinedAt) == before.people.map(\.joinedAt))
            await call.leave()
            second.send(SIGTERM)
            #expect(await second.end() == 0)
            let check = try await RelayProcess.run("--check=\(scratch.path)/calls.db")
            #expect(check.status == 0, "\(check)")
            #expect(check.output.contains("calls 0, meetings 1"))
        }

        @Test func afterAKillNothingThatWasAcknowledgedIsMissing() async throws {
            let scratch = try Scratch()
            let first = try await start(scratch)
            let call = try await client(first).join("standup", as: Identity(uid: "ana", name: "Ana", device: "laptop"))
            try await call.setTitle("Daily")
            try await call.raiseHand()
            let before = call.state
            first.send(SIGKILL)
            #expect(await first.end() == -SIGKILL)
            let check = try await RelayProcess.run("--check=\(scratch.path)/calls.db")
            #expect(check.status == 0, "\(check)")
            #expect(check.output.contains("call \"standup\": position \(before.position), people 1, devices 1"))
            #expect(check.output.hasSuffix("not clean\nsound"))

            let second = try await start(scratch)
            let eva = try await client(second).join("standup", as: Identity(uid: "eva", device: "phone"))
            #expect(eva.state.position.epoch > before.position.epoch)
            #expect(eva.state.title == "Daily")
            #expect(eva.state.people.map(\.uid) == ["ana", "eva"])
            #expect(eva.state.people.first?.hand == 1)
            await eva.leave()
            await call.leave()
            second.send(SIGKILL)
            _ = await second.end()
        }

        @Test func aSecondRelayOnTheFileIsRefused() async throws {
            let scratch = try Scratch()
            let first = try await start(scratch)
            let path = "\(scratch.path)/calls.db"
            let second = try await RelayProcess.run("--store=\(path)", "--listen=unix:\(scratch.path)/second.sock")
            #expect(second.status == 69)
            #expect(
                second.errors == """
                    rollcall-relay: can't keep calls in \(path): another relay (process \(first.pid)) keeps its calls in it
                      Stop that one first, or name another file.
                    """
            )
            #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/second.sock"))
            // A crash leaves no lock behind.
            first.send(SIGKILL)
            _ = await first.end()
            let third = try await start(scratch)
            third.send(SIGTERM)
            #expect(await third.end() == 0)
        }

        @Test func aFileThatCanNotBeUsedEndsTheRelayBeforeItListens() async throws {
            let scratch = try Scratch()
            let text = try scratch.write("a text\n", to: "text")
            let listen = "--listen=unix:\(scratch.path)/relay.sock"
            let cases: [(path: String, status: Int32, words: String)] = [
                (text, 65, "it is no SQLite database"),
                (scratch.path, 78, "it is a directory"),
                ("\(scratch.path)/no/calls.db", 73, "there is no directory \(scratch.path)/no"),
                ("/dev/null", 78, "it is no regular file"),
                (":memory:", 78, "that is no file, and nothing would outlive the relay"),
                ("\(scratch.path)/" + String(repeating: "x", count: 300), 73, "the path, or a name in it, is too long"),
            ]
            for (path, status, words) in cases {
                let ending = try await RelayProcess.run("--store=\(path)", listen, "--log-level=error")
                #expect(ending.status == status)
                #expect(ending.errors.hasPrefix("rollcall-relay: can't keep calls in \(path): \(words)"))
                #expect(ending.output.isEmpty)
            }
            #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/relay.sock"))
            #expect(try String(contentsOfFile: text, encoding: .utf8) == "a text\n")
        }

        @Test func checkTellsWhatIsWrongAndWritesNothing() async throws {
            let scratch = try Scratch()
            let missing = try await RelayProcess.run("--check=\(scratch.path)/calls.db")
            #expect(missing.status == 66)
            #expect(missing.errors == "rollcall-relay: \(scratch.path)/calls.db: there is no such file")
            let relay = try await start(scratch)
            let call = try await client(relay).join("standup", as: Identity(uid: "ana", device: "laptop"))
            let live = try await RelayProcess.run("--check=\(scratch.path)/calls.db")
            #expect(live.status == 0)
            #expect(live.output.contains("call \"standup\": position \(call.state.position), people 1"))
            relay.send(SIGTERM)
            _ = await relay.end()
            await call.leave()
            let file = URL(fileURLWithPath: "\(scratch.path)/calls.db")
            var bytes = try Data(contentsOf: file)
            // In the middle of what was kept of the call: its session id.
            let place = try #require(bytes.range(of: Data("standup".utf8)))
            bytes[place.lowerBound] = UInt8(ascii: "S")
            try bytes.write(to: file)
            let damaged = try await RelayProcess.run("--check=\(scratch.path)/calls.db")
            #expect(damaged.status == 65)
            #expect(damaged.output.contains("  fault: \""))
            #expect(damaged.output.contains("\ndamaged: "))
            #expect(try Data(contentsOf: file) == bytes)
            let refused = try await RelayProcess.run("--store=\(scratch.path)/calls.db")
            #expect(refused.status == 65)
            #expect(try Data(contentsOf: file) == bytes)
        }

        /// As with a full disk: nothing can be kept, and nothing that is not is told.
        @Test("R-122: a store that fails refuses commands, goes on answering, and recovers")
        func aStoreThatFailsAndRecovers() async throws {
            let scratch = try Scratch()
            let relay = try await start(scratch)
            let call = try await client(relay).join("standup", as: Identity(uid: "ana", name: "Ana", device: "laptop"))
            let ben = try await client(relay).join("standup", as: Identity(uid: "ben", device: "phone"))
            let path = "\(scratch.path)/calls.db"
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            // Done when nobody knows yet that it can't be kept: it waits.
            let first = Task { try await call.setTitle("Daily") }
            let failed = await relay.log.next(with: " store-unavailable ")
            #expect(failed?.hasSuffix("cause=\"the file was moved or removed while it was in use\"") == true)
            await #expect { try await ben.raiseHand() } throws: { ($0 as? RollcallError)?.code == .store }
            #expect(try await client(relay).calls().map(\.session) == ["standup"])
            let seen = try await client(relay).peek("standup")
            #expect(seen.title.isEmpty && seen.people.map(\.uid) == ["ana", "ben"])
            #expect(seen.people.allSatisfy { $0.hand == nil })
            // Of the relay's own user, who could act for others: it only watches.
            let watcher = try await client(relay).observe("standup")
            #expect(watcher.state.people.map(\.uid) == ["ana", "ben"])
            await watcher.leave()
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
            _ = try await first.value
            #expect(await relay.log.next(with: " store-recovered ") != nil)
            try await ben.raiseHand()
            #expect(ben.state.title == "Daily")
            relay.send(SIGKILL)
            _ = await relay.end()
            let check = try await RelayProcess.run("--check=\(path)")
            #expect(check.output.contains("position \(ben.state.position), people 2"))
            await ben.leave()
            await call.leave()
        }

        @Test("R-105: a stop that could not keep everything is an error and says what is missing")
        func aStopThatKeepsNotEverythingFails() async throws {
            let scratch = try Scratch()
            let relay = try await start(scratch, "--close-timeout=200ms", "--resume-after=1h")
            let call = try await client(relay).join("standup", as: Identity(uid: "ana", device: "laptop"))
            let path = "\(scratch.path)/calls.db"
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            let unkept = Task { try await call.setTitle("Daily") }
            #expect(await relay.log.next(with: " store-unavailable ") != nil)
            relay.send(SIGTERM)
            #expect(await relay.end() == 74)
            let log = await relay.log.toTheEnd()
            #expect(log.contains { $0.contains(" error not-kept calls=1 session=standup ") })
            #expect(log.contains("rollcall-relay: stopped, but 1 call is not kept in \(path) as it was."))
            await call.leave()
            _ = try? await unkept.value
        }

        /// All of the file is looked at before the relay listens; its lock file says that it has begun.
        @Test func aSignalWhileTheStoreIsOpenedIsAStopInOrder() async throws {
            let scratch = try Scratch()
            let path = "\(scratch.path)/calls.db"
            let first = try await start(scratch)
            first.send(SIGTERM)
            #expect(await first.end() == 0)
            for _ in 0..<8 {
                let options = ["--store=\(path)", "--listen=unix:\(scratch.path)/relay.sock"]
                let relay = try ChildProcess(built: "rollcall-relay", options)
                while try String(contentsOfFile: path + "-lock", encoding: .utf8) != "\(relay.pid)\n" {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                relay.send(SIGTERM)
                #expect(await relay.end() == 0)
                #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/relay.sock"))
            }
        }

        @Test func checkLooksAtWhatIsPrivateToo() async throws {
            let scratch = try Scratch()
            let path = "\(scratch.path)/calls.db"
            let empty = try scratch.write("", to: "empty.db")
            let new = try await RelayProcess.run("--check=\(empty)")
            #expect(new.status == 0 && new.output == "\(empty): empty: a relay begins a new store in it")
            // Sound rows, made by a store, that no relay can go on with.
            let store = try SQLiteStore(path: path, wallClock: { 1_000 })
            var header = KeptHeader()
            header.position = Position(epoch: 1_000, seq: 0)
            header.rules = [0xff]
            _ = store.take(.claim("standup"))
            _ = store.take(.append(CallBatch(session: "standup", from: 0, header: header)))
            try store.start({ _ in }, contents: { _ in })
            await withCheckedContinuation { done in store.stop { done.resume() } }
            let check = try await RelayProcess.run("--check=\(path)")
            #expect(check.status == 65)
            #expect(check.output.contains("what the rules need can't be read"))
        }

        @Test func attendanceSurvivesACrash() async throws {
            let scratch = try Scratch()
            let first = try await start(scratch)
            let call = try await client(first).join("standup", as: Identity(uid: "ana", name: "Ana", device: "laptop"))
            await call.leave()
            var before = try await client(first).attendance()
            // It has said goodbye and not waited for the end.
            while before.meetings.first?.endedAt == nil { before = try await client(first).attendance() }
            first.send(SIGKILL)
            _ = await first.end()
            let second = try await start(scratch)
            let after = try await client(second).attendance()
            #expect(before.meetings.count == 1 && after.meetings.count == 1)
            for (one, other) in zip(after.meetings, before.meetings) {
                #expect(one.meeting == other.meeting && one.startedAt == other.startedAt)
                #expect(one.endedAt == other.endedAt && one.participants == other.participants)
            }
            second.send(SIGTERM)
            _ = await second.end()
        }

        @Test func theCountersTellOfTransactionsAndSyncs() async throws {
            let scratch = try Scratch()
            let relay = try await start(scratch)
            let call = try await client(relay).join("standup", as: Identity(uid: "ana", device: "laptop"))
            try await call.raiseHand()
            let counters = try await relay.counters()
            #expect(counters["store-claims"] == 1)
            #expect(counters["store-batches", default: 0] >= 2)
            #expect(counters["store-transactions", default: 0] >= 3)
            #expect(counters["store-syncs"] == counters["store-transactions"])
            #expect(counters["store-failures"] == 0)
            #expect(counters["store-bytes", default: 0] > 0)
            await call.leave()
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            #expect(await relay.log.toTheEnd().contains { $0.contains(" info store-opened path=") })
        }
    }
}
