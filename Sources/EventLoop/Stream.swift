import CLibuv

/// An accepted connection, TCP or UNIX: bytes in as they come, bytes out with at most one write in flight.
///
/// A stream keeps no queue. The owner writes when it has something and the stream is not busy; what the kernel does not
/// take at once is copied, and until it is gone the owner keeps the rest as it likes. So an idle stream costs its C
/// struct and a small object, about 400 bytes together.
public final class Stream: Handle {
    /// The kind of connection.
    public enum Transport: Sendable {
        /// TCP, with Nagle's delay turned off: its listener has seen to that.
        case tcp
        /// A UNIX socket.
        case unix
    }

    /// The kind of connection.
    public let transport: Transport

    /// A number of the owner's choice, such as an index into its table of connections.
    public private(set) var tag = 0

    private(set) var delegate: (any StreamDelegate)?
    /// The memory lent to libuv for the write in flight: the request, then the bytes.
    #if !DEBUG
        // Looked at for every write; tests check that nothing enters it twice.
        @exclusivity(unchecked)
    #endif
    var lent: UnsafeMutableRawPointer?
    /// TCP: bytes written since what follows was last kept apart from what was before.
    var joined: Int32 = 0
    private var isReading = false
    /// Whether it was finished: what is in flight goes out, and nothing more.
    private(set) var isFinishing = false
    private var dropped: Int32 = 0
    private var end = End.closedHere
    private var endCode: Int32 = 0

    /// The first reason to close, kept small: `CloseCause` is made of it when it is told.
    enum End: UInt8 { case closedHere, endOfStream, readFailed, writeFailed, shutdownFailed }

    /// Takes over the descriptor of a connection, also when it throws.
    init(loop: EventLoop, transport: Transport, descriptor: Int32) throws(UVError) {
        self.transport = transport
        do throws(UVError) {
            switch transport {
            case .tcp:
                try super.init(loop: loop, size: MemoryLayout<uv_tcp_t>.size, operation: "uv_tcp_init") {
                    loop,
                    memory in
                    uv_tcp_init(loop, memory.assumingMemoryBound(to: uv_tcp_t.self))
                }
            case .unix:
                try super.init(loop: loop, size: MemoryLayout<uv_pipe_t>.size, operation: "uv_pipe_init") {
                    loop,
                    memory in
                    uv_pipe_init(loop, memory.assumingMemoryBound(to: uv_pipe_t.self), 0)
                }
            }
        } catch {
            rollcall_close(descriptor)
            throw error
        }
        let result =
            switch transport {
            case .tcp: uv_tcp_open(pointer(as: uv_tcp_t.self), descriptor)
            case .unix: uv_pipe_open(pointer(as: uv_pipe_t.self), descriptor)
            }
        if result < 0 {
            rollcall_close(descriptor)
            close()
            throw UVError(result, "open the accepted connection")
        }
    }

    // MARK: Reading

    /// True once `start` was called.
    public var isStarted: Bool { delegate != nil }

    /// Gives the stream its owner, which it holds until it has closed, and starts to read.
    ///
    /// To be called once, in `listener(_:didAccept:)`.
    public func start(delegate: any StreamDelegate, tag: Int = 0) {
        guard self.delegate == nil, !isClosing else { return }
        self.delegate = delegate
        self.tag = tag
        resumeReading()
    }

    /// Stops reading: what the peer sends waits in the kernel, and then at the peer.
    ///
    /// The end of the stream is not seen either while reading is paused; a write shows it.
    public func pauseReading() {
        guard isReading, !isClosing, !isFinishing else { return }
        isReading = false
        uv_read_stop(streamPointer)
    }

    /// Reads again.
    ///
    /// Does nothing when the stream reads already.
    public func resumeReading() {
        guard !isReading, !isClosing else { return }
        isReading = true
        let result = uv_read_start(streamPointer, streamWantsBuffer, streamRead)
        if result < 0 { fail(.readFailed, result) }
    }

