/// What a stream tells its owner.
///
/// All calls come on the loop's thread.
public protocol StreamDelegate: AnyObject {
    /// Bytes have come in: at least one, at most `EventLoop.readBufferSize`.
    ///
    /// They are valid until this returns; what is needed longer must be copied.
    func stream(_ stream: Stream, didRead bytes: UnsafeRawBufferPointer)

    /// The write that was in flight is done: the stream takes bytes again.
    ///
    /// Never called from inside `write`, and not after `close` or `finish`.
    func streamDidDrain(_ stream: Stream)

    /// The stream has closed.
    ///
    /// Called exactly once, whoever closed it, and as the last call; never from inside `write`, `close` or `finish`.
    func stream(_ stream: Stream, didCloseBecause cause: CloseCause)
}

/// Why a stream has closed.
public enum CloseCause: Equatable, Sendable {
    /// `close()` was called here.
    case closedHere
    /// The peer has ended its side in good order, or has answered to `finish()` in this way.
    case endOfStream
    /// A read or a write has failed: ECONNRESET, EPIPE and their kin.
    case failed(UVError)
}

/// What became of bytes that were handed to a stream.
public enum WriteResult: Equatable, Sendable {
    /// The kernel has taken everything; more may be written.
    case sent
    /// The stream has everything, the kernel a part.
    ///
    /// `streamDidDrain` will tell when more may be written.
    case inFlight
    /// Nothing was taken, because an earlier write is still in flight.
    case busy
    /// Nothing will arrive: the stream is closing, was finished, or has just failed.
    case closed
}

/// Who is at the other end of a UNIX socket, as the kernel noted when it connected.
public struct PeerCredentials: Equatable, Sendable {
    /// The effective user.
    public let uid: UInt32
    /// The effective group.
    public let gid: UInt32
    /// The process, where the platform tells.
    public let pid: Int32?
}
