import Foundation
package import Rollcall
import Synchronization

/// A network that fails when a test wants it: it stands between clients and a relay and passes their bytes on.
///
/// Every order is done before it returns: what comes after it meets the network as ordered. Nothing is delayed or lost
/// by itself, and nothing polls: one thread waits in the system for all connections of a proxy.
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

    /// What the proxy stands between.
    package enum Kind: Sendable {
        /// Clients connect to a UNIX socket.
        case unix
        /// Clients connect to TCP on the loopback interface.
        case tcp
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
    private let mailbox: Mailbox
    private let scratch: Scratch

    /// Begins to listen, in front of the relay at `relay`.
    ///
    /// The relay need not be there yet: each connection looks for it anew.
    package init(to relay: Address, _ kind: Kind = .unix) throws {
        scratch = try Scratch()
        let listener: Descriptor
        switch kind {
        case .unix: (listener, address) = try Descriptor.listening(path: scratch.path + "/proxy.sock")
        case .tcp: (listener, address) = try Descriptor.listeningOnLoopback()
        }
        let mailbox = try Mailbox()
        self.mailbox = mailbox
        let thread = Thread {
            var loop = FaultLoop(listener: listener, relay: relay)
            mailbox.serve(&loop)
            loop.close()
        }
        thread.name = "fault proxy"
        thread.start()
    }

    deinit { mailbox.stop() }

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

    /// Loses the next whole frames that the relay sends on each connection that stands, as no network does: a fault of the
    /// relay, or of what stands between.
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
    /// - Throws: When it is not so after `patience`, which is a failed test.
    package func until(
        _ expectation: String,
        patience: Duration = .seconds(120),
        _ condition: @escaping @Sendable (Status) -> Bool
    ) async throws {
        let last = await withCheckedContinuation { continuation in
            mailbox.post { $0.wait(for: condition, patience, continuation) }
        }
        if let last { throw Failure("the proxy never saw that \(expectation); at last: \(last)") }
    }
}

/// How tests speak to the thread of a proxy.
private final class Mailbox: Sendable {
    private struct Orders {
        var waiting: [@Sendable (inout FaultLoop) -> Void] = []
        var isStopped = false
    }

    private let orders = Mutex(Orders())
    private let ringing: Descriptor
    private let hearing: Descriptor

    init() throws {
        (hearing, ringing) = try Descriptor.pipe()
    }

    func post(_ order: @escaping @Sendable (inout FaultLoop) -> Void) {
        orders.withLock { orders in
            orders.waiting.append(order)
            ringing.ring()
        }
    }

    func order<Value: Sendable>(_ body: @escaping @Sendable (inout FaultLoop) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            post { continuation.resume(returning: body(&$0)) }
        }
    }

    func stop() {
        // Under the lock: once the thread has seen it, the bell's number may be another file's.
        orders.withLock { orders in
            orders.isStopped = true
            ringing.ring()
        }
    }

    /// The thread of the proxy.
    func serve(_ loop: inout FaultLoop) {
        while true {
            loop.turn(bell: hearing)
            let (waiting, isStopped) = orders.withLock { orders in
                defer { orders.waiting = [] }
                return (orders.waiting, orders.isStopped)
            }
            for order in waiting { order(&loop) }
            if isStopped {
                ringing.close()
                hearing.close()
                return
            }
        }
    }
}
