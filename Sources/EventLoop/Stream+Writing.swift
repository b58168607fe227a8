import CLibuv

// Bytes out: what the kernel takes at once goes straight to it, and libuv sees to the rest.
extension Stream {
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
        write(bytes, then: Self.nothing)
    }

    /// Writes pieces as one, with one system call: a small header of this connection, bytes shared with others, and
    /// what follows them.
    ///
    /// All are the owner's again when this returns. Writing nothing gives `sent`.
    public func write(
        _ first: UnsafeRawBufferPointer,
        then second: UnsafeRawBufferPointer,
        then third: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> WriteResult {
        var left = 0
        return write(first, second, third, keepingAtMost: .max, leaving: &left)
    }

    /// Writes bytes that many streams are written one after the other, out of pages that their sockets share where that
    /// is less work than a copy.
    ///
    /// Until ``SharedPages/forget()`` they must stay as they are, where they are.
    public func write(shared bytes: UnsafeRawBufferPointer, through pages: SharedPages) -> WriteResult {
        var left = 0
        let none = Self.nothing
        return write(none, bytes, none, through: transport == .unix ? pages : nil, keepingAtMost: .max, leaving: &left)
    }

    /// The same, where `second` can be written again.
    ///
    /// When the kernel takes a part of it, no more than ``mostKept`` of the rest is copied and kept for it; `left`
    /// becomes how many bytes at the end of `second` were neither sent nor kept, and then nothing of `third` was
    /// either. Else all of `third` is kept besides, which should be short.
    ///
    /// That happens with `inFlight` only; they are to be written next once the stream has drained.
    public func write(
        _ first: UnsafeRawBufferPointer,
        then second: UnsafeRawBufferPointer,
        then third: UnsafeRawBufferPointer,
        leaving left: inout Int
    ) -> WriteResult {
        write(first, second, third, keepingAtMost: Self.mostKept, leaving: &left)
    }

    /// So many bytes are kept for the kernel while others are left: enough to hear of it when it takes more.
    public static let mostKept = 16 * 1024

    private static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    private func write(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        _ third: UnsafeRawBufferPointer,
        through pages: SharedPages? = nil,
        keepingAtMost most: Int,
        leaving left: inout Int
    ) -> WriteResult {
        if isClosing || isFinishing { return .closed }
        if lent != nil { return .busy }
        let total = first.count + second.count + third.count
        if total == 0 { return .sent }
        let taken =
            pages?.send(second, to: streamPointer)
            ?? rollcall_try_write(
                streamPointer,
                first.baseAddress,
                first.count,
                second.baseAddress,
                second.count,
                third.baseAddress,
                third.count,
                mustPart(total)
            )
        if taken == total { return .sent }
        guard taken >= 0 || taken == UV_EAGAIN.rawValue else {
            fail(.writeFailed, taken)
            return .closed
        }
        let sent = max(0, Int(taken))
        left = max(0, first.count + second.count - sent - max(most, first.count - sent))
        return lend(first, .init(rebasing: second.dropLast(left)), left > 0 ? Self.nothing : third, from: sent)
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
        _ third: UnsafeRawBufferPointer,
        from taken: Int
    ) -> WriteResult {
        let header = MemoryLayout<uv_write_t>.stride
        let count = first.count + second.count + third.count - taken
        let block = UnsafeMutableRawPointer.allocate(byteCount: header + count, alignment: 16)
        let tail = UnsafeMutableRawBufferPointer(start: block + header, count: count)
        var copied = 0
        var toSkip = taken
        func copy(_ piece: UnsafeRawBufferPointer) {
            let rest = UnsafeRawBufferPointer(rebasing: piece.dropFirst(toSkip))
            toSkip -= piece.count - rest.count
            UnsafeMutableRawBufferPointer(rebasing: tail[copied...]).copyMemory(from: rest)
            copied += rest.count
        }
        copy(first)
        copy(second)
        copy(third)

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

    private static func buffer(_ bytes: UnsafeMutableRawBufferPointer) -> uv_buf_t {
        uv_buf_t(base: bytes.baseAddress!.assumingMemoryBound(to: CChar.self), len: bytes.count)
    }
}

private func streamWrote(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
    borrow(request!.pointee.handle.pointee.data, as: Stream.self).wrote(status)
}
