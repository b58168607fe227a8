import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// ``Poller`` over `poll`, for systems without `epoll`.
final class PollPoller: Poller {
    private struct Watched {
        let id: UInt64
        var interest: Readiness
    }

    private let pipe: WakePipe
    private let watched = Mutex<[Int32: Watched]>([:])

    init?() {
        guard let pipe = WakePipe() else { return nil }
        self.pipe = pipe
    }

    func add(_ descriptor: Int32, id: UInt64, _ interest: Readiness) -> Int32 {
        watched.withLock { $0[descriptor] = Watched(id: id, interest: interest) }
        pipe.ring()
        return 0
    }

    func change(_ descriptor: Int32, id: UInt64, _ interest: Readiness) {
        watched.withLock { $0[descriptor]?.interest = interest }
        pipe.ring()
    }

    func remove(_ descriptor: Int32) {
        watched.withLock { _ = $0.removeValue(forKey: descriptor) }
        pipe.ring()
    }

    func wait(milliseconds: Int32, into ready: inout [(id: UInt64, readiness: Readiness)]) {
        ready.removeAll(keepingCapacity: true)
        var list = [pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)]
        var ids: [UInt64] = [0]
        watched.withLock { watched in
            for (descriptor, entry) in watched where !entry.interest.isEmpty {
                var events: Int16 = 0
                if entry.interest.contains(.reading) { events |= Int16(POLLIN) }
                if entry.interest.contains(.writing) { events |= Int16(POLLOUT) }
                list.append(pollfd(fd: descriptor, events: events, revents: 0))
                ids.append(entry.id)
            }
        }
        guard poll(&list, nfds_t(list.count), milliseconds) > 0 else { return }
        if list[0].revents != 0 { pipe.drain() }
        for index in list.indices.dropFirst() where list[index].revents != 0 {
            let bits = Int32(list[index].revents)
            // Closed since the list was made: its number is gone already, or will be.
            if bits & Int32(POLLNVAL) != 0 { continue }
            var readiness: Readiness = []
            if bits & Int32(POLLIN | POLLHUP | POLLERR) != 0 { readiness.insert(.reading) }
            if bits & Int32(POLLOUT | POLLHUP | POLLERR) != 0 { readiness.insert(.writing) }
            ready.append((ids[index], readiness))
        }
    }

    func wake() {
        pipe.ring()
    }

    func close() {
        pipe.close()
    }
}
