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
    /// Whether a peer runs as the relay's user or as root, by the word of the kernel.
    ///
    /// Only UNIX sockets have one.
    static func trusts(_ peer: PeerCredentials?) -> Bool {
        guard let peer else { return false }
        return peer.uid == 0 || peer.uid == UInt32(geteuid())
    }
}
