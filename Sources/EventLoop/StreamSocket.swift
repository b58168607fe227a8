public import Addresses
import CLibuv

extension Stream {
    /// Who is at the other end of a UNIX socket.
    ///
    /// Throws for TCP, where the kernel does not know.
    public func peerCredentials() throws(UVError) -> PeerCredentials {
        var peer = rollcall_credentials()
        guard transport == .unix else { throw UVError(UV_ENOTSUP.rawValue, "peer credentials", on: "of a TCP stream") }
        try UVError.check(withDescriptor { rollcall_peer_credentials($0, &peer) }, "peer credentials")
        return PeerCredentials(uid: peer.uid, gid: peer.gid, pid: peer.pid < 0 ? nil : peer.pid)
    }

    /// The numeric address of the peer of a TCP stream; nil for UNIX, or when the peer has gone.
    public var peerAddress: Address? {
        guard transport == .tcp, !isClosing else { return nil }
        return Address.ofSocket { name, length in
            var size = Int32(length.pointee)
            defer { length.pointee = socklen_t(size) }
            return uv_tcp_getpeername(pointer(as: uv_tcp_t.self), name, &size)
        }
    }

    /// Bounds what the kernel holds for a slow TCP peer in all, what is on its way included, to what the peer has
    /// lately taken in `time` ms, or in two round trips where that is longer: 4 KiB at least.
    ///
    /// Else a path that loses what is too much for it is sent ever more, and what matters waits behind that. Gives the
    /// bound in bytes, or nil where the system does not tell how fast the peer is, or the stream is none of TCP. Two
    /// system calls.
    @discardableResult
    public func boundToPace(_ time: Int) -> Int? {
        guard transport == .tcp else { return nil }
        var rate: UInt64 = 0
        var roundTrip: UInt32 = 0
        guard withDescriptor({ rollcall_tcp_pace($0, &rate, &roundTrip) }) == 0 else { return nil }
        let span = max(Double(time) / 1_000, 2 * Double(roundTrip) / 1_000_000)
        let bound = max(Self.leastBound, min(Self.mostBound, Int(min(Double(rate) * span, 1e9))))
        var size = Int32(clamping: bound)
        return uv_send_buffer_size(raw, &size) == 0 ? bound : nil
    }

    /// Ends ``boundToPace(_:)``: the kernel may hold as much as it gives by itself to a busy stream.
    public func unbound() {
        guard transport == .tcp else { return }
        var size = Int32(Self.mostBound)
        // It fails only for a stream that has just ended.
        uv_send_buffer_size(raw, &size)
    }

    private static let leastBound = 4 * 1024
    private static let mostBound = 1024 * 1024

    /// Bounds what the kernel holds of unsent bytes, so that a slow peer shows as a busy stream soon.
    ///
    /// TCP: beyond `bytes` unsent bytes, and at most 2 KiB and one write more, the socket counts as full
    /// (TCP_NOTSENT_LOWAT); what is on its way is not counted. UNIX: the size of the send buffer (SO_SNDBUF); Linux
    /// allows twice that, overhead included.
    public func limitUnsentBytes(_ bytes: Int) throws(UVError) {
        var size = Int32(clamping: bytes)
        switch transport {
        case .tcp:
            try UVError.check(withDescriptor { rollcall_set_unsent_low_water($0, size) }, "set TCP_NOTSENT_LOWAT")
        case .unix:
            try UVError.check(uv_send_buffer_size(raw, &size), "set SO_SNDBUF")
        }
    }
}