    /// Reads once, if it reads at all, without waiting for the loop to tell that there is something.
    ///
    /// For a peer that has most likely written by now, as one does that has just connected and speaks first: a turn of
    /// the loop less until it is answered. Not from a callback of the stream itself.
    public func readAtOnce() {
        guard isReading, !isClosing else { return }
        let space = loop.readBuffer
        let count = withDescriptor { Int32(clamping: rollcall_read($0, space.baseAddress, space.count)) }
        if count == UV_EAGAIN.rawValue { return }
        read(count == 0 ? Int(UV_EOF.rawValue) : Int(count))
    }

    fileprivate func read(_ count: Int) {
        if count > 0 {
            guard !isFinishing else { return drop(count) }
            delegate?.stream(self, didRead: UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
        } else if count == Int(UV_EOF.rawValue) {
            fail(.endOfStream, 0)
        } else if count < 0 {
            fail(.readFailed, Int32(count))
        }
        // 0 means that there was nothing to read after all.
    }

    /// After `finish()` only the end of the stream is of interest; but a peer that only goes on sending costs the
    /// others the loop's time.
    private func drop(_ count: Int) {
        dropped += Int32(clamping: count)
        if dropped > Self.mostDropped { close() }
    }

    /// So many bytes are dropped after `finish()` before the stream closes without waiting for the peer's end.
    static let mostDropped: Int32 = 256 * 1024

    // MARK: Closing

    /// Says goodbye: what is in flight still goes out, then the peer sees the end of the stream.
    ///
    /// From now on bytes that come in are dropped, `write` answers `closed`, and when the peer ends its side too, or
    /// has sent more than 256 KiB all the same, the stream closes.
    ///
    /// After this a peer can be sure to receive the last bytes, which `close()` with unread bytes of the peer would
    /// tear away. A peer that never answers is the owner's to `close()`, by a deadline.
    public func finish() {
        guard !isClosing, !isFinishing else { return }
        isFinishing = true
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        request.initialize(to: uv_shutdown_t())
        let result = uv_shutdown(request, streamPointer, streamShutDown)
        if result < 0 {
            request.deallocate()
            fail(.shutdownFailed, result)
        } else {
            resumeReading()
        }
    }

    fileprivate func didShutDown(_ status: Int32) {
        if status < 0 { fail(.shutdownFailed, status) }
    }

    /// Closes because of something that happened; the first reason counts.
    ///
    /// Must never call the delegate at once, only from the loop when the handle has closed: a write fails in the middle
    /// of what its caller does, as the relay hands its output over, and nothing may change under that.
    func fail(_ reason: End, _ code: Int32) {
        guard !isClosing else { return }
        end = reason
        endCode = code
        close()
    }

    /// Closes without telling anybody.
    func leave() {
        delegate = nil
        close()
    }

    override func hasClosed() {
        let cause: CloseCause =
            switch end {
            case .closedHere: .closedHere
            case .endOfStream: .endOfStream
            case .readFailed: .failed(UVError(endCode, "read"))
            case .writeFailed: .failed(UVError(endCode, "write"))
            case .shutdownFailed: .failed(UVError(endCode, "shutdown"))
            }
        let delegate = delegate
        self.delegate = nil
        delegate?.stream(self, didCloseBecause: cause)
    }

    // MARK: C

    var streamPointer: UnsafeMutablePointer<uv_stream_t> { pointer(as: uv_stream_t.self) }

    /// Calls `body` with the descriptor, or gives EBADF when the stream has none any more.
    func withDescriptor(_ body: (Int32) -> Int32) -> Int32 {
        var descriptor: Int32 = -1
        let result = uv_fileno(raw, &descriptor)
        return result < 0 ? result : body(descriptor)
    }
}

private func streamWantsBuffer(
    _ handle: UnsafeMutablePointer<uv_handle_t>?,
    _: Int,
    _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
    let space = borrow(handle!.pointee.data, as: Stream.self).loop.readBuffer
    buffer!.pointee = uv_buf_t(base: space.baseAddress!.assumingMemoryBound(to: CChar.self), len: space.count)
}

private func streamRead(_ stream: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _: UnsafePointer<uv_buf_t>?) {
    borrow(stream!.pointee.data, as: Stream.self).read(count)
}

private func streamShutDown(_ request: UnsafeMutablePointer<uv_shutdown_t>?, _ status: Int32) {
    let stream = borrow(request!.pointee.handle.pointee.data, as: Stream.self)
    request!.deallocate()
    stream.didShutDown(status)
}
