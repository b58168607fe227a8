public import CallState

/// Where calls are kept so that a relay that starts anew can go on with them.
///
/// Requests go in, answers come back; requests of one call are carried out in their order. A store says whether it can
/// answer at once: then the answer is the result of ``take(_:)``. Else the answer comes later through the closure of
/// ``start(_:)``, on a thread of the store's.
///
/// Requests are made by one thread.
public protocol CallStore: AnyObject {
    /// Begins to serve, and gives what is kept of the time before: attendance in the order in which it was kept, then
    /// ``StoreAnswer/occupied(_:)`` with the calls that somebody was in, by their ids.
    ///
    /// Called once, before everything else.
    ///
    /// - Parameters:
    ///   - tell: Takes the answers to requests that were not answered at once, in order, on a thread of the store's.
    ///   - contents: Takes what is kept, before this returns; may request something already.
    func start(
        _ tell: @escaping @Sendable (StoreAnswer) -> Void,
        contents: (StoreAnswer) -> Void
    ) throws(StoreError)

    /// Takes a request; nil when its answer comes later.
    ///
    /// A ``StoreRequest/release(_:)`` is never answered.
    func take(_ request: StoreRequest) -> StoreAnswer?

    /// Carries out what was requested, closes, and calls `done` on a thread of the store's, or at once.
    ///
    /// Requests that come later are not heard. Called once.
    func stop(_ done: @escaping @Sendable () -> Void)

    /// What was done since the start; safe to ask at any time.
    var counters: StoreCounters { get }
}

/// What a relay wants of a store.
public enum StoreRequest: Hashable, Sendable {
    /// The call is this relay's from now on, and has an epoch that was never given before:
    /// ``StoreAnswer/claimed(session:_:)``, ``StoreAnswer/unavailable(session:reason:)`` or
    /// ``StoreAnswer/doubtful(session:reason:)``.
    case claim(ByteString)
    /// Keep what has changed: ``StoreAnswer/kept(session:seq:)``, ``StoreAnswer/unavailable(session:reason:)`` or, when
    /// the call was never claimed, ``StoreAnswer/fenced(session:)``.
    case append(CallBatch)
    /// The relay has forgotten the call: when nobody is in, only its attendance is needed any more.
    case release(ByteString)

    /// The call that it is about.
    public var session: ByteString {
        switch self {
        case .claim(let session), .release(let session): session
        case .append(let batch): batch.session
        }
    }
}

/// What a store has done since its start.
public struct StoreCounters: Hashable, Sendable {
    /// Transactions that were kept.
    public var transactions: UInt64 = 0
    /// Transactions of which nothing was kept.
    public var failures: UInt64 = 0
    /// Calls that were claimed.
    public var claims: UInt64 = 0
    /// Batches that were kept.
    public var batches: UInt64 = 0
    /// Bytes of the records, private data and headers in those batches.
    public var bytes: UInt64 = 0
    /// Times that a file was synced, as far as the store knows: one for each transaction, three for each checkpoint.
    public var syncs: UInt64 = 0
    /// Times that the log of changes was moved into the tables.
    public var checkpoints: UInt64 = 0

    /// Nothing yet.
    public init() {}
}
