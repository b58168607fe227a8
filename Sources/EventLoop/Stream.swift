import CLibuv

/// An accepted connection, TCP or UNIX: bytes in as they come, bytes out with at most one write in flight.
///
/// A stream keeps no queue. The owner writes when it has something and the stream is not busy; what the kernel does not
/// take at once is copied, and until it is gone the owner keeps the rest as it likes. So an idle stream costs its C
/// struct and a small object, about 400 bytes together.
public final class Stream: Handle {
    /// The kind of connection.
    public enum Transport: Sendable {
        /// TCP, with Nagle's delay turned off.
        case tcp
        /// A UNIX socket.
        case unix
    }

    /// The kind of connection.
    public let transport: Transport

    /// A number of the owner's choice, such as an index into its table of connections.
    public private(set) var tag = 0

    private var delegate: (any StreamDelegate)?
    /// The memory lent to libuv for the write in flight: the request, then the bytes.
    #if !DEBUG
        // Looked at for every write; tests check that nothing enters it twice.
        @exclusivity(unchecked)
    #endif
    private var lent: UnsafeMutableRawPointer?
    /// TCP: bytes written since what follows was last kept apart from what was before.
    private var joined: Int32 = 0
    private var isReading = false
    private var isFinishing = false
    private var dropped: Int32 = 0
    private var end = End.closedHere
    private var endCode: Int32 = 0

    /// The first reason to close, kept small: `CloseCause` is made of it when it is told.
    private enum End: UInt8 { case closedHere, endOfStream, readFailed, writeFailed, shutdownFailed }

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
        // The owner writes whole batches of frames; waiting for more would only add delay. It can fail only when the
        // peer has gone already, and the first read tells that better.
        if transport == .tcp { uv_tcp_nodelay(pointer(as: uv_tcp_t.self), 1) }
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

    // MARK: Writing

    /// True while an earlier write is in flight and `write` would answer `busy`.
    public var isWriting: Bool { lent != nil }

    /// Bytes of the write in flight that the kernel has not taken yet.
    ///
    /// No system call.
    public var inFlightBytes: Int { lent == nil ? 0 : uv_stream_get_write_queue_size(streamPointer) }

    /// Bytes that the peer has not taken yet: those in flight and those in the kernel.
    ///
    /// On Linux a UNIX socket counts the kernel's buffers with their overhead, so there it shows progress, not an exact
    /// number. One system call.
    public var unsentBytes: Int { inFlightBytes + max(0, Int(withDescriptor(rollcall_kernel_unsent))) }

    /// Writes bytes that are the owner's again when this returns.
    public func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        write(bytes, then: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Writes two pieces as one, with one system call: a small header of this connection, and bytes shared with others.
    ///
    /// Both are the owner's again when this returns. Writing nothing gives `sent`.
    public func write(_ first: UnsafeRawBufferPointer, then second: UnsafeRawBufferPointer) -> WriteResult {
        var left = 0
        return write(first, then: second, keepingAtMost: .max, leaving: &left)
    }

    /// The same for bytes that can be written again: when the kernel takes a part of them, no more than ``mostKept`` of
    /// the rest is copied and kept for it; `left` becomes how many bytes at the end of `second` were neither sent nor
    /// kept.
    ///
    /// That happens with `inFlight` only; they are to be written next once the stream has drained.
    public func write(
        _ first: UnsafeRawBufferPointer,
        then second: UnsafeRawBufferPointer,
        leaving left: inout Int
    ) -> WriteResult {
        write(first, then: second, keepingAtMost: Self.mostKept, leaving: &left)
    }

    /// So many bytes are kept for the kernel while others are left: enough to hear of it when it takes more.
    public static let mostKept = 16 * 1024

    private func write(
        _ first: UnsafeRawBufferPointer,
        then second: UnsafeRawBufferPointer,
        keepingAtMost most: Int,
        leaving left: inout Int
    ) -> WriteResult {
        if isClosing || isFinishing { return .closed }
        if lent != nil { return .busy }
        let total = first.count + second.count
        if total == 0 { return .sent }
        let taken = rollcall_try_write(
            streamPointer,
            first.baseAddress,
            first.count,
            second.baseAddress,
            second.count,
            mustPart(total)
        )
        if taken == total { return .sent }
        guard taken >= 0 || taken == UV_EAGAIN.rawValue else {
            fail(.writeFailed, taken)
            return .closed
        }
        let sent = max(0, Int(taken))
        left = max(0, total - sent - max(most, first.count - sent))
        return lend(first, UnsafeRawBufferPointer(rebasing: second.dropLast(left)), from: sent)
    }

    /// Over TCP at the latest so many bytes are kept apart from what follows, for ``limitUnsentBytes(_:)`` to hold.
    static let longestPiece: Int32 = 2 * 1024

    /// Counts bytes that are about to be written, and tells whether what follows must be kept apart from them.
    private func mustPart(_ count: Int) -> Bool {
        guard transport == .tcp else { return false }
        joined += Int32(clamping: min(count, Int(Self.longestPiece)))
        guard joined >= Self.longestPiece else { return false }
        joined = 0
        return true
    }

    /// Copies what the kernel left and hands it to libuv, in one block with the request.
    private func lend(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        from taken: Int
    ) -> WriteResult {
        let header = MemoryLayout<uv_write_t>.stride
        let count = first.count + second.count - taken
        let block = UnsafeMutableRawPointer.allocate(byteCount: header + count, alignment: 16)
        let tail = UnsafeMutableRawBufferPointer(start: block + header, count: count)
        let ofFirst = UnsafeRawBufferPointer(rebasing: first[min(taken, first.count)...])
        tail.copyMemory(from: ofFirst)
        UnsafeMutableRawBufferPointer(rebasing: tail[ofFirst.count...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: second[max(0, taken - first.count)...]))

        let request = block.initializeMemory(as: uv_write_t.self, to: uv_write_t())
        var buffer = Self.buffer(tail)
        let result = uv_write(request, streamPointer, &buffer, 1, streamWrote)
        guard result == 0 else {
            block.deallocate()
            fail(.writeFailed, result)
            return .closed
        }
        lent = block
        return .inFlight
    }

    fileprivate func wrote(_ status: Int32) {
        // Given back rather than kept for the next time: most streams are idle most of the time.
        lent?.deallocate()
        lent = nil
        if status < 0 {
            fail(.writeFailed, status)
        } else if !isClosing, !isFinishing {
            delegate?.streamDidDrain(self)
        }
    }

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
    private func fail(_ reason: End, _ code: Int32) {
        guard !isClosing else { return }
        end = reason
        endCode = code
        close()
    }

    /// Whether it was finished.
    var isEnding: Bool { isFinishing }

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

    private static func buffer(_ bytes: UnsafeMutableRawBufferPointer) -> uv_buf_t {
        uv_buf_t(base: bytes.baseAddress!.assumingMemoryBound(to: CChar.self), len: bytes.count)
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

private func streamWrote(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
    borrow(request!.pointee.handle.pointee.data, as: Stream.self).wrote(status)
}

private func streamShutDown(_ request: UnsafeMutablePointer<uv_shutdown_t>?, _ status: Int32) {
    let stream = borrow(request!.pointee.handle.pointee.data, as: Stream.self)
    request!.deallocate()
    stream.didShutDown(status)
}
