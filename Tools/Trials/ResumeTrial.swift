import CallState
import Faults
import Foundation
import Processes
import Rollcall
import RollcallProtocol

/// A client comes back after a while to a large call in which little has changed: it gets little.
package struct ResumeTrial: Sendable {
    /// How many people are in the call.
    package var people = 2_000
    /// How many fields change while the client is away.
    package var changes = 50
    /// How long it is away, in ms.
    package var away = 10_000
    /// How many bytes it may receive then.
    package var limit = 4_096

    /// The trial as the figures want it.
    package init() {}

    /// Holds it.
    package func run(_ report: TrialReport) async throws {
        let relay = try await RelayProcess("--ping-interval", "20m", "--dead-after", "1h", "--grace", "120s")
        let scratch = try Scratch()
        let proxy = try FaultProxy(listeningAt: .unix(scratch.path + "/proxy.sock"), to: relay.address)
        var identity = Identity(uid: "bot")
        identity.device = "bot"
        let bot = try await RollcallClient(relay.address).observe("town-hall", as: identity)
        for begin in stride(from: 0, to: people - 1, by: 64) {
            let settings = (begin..<min(people - 1, begin + 64)).map { number in
                Setting(target: Self.device(number), .bringIn(BringIn()))
            }
            _ = try await bot.perform(settings)
        }
        let book = FrameBook()
        var options = ClientOptions()
        options.onFrame = { book.note($0, from: 0) }
        options.reconnect.cap = .milliseconds(500)
        let call = try await RollcallClient(proxy.address, options: options).join("town-hall", as: Identity(uid: "ana"))
        report.figure("resume", "\(call.state.peopleCount) people, \(changes) changes in \(away) ms offline")

        await proxy.admit(.refuse)
        await proxy.cut()
        let end = ContinuousClock.now + .milliseconds(away)
        for number in 0..<changes {
            let paused = number % 2 == 0
            _ = try await bot.perform([
                Setting(target: Self.device(number), paused ? .videoPaused(false) : .audioMuted(false))
            ])
        }
        try await Task.sleep(until: end)
        let before = await proxy.status.passed[.toClient] ?? 0
        book.open()
        let joins = book.joins(of: 0)
        await proxy.admit(.pass)
        try await Crowd.waitUntilBack(call, 0, book, since: joins)
        let bytes = (await proxy.status.passed[.toClient] ?? 0) - before
        let truth = try await RollcallClient(relay.address).peek("town-hall")
        report.require("resumed by a difference", book.now.resumed, is: 1)
        report.require("snapshots", book.now.snapshots, is: 0)
        report.require("bytes received", bytes, atMost: limit)
        report.require("copies that differ", call.state.digest == truth.digest ? 0 : 1, is: 0)
        await call.leave()
        await bot.leave()
        relay.send(SIGTERM)
        _ = await relay.end()
    }

    private static func device(_ number: Int) -> Target { Target(uid: ByteString("guest-\(number)"), device: "d") }
}
