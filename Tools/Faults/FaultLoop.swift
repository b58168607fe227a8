import Foundation
import Randomness
import Rollcall

/// What a ``FaultProxy`` does on its thread.
struct FaultLoop {
    typealias Direction = FaultProxy.Direction

    /// One connection of a client, and the one to the relay that was made for it.
    private struct Link {
        let number: Int
        /// By direction: from whom, to whom; nil is closed.
        var client: Descriptor?
        var relay: Descriptor?
        var lanes = [FaultLane(), FaultLane()]
        var isSwallowing = false
        /// Nothing is read or passed on.
        var isStalled = false
        var shape: FaultShape
        /// Bytes that have come from the relay and may pass until its shape's end; nil without one.
        var untilEnd: Int?

        func source(_ direction: Direction) -> Descriptor? { direction == .toRelay ? client : relay }
        func target(_ direction: Direction) -> Descriptor? { direction == .toRelay ? relay : client }

        mutating func closeSource(_ direction: Direction) {
            source(direction)?.close()
            if direction == .toRelay { client = nil } else { relay = nil }
        }

        mutating func close() {
            for direction in Direction.allCases { closeSource(direction) }
        }

        var isPassing: Bool { !isSwallowing && !isStalled }

        mutating func take(_ shape: FaultShape) {
            self.shape = shape
            untilEnd = shape.end?.after
        }

        mutating func swallow() {
            isSwallowing = true
            lanes = [FaultLane(), FaultLane()]
        }

        /// Bytes from the relay have passed; true when its shape ends the connection now.
        mutating func hasPassed(_ count: Int) -> Bool {
            guard let end = shape.end, let left = untilEnd else { return false }
            untilEnd = left - count
            guard left <= count else { return false }
            switch end.0 {
            case .cut: close()
            case .stall: isStalled = true
            case .halfOpen: swallow()
            }
            return true
        }
    }

    /// Somebody who waits for something.
    private struct Waiter {
        let condition: @Sendable (FaultProxy.Status) -> Bool
        let end: ContinuousClock.Instant
        let continuation: CheckedContinuation<FaultProxy.Status?, Never>
    }

    var relay: Address
    var admission = FaultProxy.Admission.pass
    private let listener: Descriptor
    private var links: [Link] = []
    /// The shape of connections, and of single ones by number.
    private var shape = FaultShape()
    private var shapes: [Int: FaultShape] = [:]
    private var random: SplitMix64
    private var held: Set<Direction> = []
    private var accepted = 0
    private var passed = [0, 0]
    private var waiters: [Waiter] = []

    init(listener: Descriptor, relay: Address, random: SplitMix64) {
        self.listener = listener
        self.relay = relay
        self.random = random
    }

    // MARK: Orders

    mutating func cut(_ number: Int?) {
        for place in links.indices where number == nil || links[place].number == number { links[place].close() }
        forgetClosed()
    }

    mutating func swallow(_ number: Int?) {
        for place in links.indices where number == nil || links[place].number == number {
            links[place].swallow()
        }
    }

    mutating func shape(_ shape: FaultShape, _ number: Int?) {
        if let number { shapes[number] = shape } else { self.shape = shape }
        for place in links.indices
        where number.map({ links[place].number == $0 }) ?? (shapes[links[place].number] == nil) {
            links[place].take(shape)
        }
    }

    mutating func hold(_ direction: Direction, _ isHeld: Bool) {
        if isHeld { held.insert(direction) } else { held.remove(direction) }
    }

    mutating func limit(_ direction: Direction, to count: Int) {
        for place in links.indices { links[place].lanes[direction.rawValue].remaining = count }
    }

    mutating func lose(frames count: Int) {
        for place in links.indices { links[place].lanes[Direction.toClient.rawValue].losing += count }
    }

    var status: FaultProxy.Status {
        var status = FaultProxy.Status(accepted: accepted, open: links.map(\.number))
        for direction in Direction.allCases {
            status.passed[direction] = passed[direction.rawValue]
            status.held[direction] = links.reduce(0) { $0 + $1.lanes[direction.rawValue].waiting.count }
        }
        return status
    }

    mutating func wait(
        for condition: @escaping @Sendable (FaultProxy.Status) -> Bool,
        _ patience: Duration,
        _ continuation: CheckedContinuation<FaultProxy.Status?, Never>
    ) {
        waiters.append(Waiter(condition: condition, end: .now + patience, continuation: continuation))
    }

    mutating func close() {
        for place in links.indices { links[place].close() }
        listener.close()
        for waiter in waiters { waiter.continuation.resume(returning: status) }
    }

    // MARK: Turns

