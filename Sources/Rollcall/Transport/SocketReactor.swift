import Foundation
import Synchronization

/// Something that the reactor watches.
protocol ReactorSource: AnyObject, Sendable {
    /// The descriptor is ready; `buffer` is for use during the call. On the reactor's thread.
    func ready(_ readiness: Readiness, buffer: UnsafeMutableRawBufferPointer)
}

/// One thread that does the waiting for the connections and deadlines of its clients.
///
/// The thread runs while there is a descriptor to watch or a timer armed, and ends with the last of them. It wakes for
/// nothing else. Callbacks run on it without a lock held, and must not block.
package final class SocketReactor: Sendable {
    /// The reactor of all clients that are not given another.
    package static let shared = SocketReactor()

    /// The objects that stand on it.
    package let live = LiveObjects()

    private struct State {
        var poller: (any Poller)?
        var sources: [UInt64: any ReactorSource] = [:]
        var timers = TimerQueue()
        var posted: [@Sendable () -> Void] = []
        var nextID: UInt64 = 1
        /// Until when the thread sleeps at the longest; nil while it is awake.
        var sleepsUntil: UInt64?

        var isIdle: Bool { sources.isEmpty && timers.armed == 0 && posted.isEmpty }
    }

    private let state = Mutex(State())
    private let makePoller: @Sendable () -> (any Poller)?

    /// A reactor with a thread of its own.
    package convenience init() {
        self.init(makePoller: SocketReactor.systemPoller)
    }

    /// A reactor whose thread waits in another way.
    init(makePoller: @escaping @Sendable () -> (any Poller)?) {
        self.makePoller = makePoller
    }

    private static let systemPoller: @Sendable () -> (any Poller)? = {
        #if os(Linux)
            EpollPoller()
        #else
            PollPoller()
        #endif
    }

    /// Whether the thread runs; for tests.
    package var isRunning: Bool { state.withLock { $0.poller != nil } }

    // MARK: Descriptors

    /// Watches a descriptor.
    ///
    /// - Returns: The number to change and remove it by; nil when the system has no descriptor left for the watching.
    func add(_ descriptor: Int32, _ source: any ReactorSource, _ interest: Readiness) -> UInt64? {
        state.withLock { state in
            guard let poller = run(&state) else { return nil }
            let id = state.nextID
            guard poller.add(descriptor, id: id, interest) == 0 else { return nil }
            state.nextID += 1
            state.sources[id] = source
            return id
        }
    }

    /// Watches a descriptor for something else.
    func change(_ descriptor: Int32, _ id: UInt64, _ interest: Readiness) {
        state.withLock { state in
            if state.sources[id] != nil { state.poller?.change(descriptor, id: id, interest) }
        }
    }

    /// Watches a descriptor no more; it can be closed then.
    func remove(_ descriptor: Int32, _ id: UInt64) {
        state.withLock { state in
            guard state.sources.removeValue(forKey: id) != nil else { return }
            state.poller?.remove(descriptor)
            // The thread shall see that there is nothing left to do.
            if state.isIdle { wake(&state) }
        }
    }

    // MARK: Time

    /// A timer that is not armed; its action runs on the reactor's thread.
    func makeTimer(_ action: @escaping @Sendable () -> Void) -> ReactorTimer {
        let id = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.timers.add(id, action: action)
            return id
        }
        return ReactorTimer(reactor: self, id: id)
    }

    /// Runs an action on the reactor's thread, soon; for want of descriptors to run that, on one made for it.
    func post(_ action: @escaping @Sendable () -> Void) {
        let isPosted = state.withLock { state in
            guard run(&state) != nil else { return false }
            state.posted.append(action)
            wake(&state)
            return true
        }
        if !isPosted { Thread { action() }.start() }
    }

    fileprivate func set(_ id: UInt64, to deadline: UInt64?) {
        state.withLock { state in
            state.timers.set(id, to: deadline)
            if deadline == nil {
                if state.isIdle { wake(&state) }
            } else if run(&state) != nil, let until = state.sleepsUntil, let next = state.timers.next, next < until {
                wake(&state)
            }
        }
    }

    fileprivate func remove(timer id: UInt64) {
        state.withLock { state in
            state.timers.remove(id)
            if state.isIdle { wake(&state) }
        }
    }

    // MARK: The thread

    private func wake(_ state: inout State) {
        guard state.sleepsUntil != nil else { return }
        state.sleepsUntil = nil
        state.poller?.wake()
    }

    /// The poller of the running thread; starts one if none runs.
    private func run(_ state: inout State) -> (any Poller)? {
        if let poller = state.poller { return poller }
        guard let poller = makePoller() else { return nil }
        state.poller = poller
        let thread = Thread { self.loop(poller) }
        thread.name = "rollcall-io"
        thread.stackSize = 512 * 1024
        thread.start()
        return poller
    }

    private func loop(_ poller: any Poller) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var ready: [(id: UInt64, readiness: Readiness)] = []
        var actions: [@Sendable () -> Void] = []
        while let wait = prepareToSleep() {
            poller.wait(milliseconds: wait, into: &ready)
            state.withLock { $0.sleepsUntil = nil }
            for (id, readiness) in ready {
                let source = state.withLock { $0.sources[id] }
                source?.ready(readiness, buffer: buffer)
            }
            state.withLock { state in
                swap(&state.posted, &actions)
                state.timers.takeDue(at: Platform.now, into: &actions)
            }
            for action in actions { action() }
            actions.removeAll(keepingCapacity: true)
        }
        poller.close()
    }

    /// How long to sleep, in ms; nil when there is nothing left to do and the thread has been signed off.
    private func prepareToSleep() -> Int32? {
        state.withLock { state in
            if state.isIdle {
                state.poller = nil
                return nil
            }
            if !state.posted.isEmpty { return 0 }
            guard let next = state.timers.next else {
                state.sleepsUntil = .max
                return -1
            }
            let now = Platform.now
            if next <= now { return 0 }
            state.sleepsUntil = next
            return Int32(min(next - now, 3_600_000))
        }
    }
}

/// A deadline on a reactor's thread.
///
/// It holds its action until ``cancel()``.
struct ReactorTimer: Sendable {
    fileprivate let reactor: SocketReactor
    fileprivate let id: UInt64

    /// Sets when it fires, in ms of ``Platform/now``; nil is not at all.
    ///
    /// It fires once for each setting.
    func set(_ deadline: UInt64?) {
        reactor.set(id, to: deadline)
    }

    /// Forgets the timer and its action.
    func cancel() {
        reactor.remove(timer: id)
    }
}
