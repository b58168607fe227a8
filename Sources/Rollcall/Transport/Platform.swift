#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What differs between systems, and the few calls that everything else here is made of.
///
/// Calls give a negative errno instead of -1, so that it can't be overwritten before it is read.
enum Platform {
    private static let start = ContinuousClock.now

    /// Milliseconds on a clock that never goes back, and that goes on while the machine sleeps.
    static var now: UInt64 {
        start.duration(to: .now).milliseconds
    }

    /// A stream socket that never blocks, is not inherited, and raises no signal when its peer has gone.
    ///
    /// A library must not change the signal handlers of its host, so SIGPIPE is kept away from each socket instead.
    static func makeSocket(family: Int32) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(family, kind, 0)
        if descriptor < 0 { return -errno }
        let result = makeQuiet(descriptor)
        if result < 0 {
            close(descriptor)
            return result
        }
        #if canImport(Darwin)
            set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
        return descriptor
    }

    /// Makes a descriptor non-blocking and closed in child processes.
    static func makeQuiet(_ descriptor: Int32) -> Int32 {
        if fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 { return -errno }
        let flags = fcntl(descriptor, F_GETFL)
        if flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 { return -errno }
        return 0
    }

    /// Sends small frames at once.
    static func disableDelay(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        // A socket without the option still works; there is nobody to tell.
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Begins to connect: 0 when it is done, else a negative errno; `-EINPROGRESS` means that it goes on.
    static func connectSocket(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
        address.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return -EINVAL }
            let pointer = base.assumingMemoryBound(to: sockaddr.self)
            return connect(descriptor, pointer, socklen_t(bytes.count)) == 0 ? 0 : -errno
        }
    }

    /// How a connect that went on has ended: 0, or a negative errno.
    static func connectResult(_ descriptor: Int32) -> Int32 {
        var result: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &result, &size) < 0 { return -errno }
        return -result
    }

    /// Sends what the system takes at once: the number of bytes, or a negative errno.
    static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeBytes { buffer in
            while true {
                #if canImport(Glibc)
                    let count = Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags)
                #elseif canImport(Musl)
                    let count = Musl.send(descriptor, buffer.baseAddress, buffer.count, flags)
                #elseif canImport(Darwin)
                    let count = Darwin.send(descriptor, buffer.baseAddress, buffer.count, flags)
                #endif
                if count >= 0 { return count }
                if errno != EINTR { return -Int(errno) }
            }
        }
    }

    /// Receives what is there: the number of bytes, 0 at the end, or a negative errno.
    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { return -Int(errno) }
        }
    }

    /// Closes a descriptor.
    static func closeDescriptor(_ descriptor: Int32) {
        close(descriptor)
    }

    /// Whether a negative errno only means "not now".
    static func isTemporary(_ result: Int) -> Bool {
        result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK)
    }

    /// Whether a connect goes on.
    static func isInProgress(_ result: Int32) -> Bool {
        result == -EINPROGRESS || result == -EINTR
    }

    /// The failure behind a negative errno.
    static func error(_ result: Int32, in function: String) -> SystemError {
        SystemError(number: -result, function: function, text: String(cString: strerror(-result)))
    }
}
