import Addresses
import CLibuv
import EventLoop
import Glibc

/// The other end of a connection, driven by hand from the thread of the test: nothing here blocks.
final class Peer {
    let descriptor: Int32
    private(set) var isAtEnd = false
    private(set) var failure: Int32 = 0
    private var isOpen = true

    /// Connects to where a listener says that it is bound.
    init(to address: Address) {
        switch address {
        case .unix(let path):
            descriptor = rollcall_stream_socket(AF_UNIX)
            failure = rollcall_unix_connect(descriptor, path, path.utf8.count)
        case .tcp(let host, let port):
            descriptor = rollcall_stream_socket(AF_INET)
            var name = sockaddr_in()
            uv_ip4_addr(host, Int32(port), &name)
            let result = withUnsafePointer(to: &name) { name in
                name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if result < 0, errno != EINPROGRESS { failure = -errno }
        }
    }

    deinit { close() }

    /// Writes what the kernel takes; the number of bytes.
    func send(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno != EAGAIN { failure = -errno }
        return max(0, count)
    }

    /// What has arrived, at most `limit` bytes.
    func receive(atMost limit: Int = 64 * 1024) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let result = recv(descriptor, buffer.baseAddress, limit, 0)
            if result == 0 { isAtEnd = true }
            if result < 0, errno != EAGAIN { failure = -errno }
            count = max(0, result)
        }
    }

    /// How many bytes have arrived and were not received, up to 1 MiB.
    var waiting: Int {
        withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 1) { space in
            max(0, recv(descriptor, space.baseAddress, space.count, Int32(MSG_PEEK)))
        }
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset (TCP): the other end sees ECONNRESET.
    func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    func close() {
        if isOpen { rollcall_close(descriptor) }
        isOpen = false
    }
}
