import Addresses
import CallState
import CallStore
import EventLoop
import Foundation
import Randomness
import RelayCore
import Rollcall
import Synchronization
import TestSupport

@testable import Relay

/// A relay of several loops in the process of the test, so that the sanitizers see it, until it is told to stop.
final class LoopsServer: Sendable {
    /// Lines of a log, from any thread.
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }

        /// The lines about `event`.
        func about(_ event: String) -> [String] {
            lines.withLock { $0.filter { $0.contains(" \(event) ") || $0.hasSuffix(" \(event)\n") } }
        }
    }

    /// Where calls are kept.
    enum Place: Sendable {
        /// In memory.
        case nowhere
        /// In this file, and nothing is shown before.
        case file(String)
        /// In a store that the test makes.
        case double(@Sendable () -> any CallStore)
    }

    let addresses: [Rollcall.Address]
    let homes: CallHomes
    let log: Lines
    private let stops: Mailbox<Void>
    private let ended: AsyncStream<StopLoss?>

    /// What the first loop's thread tells once it listens.
    private struct Started: Sendable {
        let addresses: [String]
        let homes: CallHomes
        let stops: Mailbox<Void>
    }

    private init(_ started: Started, _ log: Lines, _ ended: AsyncStream<StopLoss?>) throws {
        addresses = try started.addresses.map { try Rollcall.Address.parse($0) }
        homes = started.homes
        stops = started.stops
        self.log = log
        self.ended = ended
    }

    /// Starts a relay of so many loops.
    ///
    /// - Parameter place: Where calls are kept.
    static func start(
        _ loops: Int,
        keeping place: Place = .nowhere,
        _ change: @escaping @Sendable (inout RelaySettings) -> Void = { _ in }
    ) async throws -> LoopsServer {
        let (ended, end) = AsyncStream.makeStream(of: StopLoss?.self)
        let lines = Lines()
        let started: Started = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let loop = try EventLoop()
                    var settings = RelaySettings(addresses: [.tcp(host: "127.0.0.1", port: 0)])
                    settings.loops = loops
                    settings.rules.helloTimeout = 3_600_000
                    settings.rules.deadAfter = 3_600_000
                    settings.rules.isAdminOpen = true
                    change(&settings)
                    let log = Log(level: .debug, format: .text, wallClock: { 0 }, write: lines.append)
                    let kept: (any CallStore)?
                    switch place {
                    case .nowhere: kept = nil
                    case .file(let path):
                        settings.rules.durability = .sync
                        kept = try SQLiteStore(path: path) { UInt64(EventLoop.wallClock()) }
                    case .double(let make):
                        settings.rules.durability = .async
                        kept = make()
                    }
                    let relay = try RelayLoops(loop: loop, settings: settings, log: log, store: kept) {
                        SystemRandomNumberGenerator()
                    }
                    try relay.start()
                    let stops = try Mailbox<Void>(loop: loop) { _ in
                        relay.first.logCounters()
                        relay.first.stop()
                    }
                    let addresses = relay.boundAddresses.map(\.description)
                    continuation.resume(
                        returning: Started(addresses: addresses, homes: relay.first.place.homes, stops: stops)
                    )
                    withExtendedLifetime(relay) { loop.run() }
                    relay.finish()
                    loop.shutDown()
                    end.yield(relay.first.loss)
                } catch { continuation.resume(throwing: error) }
                end.finish()
            }
        }
        return try LoopsServer(started, lines, ended)
    }

    /// Tells it to write its counters and to stop.
    func stop() { stops.post(()) }

    /// Waits for its end, and gives what it could not keep.
    func end() async -> StopLoss? {
        for await loss in ended { return loss }
        return nil
    }

    /// The `number`th session whose home is `loop`.
    func session(in loop: Int, _ number: Int = 0) -> ByteString {
        var left = number
        for suffix in 0... {
            let session = ByteString("call-\(suffix)")
            guard homes.home(of: session) == loop else { continue }
            if left == 0 { return session }
            left -= 1
        }
        return .empty
    }
}
