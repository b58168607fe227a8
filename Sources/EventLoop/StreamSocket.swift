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

    /// Bounds what the kernel holds of unsent bytes, so that a slow peer shows as a busy stream soon.
    ///
    /// TCP: beyond `bytes` unsent bytes the socket counts as full (TCP_NOTSENT_LOWAT); what is on its way is not
    /// counted. UNIX: the size of the send buffer (SO_SNDBUF); Linux allows twice that, overhead included.
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