    /// Moves what can be moved, tells who waits, and then waits in the system until something happens.
    mutating func turn(bell: Descriptor) {
        let now = ContinuousClock.now
        var next = waiters.map(\.end).min()
        for place in links.indices {
            if let due = passOn(place, at: now) { next = min(next ?? due, due) }
        }
        forgetClosed()
        tellWaiters()

        // What to watch: the bell, the door, and of each link what can be read, and written where something waits.
        var watched = [bell.polled(POLLIN), listener.polled(POLLIN)]
        var ends: [(place: Int, direction: Direction)] = []
        for (place, link) in links.enumerated() where !link.isStalled {
            for direction in Direction.allCases {
                guard let source = link.source(direction) else { continue }
                let lane = link.lanes[direction.rawValue]
                let back = direction == .toRelay ? Direction.toClient : .toRelay
                var events: Int32 = 0
                if !lane.hasEnded, lane.waiting.count < link.shape.room { events |= Int32(POLLIN) }
                if !held.contains(back), link.lanes[back.rawValue].isBlocked { events |= Int32(POLLOUT) }
                // A descriptor that nothing is wanted of would report its end again and again.
                if events == 0 { continue }
                watched.append(source.polled(events))
                ends.append((place, direction))
            }
        }
        poll(&watched, nfds_t(watched.count), Self.milliseconds(until: next))
        if watched[0].revents != 0 { bell.drain() }
        for (index, end) in ends.enumerated() where watched[index + 2].revents & ~Int16(POLLOUT) != 0 {
            read(end.place, end.direction)
        }
        if watched[1].revents != 0 { accept() }
    }

    private static func milliseconds(until instant: ContinuousClock.Instant?) -> Int32 {
        guard let instant else { return -1 }
        return Int32(clamping: Int(max(0, ((instant - .now) / .milliseconds(1)).rounded(.up))))
    }

    private mutating func accept() {
        guard let client = listener.accept() else { return }
        let number = accepted
        accepted += 1
        let shape = shapes[number] ?? shape
        switch admission {
        case .refuse: client.close()
        case .swallow: links.append(Link(number: number, client: client, isSwallowing: true, shape: shape))
        case .pass:
            let connected = try? Descriptor.connected(to: relay, receiveBuffer: shape.receiveBuffer)
            guard let connected else { return client.close() }
            links.append(Link(number: number, client: client, relay: connected, shape: shape))
            links[links.count - 1].take(shape)
        }
    }

    private mutating func read(_ place: Int, _ direction: Direction) {
        guard let source = links[place].source(direction) else { return }
        let shape = links[place].shape
        let room = links[place].isSwallowing ? .max : shape.room - links[place].lanes[direction.rawValue].waiting.count
        switch source.read(atMost: room) {
        case .nothing: return
        case .ended:
            if links[place].isSwallowing { return links[place].closeSource(direction) }
            links[place].lanes[direction.rawValue].hasEnded = true
        case .bytes(let bytes):
            if links[place].isSwallowing { return }
            links[place].lanes[direction.rawValue].take(bytes, shape, at: .now, &random)
        }
    }

    /// Passes on what may pass; gives when more may, if that is a matter of time alone.
    private mutating func passOn(_ place: Int, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        for direction in Direction.allCases where !held.contains(direction) && links[place].isPassing {
            guard let target = links[place].target(direction) else { continue }
            var lane = links[place].lanes[direction.rawValue]
            let isCounted = direction == .toClient
            let most = min(isCounted ? lane.loseFrames() : .max, lane.remaining ?? .max)
            let (passable, due) = lane.passable(links[place].shape, at: now)
            if let due { next = min(next ?? due, due) }
            let wanted = min(most, passable, isCounted ? links[place].untilEnd ?? .max : .max)
            guard let count = target.write(lane.waiting.prefix(wanted)) else {
                links[place].close()
                return next
            }
            lane.isBlocked = count < wanted
            lane.hasPassed(count, countsFrames: isCounted)
            // What the rate did not let pass yet has a time of its own.
            if !lane.isBlocked, !lane.waiting.isEmpty, let due = lane.passable(links[place].shape, at: now).until {
                next = min(next ?? due, due)
            }
            passed[direction.rawValue] += count
            links[place].lanes[direction.rawValue] = lane
            if isCounted, links[place].hasPassed(count) { return next }
            // The end of one side is the other's too, once it has everything that was sent before.
            if lane.remaining == 0 || lane.hasEnded && lane.waiting.isEmpty {
                links[place].close()
                return next
            }
        }
        return next
    }

    private mutating func forgetClosed() {
        links.removeAll { $0.client == nil && $0.relay == nil }
    }

    private mutating func tellWaiters() {
        guard !waiters.isEmpty else { return }
        let status = status
        let now = ContinuousClock.now
        waiters.removeAll { waiter in
            let isSo = waiter.condition(status)
            guard isSo || waiter.end <= now else { return false }
            waiter.continuation.resume(returning: isSo ? nil : status)
            return true
        }
    }
}
