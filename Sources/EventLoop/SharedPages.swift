import CLibuv

/// Bytes that are written to many UNIX streams one after the other, copied once for all of them: into pages of memory
/// that each socket refers to.
///
/// What is offered is counted: the first ``copies`` writes of a run of bytes are copied by the kernel as any other;
/// then the run goes into the pages, and the writes that follow send those. A run is known by where it is and how long:
/// until ``forget()`` bytes that were offered must stay as they are, where they are.
///
/// # Pages that a socket refers to are never written again
///
/// A peer may read long after the write. So a run is written into fresh pages only: ``forget()``, and another run that
/// takes the place of the first, make the file drop its pages, which then belong to the sockets alone and go with them.
///
/// No run is held after ``forget()``, and at most one of ``most`` bytes before. Only Linux has such pages; elsewhere,
/// and where the system refuses them or a signal about a write would end the process, all writes are copied
/// (``ProcessSettings/ignoreWriteSignals()``).
public final class SharedPages {
    /// Runs of fewer bytes are copied: pages save so little of each write then that twenty and more must pay for them.
    public static let least = 8 * 1024

    /// Runs of more bytes are copied: no more is held.
    public static let most = 1024 * 1024

    /// So many writes of a run are copied before the others share pages.
    ///
    /// Putting a run there and letting it go costs as much as pages save in six to nine writes. So a run that few get
    /// costs nothing more, and none costs much more than it would if it were known how many get it.
    public static let copies = 6

    private enum File {
        /// Can transition to: open, refused.
        case unopened
        /// Can transition to: refused.
        case open(Int32)
        /// Final: there are none here.
        case refused
    }

    private var file = File.unopened
    /// The run that was offered last, and how often before.
    private var run = UnsafeRawBufferPointer(start: nil, count: 0)
    private var times = 0
    /// Whether it is in the file.
    private var isHeld = false
    #if DEBUG
        private var copy: [UInt8] = []
    #endif

    /// No pages yet: the file is made when it is first of use, and costs one descriptor from then on.
    public init() {}

    /// Pages in a file that is open already, and is closed with them.
    init(in descriptor: Int32) {
        file = .open(descriptor)
    }

    /// Whether the last run that was offered is in pages.
    public var isHolding: Bool { isHeld }

    /// Lets go of all pages: what was offered may be changed, or freed.
    public func forget() {
        run = UnsafeRawBufferPointer(start: nil, count: 0)
        times = 0
        if isHeld { drop() }
    }

    /// Sends bytes to a UNIX stream out of pages: how many it has taken, or a negative code of libuv, as of a write.
    ///
    /// Nil when they are to be copied instead.
    func send(_ bytes: UnsafeRawBufferPointer, to stream: UnsafeMutablePointer<uv_stream_t>) -> Int32? {
        guard bytes.count >= Self.least, bytes.count <= Self.most, holds(bytes),
            case .open(let descriptor) = file
        else { return nil }
        let taken = rollcall_send_pages(stream, descriptor, bytes.count)
        switch taken {
        case 0..., UV_EAGAIN.rawValue: return taken
        case UV_EPIPE.rawValue, UV_ECONNRESET.rawValue, UV_ENOTCONN.rawValue: return taken
        // No memory for this one; the copy tells whether that is so.
        case UV_ENOMEM.rawValue, UV_ENOBUFS.rawValue: return nil
        default:
            refuse()
            return nil
        }
    }

    /// Whether a run is in the pages, after it was offered once more.
    private func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.baseAddress == run.baseAddress, bytes.count == run.count {
            assert(isUnchanged(bytes), "bytes were changed after they were offered")
            if isHeld { return true }
            times += 1
            return times == Self.copies + 1 && fill(bytes)
        }
        forget()
        run = bytes
        times = 1
        #if DEBUG
            copy = Array(bytes)
        #endif
        return false
    }

    private func fill(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if case .unopened = file {
            let descriptor = rollcall_open_pages()
            switch descriptor {
            case 0...: file = .open(descriptor)
            // There may be room for one later.
            case UV_EMFILE.rawValue, UV_ENFILE.rawValue, UV_ENOMEM.rawValue: break
            default: file = .refused
            }
        }
        guard case .open(let descriptor) = file else { return false }
        isHeld = rollcall_fill_pages(descriptor, bytes.baseAddress, bytes.count) == 0
        // Too little memory for all of it, or a limit on files.
        if !isHeld { drop() }
        return isHeld
    }

    /// Nothing is in the file any more.
    private func drop() {
        isHeld = false
        guard case .open(let descriptor) = file else { return }
        // Else the next run would be written where sockets still look.
        if rollcall_forget_pages(descriptor) < 0 { refuse() }
    }

    /// From now on all writes are copied.
    private func refuse() {
        isHeld = false
        if case .open(let descriptor) = file { rollcall_close(descriptor) }
        file = .refused
    }

    private func isUnchanged(_ bytes: UnsafeRawBufferPointer) -> Bool {
        #if DEBUG
            copy.withUnsafeBytes { memcmp($0.baseAddress!, bytes.baseAddress!, bytes.count) == 0 }
        #else
            true
        #endif
    }

    deinit {
        if case .open(let descriptor) = file { rollcall_close(descriptor) }
    }
}

@available(*, unavailable) extension SharedPages: Sendable {}
