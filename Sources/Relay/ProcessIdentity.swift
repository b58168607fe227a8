import EventLoop

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Who the relay runs as.
enum ProcessIdentity {
    /// Whether the peer of a stream runs as the relay's user or as root, by the word of the kernel.
    ///
    /// Only UNIX sockets have one.
    static func trusts(_ stream: Stream) -> Bool {
        guard stream.transport == .unix, let peer = try? stream.peerCredentials() else { return false }
        return peer.uid == 0 || peer.uid == UInt32(geteuid())
    }
}
