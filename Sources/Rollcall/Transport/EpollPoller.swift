#if os(Linux)
    import CEpoll
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// ``Poller`` over `epoll`: a wait costs what is ready, not what is watched.
    final class EpollPoller: Poller {
        private let descriptor: Int32
        private let pipe: WakePipe
        private static let pipeID = UInt64.max
        private static let batch = 128

        init?() {
            guard let pipe = WakePipe() else { return nil }
            self.pipe = pipe
            descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
            if descriptor < 0 || add(pipe.reading, id: Self.pipeID, .reading) < 0 {
                close()
                return nil
            }
        }

        func add(_ watched: Int32, id: UInt64, _ interest: Readiness) -> Int32 {
            control(EPOLL_CTL_ADD, watched, id, interest)
        }

        func change(_ watched: Int32, id: UInt64, _ interest: Readiness) {
            _ = control(EPOLL_CTL_MOD, watched, id, interest)
        }

        func remove(_ watched: Int32) {
            _ = control(EPOLL_CTL_DEL, watched, 0, [])
        }

        private func control(_ operation: Int32, _ watched: Int32, _ id: UInt64, _ interest: Readiness) -> Int32 {
            var event = epoll_event()
            if interest.contains(.reading) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.writing) { event.events |= EPOLLOUT.rawValue }
            event.data.u64 = id
            return epoll_ctl(descriptor, operation, watched, &event) == 0 ? 0 : -errno
        }

        func wait(milliseconds: Int32, into ready: inout [(id: UInt64, readiness: Readiness)]) {
            ready.removeAll(keepingCapacity: true)
            withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
                let count = epoll_wait(descriptor, events.baseAddress, Int32(Self.batch), milliseconds)
                // -1 is a signal that interrupted the wait: the caller waits again.
                for index in 0..<Int(max(count, 0)) {
                    let id = events[index].data.u64
                    if id == Self.pipeID {
                        pipe.drain()
                        continue
                    }
                    let bits = events[index].events
                    var readiness: Readiness = []
                    // An error or the peer's end shows itself to whoever reads or writes.
                    if bits & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
                        readiness.insert(.reading)
                    }
                    if bits & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
                        readiness.insert(.writing)
                    }
                    ready.append((id, readiness))
                }
            }
        }

        func wake() {
            pipe.ring()
        }

        func close() {
            if descriptor >= 0 { Platform.closeDescriptor(descriptor) }
            pipe.close()
        }
    }
#endif
