import Synchronization

/// How others speak to the thread of a proxy.
final class FaultMailbox: Sendable {
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
