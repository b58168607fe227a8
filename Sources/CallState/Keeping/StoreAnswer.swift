/// What a store tells the relay's rules.
public enum StoreAnswer: Hashable, Sendable {
    /// At the start, before anything else: what call logs showed, in the order in which it was kept.
    case attendance(session: ByteString, [TimedAttendanceChange])
    /// At the start: the calls that somebody was in when the relay ended.
    case occupied([ByteString])
    /// The call is the relay's now.
    case claimed(session: ByteString, Claim)
    /// Everything of the call up to that seq is on the disk, with what was in the same batch.
    case kept(session: ByteString, seq: UInt64)
    /// The claim or the batch could not be carried out and nothing of it is kept; it may be tried again.
    case unavailable(session: ByteString, reason: ByteString)
    /// As ``unavailable(session:reason:)``, of a claim that is kept all the same: until it is claimed, what is kept
    /// says that the call is in use.
    case doubtful(session: ByteString, reason: ByteString)
    /// Another relay owns the call: this one must not go on with it.
    case fenced(session: ByteString)

    /// What comes with a call.
    public struct Claim: Hashable, Sendable {
        /// Above every epoch that the store has given for this session.
        public var epoch: UInt64
        /// What is kept of the call; nil when there is nothing.
        ///
        /// Clean only this once: the store has noted, before it answers, that the call is in use again.
        public var kept: KeptCall?

        /// A call, with what is kept of it.
        public init(epoch: UInt64, kept: KeptCall? = nil) {
            self.epoch = epoch
            self.kept = kept
        }
    }
}

/// What is wrong with something that was kept.
public struct KeptError: Error, Hashable, Sendable {
    /// The record; nil when it is not a record's fault.
    public var slot: Slot?
    /// What is wrong, in words.
    public var reason: String

    /// A fault.
    public init(slot: Slot? = nil, _ reason: String) {
        self.slot = slot
        self.reason = reason
    }
}

extension KeptError: CustomStringConvertible {
    /// The place and the fault.
    public var description: String { slot.map { "slot \($0): \(reason)" } ?? reason }
}
