import EventLoop
import RelayCore

// The end of a turn: deadlines, and the output of each connection right before the loop sleeps.
extension RelayServer {
    func endTurn() {
        counters.turns += 1
        // Bytes that end no frame are no input that says more than that: what they fill is read on all the same.
        guard turnTime != nil else { return resumeThrottled() }
        // The loop has read its clock since: a timer that has fired must find its deadline due.
        let now = readClocks()
        turnTime = now
        // First: whom this turn says goodbye to is listened to at least once before it is cut.
        cutLingering()
        repeat {
            core.endTurn(at: now, into: &effects)
            performEffects()
            if links != nil {
                core.sendTravellers(into: &effects)
                performEffects()
            }
            flush(at: now)
            if links != nil { core.sendTravellers(into: &effects) }
            performEffects()
        } while core.isOutputWaiting
        resumeThrottled()
        if let storeEnds, storeEnds <= UInt64(loop.now), !hasStopped { storeIsSlow() }
        arm()
        turnTime = nil
    }

    /// Hands all output over to the streams.
    private func flush(at now: Now) {
        while let id = core.nextOutput() {
            // Borrowed, since each write to each reader would count a reference else: libuv keeps a stream until its
            // close callback, which only the loop calls.
            connections.borrowedStream(of: id)?._withUnsafeGuaranteedRef { handOver(id, to: $0, at: now) }
        }
        // Here, before anything can change or free what was offered.
        pages.forget()
    }

    private func handOver(_ id: ConnectionID, to stream: Stream, at now: Now) {
        guard !stream.isWriting else { return }
        var isFull = false
        core.takeOutput(of: id, at: now, into: &effects) { own, shared, following, sharing in
            var left = 0
            let result = write(own, shared, following, sharing, to: stream, leaving: &left)
            let count = own.count + shared.count - left + (left > 0 ? 0 : following.count)
            counters.writes += 1
            counters.bytesOut += UInt64(count)
            switch result {
            case .sent: return .sent
            case .inFlight:
                isFull = true
                return .init(kept: max(1, stream.inFlightBytes), left: left)
            // The stream is closing: its end is reported, and nothing more may be handed over until then.
            case .busy, .closed: return .init(kept: count)
            }
        }
        // System calls for those who are slow only.
        let isBehind = connections[Int(id.index)].isBehind
        if isFull || isBehind { core.holds(unsent: stream.unsentBytes, for: id) }
        if isBehind { stream.boundToPace(RelaySettings.paceTime) }
    }

    // Inlined, since it is all that is done for most readers in most turns.
    @inline(__always)
    private func write(
        _ own: Span<UInt8>,
        _ shared: Span<UInt8>,
        _ following: Span<UInt8>,
        _ sharing: RelayCore.Sharing,
        to stream: Stream,
        leaving left: inout Int
    ) -> WriteResult {
        own.withUnsafeBytes { own in
            shared.withUnsafeBytes { shared in
                following.withUnsafeBytes { following in
                    switch sharing {
                    case .leavable:
                        stream.write(own, then: shared, then: following, leaving: &left)
                    case .resting where own.count + following.count == 0:
                        stream.write(shared: shared, through: pages)
                    case .passing, .resting:
                        stream.write(own, then: shared, then: following)
                    }
                }
            }
        }
    }

    /// Reads on where a connection had to wait for the others.
    func resumeThrottled() {
        guard !throttled.isEmpty else { return }
        for id in throttled {
            guard let stream = connections.stream(of: id), !connections[Int(id.index)].isPaused else { continue }
            stream.resumeReading()
        }
        throttled.removeAll(keepingCapacity: true)
    }

    func cutLingering() {
        let moment = UInt64(loop.now)
        lingering.dropFirst { connections.stream(of: $0) == nil }
        while let id = lingering.popFirst(dueAt: moment) {
            connections.stream(of: id)?.close()
        }
    }

    func arm() {
        let next = min(core.nextDeadline ?? .max, lingering.nextDeadline ?? .max, storeEnds ?? .max)
        guard next != armedAt else { return }
        armedAt = next
        if next == .max { timer?.disarm() } else { timer?.arm(at: Int64(clamping: next)) }
    }
}
