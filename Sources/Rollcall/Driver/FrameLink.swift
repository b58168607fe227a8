import RollcallProtocol
import Synchronization

/// A connection of bare frames: what ``RawConnection`` and the queries stand on.
final class FrameLink: TransportHandler {
    /// Reading stops above so many bytes of frames that nobody has received.
    static let maximumWaiting = 1024 * 1024

    private struct State {
        var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        var frames = FrameQueue()
        var isOpen = false
        var isPaused = false
        var isClosedHere = false
        /// Why nothing more comes.
        var end: RollcallError?
        var opening: CheckedContinuation<RollcallError?, Never>?
        var receiving: CheckedContinuation<Void, Never>?
    }

    let place: String
    private let stream: SocketStream
    private let state = Mutex(State())

    init(address: Address, reactor: SocketReactor) {
        place = "\(address)"
        stream = SocketStream(address, reactor: reactor)
    }

    /// Why nothing more comes.
    var ended: RollcallError {
        let end = state.withLock { $0.end }
        return end ?? RollcallError(code: .linkLost, message: "the relay closed the connection", place: place)
    }

    /// Connects and sends the preface.
    func open(timeout: Duration) async throws(RollcallError) {
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<RollcallError?, Never>) in
                let end = state.withLock { state in
                    if state.end == nil { state.opening = continuation }
                    return state.end
                }
                if let end { return continuation.resume(returning: end) }
                stream.connect(timeout: timeout.milliseconds, handler: self)
                stream.send(FrameSplitter.preface)
            }
        } onCancel: {
            stream.close()
            finish(.cancelled("connecting to \(place)"))
        }
        if let failure { throw failure }
    }

    func send(_ frame: ClientFrame) {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        stream.send(bytes)
    }

    func send(bytes: [UInt8]) {
        stream.send(bytes)
    }

    /// Waits for the next frame; nil at a clean end.
    func receive() async throws(RollcallError) -> ServerFrame? {
        while true {
            if let frame = takeFrame() { return frame }
            let (end, isClosedHere) = state.withLock { ($0.end, $0.isClosedHere) }
            if isClosedHere { return nil }
            if let end {
                if end.code == .linkLost, end.underlying == nil { return nil }
                throw end
            }
            await arrival()
            if Task.isCancelled { throw .cancelled("receiving from \(place)") }
        }
    }

    private func arrival() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    let isIdle = state.frames.isEmpty && state.end == nil && !state.isClosedHere
                    guard isIdle, state.receiving == nil, !Task.isCancelled else { return false }
                    state.receiving = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            wakeReceiver()
        }
    }

    private func takeFrame() -> ServerFrame? {
        let (frame, resumes) = state.withLock { state -> (ServerFrame?, Bool) in
            guard let frame = state.frames.takeFirst() else { return (nil, false) }
            let resumes = state.isPaused && state.frames.bytes < Self.maximumWaiting / 2
            if resumes { state.isPaused = false }
            return (frame, resumes)
        }
        if resumes { stream.setReading(true) }
        return frame
    }

    private func wakeReceiver() {
        let receiving = state.withLock { state in
            let receiving = state.receiving
            state.receiving = nil
            return receiving
        }
        receiving?.resume()
    }

    func close() {
        stream.close()
        state.withLock { $0.isClosedHere = true }
        wakeReceiver()
    }

    /// Ends the connection for want of an answer.
    func giveUp(_ cause: RollcallError) {
        stream.close()
        finish(cause)
    }

    private func finish(_ cause: RollcallError) {
        let opening = state.withLock { state in
            let opening = state.opening
            state.opening = nil
            if state.end == nil { state.end = cause }
            return opening
        }
        opening?.resume(returning: cause)
        wakeReceiver()
    }

    // MARK: TransportHandler

    func transportConnected(_ transport: any Transport) {
        let opening = state.withLock { state in
            let opening = state.opening
            state.opening = nil
            return opening
        }
        opening?.resume(returning: nil)
    }

    func transport(_ transport: any Transport, received bytes: Span<UInt8>) {
        var pauses = false
        var failure: WireError?
        state.withLock { state in
            var splitter = state.splitter
            do throws(WireError) {
                try splitter.feed(bytes) { frame in
                    do throws(WireError) {
                        state.frames.append(try ServerFrame.decode(frame), size: frame.count)
                        return .proceed
                    } catch {
                        failure = error
                        return .stop
                    }
                }
            } catch {
                failure = error
            }
            state.splitter = splitter
            if state.frames.bytes > Self.maximumWaiting, !state.isPaused {
                state.isPaused = true
                pauses = true
            }
        }
        if pauses { stream.setReading(false) }
        if let failure {
            stream.close()
            let what = "\(failure.field) at byte \(failure.offset): \(failure.detail)"
            var error = RollcallError(code: .protocolViolation, message: "the relay broke the protocol: \(what)")
            error.place = place
            error.underlying = failure
            finish(error)
        } else {
            wakeReceiver()
        }
    }

    func transport(_ transport: any Transport, lost cause: RollcallError) {
        finish(cause)
    }
}
