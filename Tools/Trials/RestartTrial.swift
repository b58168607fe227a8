import Foundation
import Processes
import Rollcall

/// A planned restart: everybody comes back by a difference, and nobody is seen to leave.
package struct RestartTrial: Sendable {
    /// How many clients there are.
    package var clients = 1_000
    /// How many calls they are in.
    package var calls = 20
    /// What is kept, and when it counts.
    package var durability = "sync"

    /// The trial as the figures want it.
    package init() {}

    /// Holds it.
    package func run(_ report: TrialReport) async throws {
        let scratch = try Scratch()
        let options = ["--store", scratch.path + "/store.db", "--durability", durability]
        var relay = try await RelayProcess(options: options, scratch: scratch)
        let book = FrameBook()
        let crowd = try await Crowd.join(clients, calls: calls, at: relay.address, book)
        let before = try await crowd.settle(1)
        report.figure("planned restart", "\(clients) clients in \(calls) calls, durability \(durability)")
        report.require("copies that differ before", before, is: 0)

        book.open()
        let joins = crowd.members.indices.map { book.joins(of: $0) }
        let begun = ContinuousClock.now
        relay.send(SIGTERM)
        let status = await relay.end()
        report.require("exit status of the stop", Int(status), is: 0)
        relay = try await RelayProcess(options: options, scratch: scratch)
        let started = ContinuousClock.now
        try await crowd.waitUntilBack(book, since: joins)
        let back = ContinuousClock.now
        let after = try await crowd.settle(2)
        let counts = book.now
        report.figure("the relay was away", Self.seconds(started - begun))
        report.figure("all were back after", Self.seconds(back - begun))
        report.require("resumed", counts.resumed, is: clients)
        report.require("snapshots", counts.snapshots, is: 0)
        report.require("left events seen by anybody", counts.left, is: 0)
        report.figure("lost links seen", "\(counts.lostLinks)")
        report.require("copies that differ after", after, is: 0)
        await crowd.leave()
        relay.send(SIGTERM)
        _ = await relay.end()
    }

    static func seconds(_ duration: Duration) -> String {
        "\(Double(Int(duration / .milliseconds(10))) / 100) s"
    }
}
