import Foundation
import Randomness
package import Rollcall

/// A network that fails when one wants it: it stands between clients and a relay and passes their bytes on.
///
/// Every order is done before it returns: what comes after it meets the network as ordered. Nothing is delayed or lost
/// unless a ``FaultShape`` says so, and nothing polls: one thread waits in the system for all connections of a proxy.
package final class FaultProxy: Sendable {
    /// Which way bytes go.
    package enum Direction: Int, Sendable, CaseIterable {
        /// From the client to the relay.
        case toRelay
        /// From the relay to the client.
        case toClient
    }

    /// What becomes of a new connection.
    package enum Admission: Sendable {
        /// It is made to the relay too.
        case pass
        /// It is ended at once.
        case refuse
        /// It stands, but nothing that is sent on it arrives anywhere.
        case swallow
    }

    /// How things are at one moment.
    package struct Status: Sendable {
        /// How many connections clients have made so far, also those that were refused.
        package var accepted = 0
        /// The numbers of the connections that stand, from 0 in order of being made.
        package var open: [Int] = []
        /// The bytes that are held back, by direction.
        package var held: [Direction: Int] = [.toRelay: 0, .toClient: 0]
        /// The bytes that were passed on, by direction.
        package var passed: [Direction: Int] = [.toRelay: 0, .toClient: 0]
    }

    /// Where clients connect.
    package let address: Address
    private let mailbox: FaultMailbox

    /// Begins to listen, in front of the relay at `relay`.
    ///
    /// The relay need not be there yet: each connection looks for it anew.
    ///
    /// - Parameters:
    ///   - address: Where; TCP port 0 lets the system choose one. A UNIX socket is removed at the proxy's end.
    ///   - relay: Where connections go.
    ///   - seed: What the jitter is drawn from.
    package init(listeningAt address: Address, to relay: Address, seed: UInt64 = 1) throws {
        let listener = try Descriptor.listening(at: address)
        self.address = listener.address
        let mailbox = try FaultMailbox()
        self.mailbox = mailbox
        let thread = Thread {
            var loop = FaultLoop(listener: listener.descriptor, relay: relay, random: SplitMix64(seed: seed))
            mailbox.serve(&loop)
            loop.close()
        }
        thread.name = "fault proxy"
        thread.start()
    }

    deinit {
        mailbox.stop()
        if case .unix(let path) = address { unlink(path) }
    }

    // MARK: Faults

    /// Ends connections on both sides without a word; what was on its way is lost.
    ///
    /// - Parameter number: Which one, in the order of their making; nil is all.
    package func cut(_ number: Int? = nil) async {
        await mailbox.order { $0.cut(number) }
    }

    /// Connections stand, but nothing that is sent on them arrives any more, and neither side hears of the other's end.
    package func swallow(_ number: Int? = nil) async {
        await mailbox.order { $0.swallow(number) }
    }

    /// Makes connections worse, those that stand too.
    ///
    /// - Parameter number: Which one, in the order of their making, also one that is still to come; nil is all others,
    ///   and those to come.
    package func shape(_ shape: FaultShape, _ number: Int? = nil) async {
        await mailbox.order { $0.shape(shape, number) }
    }

    /// What becomes of new connections from now on.
    package func admit(_ admission: Admission) async {
        await mailbox.order { $0.admission = admission }
    }

    /// Passes nothing on in these directions, of any connection, until ``release(_:)``; it is kept in order.
    package func hold(_ directions: Direction...) async {
        await mailbox.order { loop in for direction in directions { loop.hold(direction, true) } }
    }

    /// Passes on again, first what was kept.
    package func release(_ directions: Direction...) async {
        await mailbox.order { loop in for direction in directions { loop.hold(direction, false) } }
    }

    /// Passes on so many bytes more of each connection that stands, and then cuts it: inside a frame, if `count` says
    /// so.
    package func cut(after count: Int, _ direction: Direction) async {
        await mailbox.order { $0.limit(direction, to: count) }
    }

    /// Loses the next whole frames that the relay sends on each connection that stands, as no network does: a fault of
    /// the relay, or of what stands between.
    package func lose(frames count: Int) async {
        await mailbox.order { $0.lose(frames: count) }
    }

    /// New connections go to another relay, or to the same one that listens somewhere else now.
    package func redirect(to relay: Address) async {
        await mailbox.order { $0.relay = relay }
    }

    // MARK: Looking

    /// How things are now.
    package var status: Status {
        get async { await mailbox.order { $0.status } }
    }

    /// Waits until something is so; the proxy looks whenever something has happened to it.
    ///
    /// - Throws: When it is not so after `patience`, which is an error.
    package func until(
        _ expectation: String,
        patience: Duration = .seconds(120),
        _ condition: @escaping @Sendable (Status) -> Bool
    ) async throws {
        let last = await withCheckedContinuation { continuation in
            mailbox.post { $0.wait(for: condition, patience, continuation) }
        }
        if let last { throw FaultError("the proxy never saw that \(expectation); at last: \(last)") }
    }
}
