import Foundation
import Rollcall

/// What a ``FaultProxy`` does on its thread.
struct FaultLoop {
    typealias Direction = FaultProxy.Direction

    /// Bytes on their way in one direction.
    fileprivate struct Lane {
        var waiting: [UInt8] = []
        /// Whether whoever sends has ended.
        var hasEnded = false
        /// How many bytes may pass until the connection is cut.
        var remaining: Int?
        /// How many bytes come until a frame begins; only frames of the relay are counted.
        var untilFrame = 0
        /// How many frames are to be lost.
        var losing = 0
    }

    /// One connection of a client, and the one to the relay that was made for it.
    private struct Link {
        let number: Int
        /// By direction: from whom, to whom; nil is closed.
        var client: Descriptor?
        var relay: Descriptor?
        var lanes = [Lane(), Lane()]
        var isSwallowing = false

        func source(_ direction: Direction) -> Descriptor? { direction == .toRelay ? client : relay }
        func target(_ direction: Direction) -> Descriptor? { direction == .toRelay ? relay : client }

        mutating func closeSource(_ direction: Direction) {
            source(direction)?.close()
            if direction == .toRelay { client = nil } else { relay = nil }
        }

        mutating func close() {
            for direction in Direction.allCases { closeSource(direction) }
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
    private var held: Set<Direction> = []
    private var accepted = 0
    private var passed = [0, 0]
    private var waiters: [Waiter] = []

    /// More than that is left where it is, so that senders notice as they would with any slow network.
    private static let mostWaiting = 1 << 20

    init(listener: Descriptor, relay: Address) {
        self.listener = listener
        self.relay = relay
    }

    // MARK: Orders

    mutating func cut(_ number: Int?) {
        for place in links.indices where number == nil || links[place].number == number { links[place].close() }
        forgetClosed()
    }

    mutating func swallow(_ number: Int?) {
        for place in links.indices where number == nil || links[place].number == number {
            links[place].isSwallowing = true
            links[place].lanes = [Lane(), Lane()]
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
        for place in links.indices { passOn(place) }
        forgetClosed()
        tellWaiters()

        // What to watch: the bell, the door, and of each link what can be read, and written where something waits.
        var watched = [bell.polled(POLLIN), listener.polled(POLLIN)]
        var ends: [(place: Int, direction: Direction)] = []
        for (place, link) in links.enumerated() {
            for direction in Direction.allCases {
                guard let source = link.source(direction) else { continue }
                let lane = link.lanes[direction.rawValue]
                let back = direction == .toRelay ? Direction.toClient : .toRelay
                var events: Int32 = 0
                if !lane.hasEnded, lane.waiting.count < Self.mostWaiting { events |= Int32(POLLIN) }
                if !held.contains(back), !link.lanes[back.rawValue].waiting.isEmpty { events |= Int32(POLLOUT) }
                // A descriptor that nothing is wanted of would report its end again and again.
                if events == 0 { continue }
                watched.append(source.polled(events))
                ends.append((place, direction))
            }
        }
        poll(&watched, nfds_t(watched.count), patience)
        if watched[0].revents != 0 { bell.drain() }
        for (index, end) in ends.enumerated() where watched[index + 2].revents & ~Int16(POLLOUT) != 0 {
            read(end.place, end.direction)
        }
        if watched[1].revents != 0 { accept() }
    }

    private var patience: Int32 {
        guard let next = waiters.map(\.end).min() else { return -1 }
        return Int32(clamping: Int(max(0, ((next - .now) / .milliseconds(1)).rounded(.up))))
    }

    private mutating func accept() {
        guard let client = listener.accept() else { return }
        let number = accepted
        accepted += 1
        switch admission {
        case .refuse: client.close()
        case .swallow: links.append(Link(number: number, client: client, relay: nil, isSwallowing: true))
        case .pass:
            guard let descriptor = try? Descriptor.connected(to: relay) else { return client.close() }
            links.append(Link(number: number, client: client, relay: descriptor))
        }
    }

    private mutating func read(_ place: Int, _ direction: Direction) {
        guard let source = links[place].source(direction) else { return }
        switch source.read() {
        case .nothing: return
        case .ended:
            if links[place].isSwallowing { return links[place].closeSource(direction) }
            links[place].lanes[direction.rawValue].hasEnded = true
        case .bytes(let bytes):
            if links[place].isSwallowing { return }
            links[place].lanes[direction.rawValue].waiting += bytes
        }
    }

    private mutating func passOn(_ place: Int) {
        for direction in Direction.allCases where !held.contains(direction) && !links[place].isSwallowing {
            guard let target = links[place].target(direction) else { continue }
            var lane = links[place].lanes[direction.rawValue]
            let most = direction == .toClient ? lane.loseFrames() : .max
            guard let count = target.write(lane.waiting.prefix(min(most, lane.remaining ?? .max))) else {
                return links[place].close()
            }
            if direction == .toClient { lane.hasPassed(count) }
            lane.waiting.removeFirst(count)
            lane.remaining = lane.remaining.map { $0 - count }
            passed[direction.rawValue] += count
            links[place].lanes[direction.rawValue] = lane
            // The end of one side is the other's too, once it has everything that was sent before.
            if lane.remaining == 0 || lane.hasEnded && lane.waiting.isEmpty { return links[place].close() }
        }
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

extension FaultLoop.Lane {
    /// Loses the frames that are to be lost, and gives how many bytes may pass now.
    mutating func loseFrames() -> Int {
        while losing > 0, untilFrame == 0, let length = frame(at: 0), waiting.count >= length {
            waiting.removeFirst(length)
            losing -= 1
        }
        if losing > 0 { return untilFrame }
        var place = untilFrame
        while place < waiting.count {
            // A part of a length stays, so that it is always known where frames begin.
            guard let length = frame(at: place) else { return place }
            place += length
        }
        return waiting.count
    }

    /// Follows where frames begin; the bytes are still there.
    mutating func hasPassed(_ count: Int) {
        var place = untilFrame
        while place < count, let length = frame(at: place) { place += length }
        untilFrame = max(0, place - count)
    }

    /// The length of the frame that begins there; nil while that is not known.
    private func frame(at place: Int) -> Int? {
        guard waiting.count >= place + 4 else { return nil }
        return 4 + waiting[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}
