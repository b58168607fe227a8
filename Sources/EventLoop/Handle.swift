import CLibuv

/// Something that lives on a loop: a stream, a listener, a timer, a signal watcher, the bell of a mailbox.
///
/// # Who owns the C struct
///
/// Rule: libuv holds exactly one strong reference to the Swift object, taken after the C struct was initialised and
/// given back in the close callback. Nothing else in this module frees or closes a C struct.
///
/// - Why: libuv keeps pointers to a handle until its close callback has run, at the end of a turn, never inside
///   `uv_close`. Memory that went away earlier would be used after it was freed.
/// - Practice: `init` allocates the struct, initialises it, and then stores `passRetained(self)` in its `data`, which
///   is written once. Callbacks borrow the object from there. `close()` does nothing when it was called before. The
///   close callback takes the reference back; `deinit`, which can only run after that, frees the memory.
/// - Otherwise: an object whose `close()` is forgotten stays open until `EventLoop.shutDown()` closes it. It never
///   dangles, and dropping the last reference of the owner is allowed at any time and in any callback.
///
/// Requests obey the same rule with shorter lives: the memory of a write belongs to libuv from `uv_write` to its
/// callback, and every request of a closing handle has its callback (cancelled) before the close callback.
public class Handle {
    /// The loop that the handle lives on.
    ///
    /// Everything is called on the thread that runs it.
    public let loop: EventLoop

    /// True from the first `close()`; the handle does nothing more except to say that it has closed.
    #if !DEBUG
        // Looked at for every write; tests check that nothing enters it twice.
        @exclusivity(unchecked)
    #endif
    public private(set) final var isClosing = false

    /// The C struct.
    ///
    /// Its type is the subclass's; every libuv handle type starts with the fields of `uv_handle_t`.
    final let raw: UnsafeMutablePointer<uv_handle_t>

    /// Allocates `size` bytes and lets `initialise` turn them into a libuv handle.
    init(
        loop: EventLoop,
        size: Int,
        operation: String,
        initialise: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutableRawPointer) -> Int32
    ) throws(UVError) {
        self.loop = loop
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        raw = memory.assumingMemoryBound(to: uv_handle_t.self)
        // A throw here frees the memory through deinit, because nothing was retained yet.
        try UVError.check(initialise(loop.raw, memory), operation)
        raw.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// Closes the handle.
    ///
    /// May be called more than once and from any callback; the handle has closed, and its memory is free for release,
    /// at the end of the loop's turn.
    public final func close() {
        guard !isClosing else { return }
        isClosing = true
        willClose()
        uv_close(raw, handleClosed)
    }

    /// Called once by `close()`, before the C handle is told.
    func willClose() {}

    /// Called once, when libuv has let go of the handle.
    func hasClosed() {}

    /// The C struct under its own type.
    final func pointer<Struct>(as type: Struct.Type) -> UnsafeMutablePointer<Struct> {
        UnsafeMutableRawPointer(raw).assumingMemoryBound(to: Struct.self)
    }

    deinit { UnsafeMutableRawPointer(raw).deallocate() }
}

@available(*, unavailable) extension Handle: Sendable {}

/// The object behind a C handle, borrowed.
///
/// `Object` must be the class that initialised the handle.
@inline(__always)
func borrow<Object: Handle>(_ data: UnsafeMutableRawPointer?, as type: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(data!).takeUnretainedValue()
}

private func handleClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
    // Takes back the reference of init: the only release there is.
    Unmanaged<Handle>.fromOpaque(handle!.pointee.data).takeRetainedValue().hasClosed()
}
