import CallStore
import EventLoop
import RelayCore

// The planned stop, and the store's answers, the last of which ends it.
extension RelayServer {
    /// Stops: accepts nobody any more, tells every client to come back, lets the last frames go, and removes the socket
    /// files.
    ///
    /// A second call cuts what is left.
    public func stop() {
        if place.index == 0 { links?.tellOthers(.stop) }
        if isStopping {
            for stream in connections.streams { stream.close() }
            return
        }
        isStopping = true
        if place.index == 0 {
            let count = census?.connectionCount ?? connections.count
            log.line(.info, "stopping", [("connections", .number(UInt64(count)))])
        }
        closeListeners()
        apply(.stopping(resumeAfter: settings.resumeAfter))
    }

    /// Takes in what the store has reported since.
    func received(_ events: [StoreLink.Event]) {
        for event in events {
            switch event {
            case .answer(let answer): apply(.store(answer))
            case .stopped: storeHasStopped()
            }
        }
    }

    /// The rules of this loop are done.
    func rulesHaveStopped(unkept: Int) {
        guard let links else { return stopStore(unkept: unkept) }
        if place.index == 0 {
            finished(unkept: unkept, RelayCounters())
        } else {
            links.post(.finished(unkept: unkept, counters), to: 0)
        }
    }

    /// How long the end of the store is waited for, in ms: it writes to a disk.
    static let storePatience: UInt64 = 10_000

    /// The rules are done: what they have given to the store must be on the disk.
    ///
    /// Of `unkept` calls the store does not have everything.
    func stopStore(unkept: Int) {
        guard storeEnds == nil else { return }
        if unkept > 0 { loss = .calls(unkept) }
        storeEnds = UInt64(loop.now) + Self.storePatience
        store.stop()
    }

    /// The store has not closed in time.
    func storeIsSlow() {
        log.line(.error, "store-slow", [("waited", .number(Self.storePatience))])
        if loss == nil { loss = .slow(Self.storePatience) }
        storeHasStopped()
    }

    /// The end of all: the store has closed, or is not waited for.
    func storeHasStopped() {
        guard !hasStopped else { return }
        hasStopped = true
        links?.tellOthers(.end)
        log.line(.info, "stopped", facts(of: counters + othersCounters))
        store.close()
        timer?.close()
        loop.stop()
        onStopped?()
    }
}
