import CallState
import CallStore
import EventLoop
import RelayCore

// What the rules want done, done.
extension RelayServer {
    /// Does what the rules want done.
    ///
    /// Performing may cause inputs with effects of their own; they come after.
    func performEffects() {
        guard !effects.isEmpty, performing.isEmpty else { return }
        while !effects.isEmpty {
            swap(&effects, &performing)
            for effect in performing { perform(effect) }
            performing.removeAll(keepingCapacity: true)
        }
    }

    func perform(_ effect: Effect) {
        switch effect {
        case .pauseReading(let id):
            guard let stream = connections.stream(of: id) else { return }
            connections[Int(id.index)].isPaused = true
            stream.pauseReading()
        case .resumeReading(let id):
            guard let stream = connections.stream(of: id) else { return }
            connections[Int(id.index)].isPaused = false
            stream.resumeReading()
        case .limitUnsent(let id, let isBehind):
            guard let stream = connections.stream(of: id) else { return }
            let wasBehind = connections[Int(id.index)].isBehind
            connections[Int(id.index)].isBehind = isBehind
            // It fails only for a connection that has just ended.
            try? stream.limitUnsentBytes(settings.unsentBytes(over: stream.transport, isBehind: isBehind))
            if isBehind { stream.boundToPace(RelaySettings.paceTime) } else if wasBehind { stream.unbound() }
        case .close(let id):
            guard let stream = connections.stream(of: id) else { return }
            connections[Int(id.index)].isReadable = false
            stream.finish()
            lingering.append(id, until: UInt64(loop.now) + settings.rules.closeTimeout)
        case .reportProgress(let id):
            guard let stream = connections.stream(of: id) else { return }
            core.apply(.progress(id, unsent: stream.unsentBytes), at: openTurn(), into: &effects)
        case .claim(let session): request(.claim(session))
        case .append(let batch): request(.append(batch))
        case .release(let session): request(.release(session))
        case .loop(let effect): perform(effect)
        case .log(let event): log.write(event)
        case .stopped(let unkept): rulesHaveStopped(unkept: unkept)
        }
    }

    func request(_ request: StoreRequest) {
        guard let answer = store.take(request) else { return }
        core.apply(.store(answer), at: openTurn(), into: &effects)
    }
}
