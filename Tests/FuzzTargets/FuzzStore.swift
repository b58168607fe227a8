import CallState

/// A store in memory that answers when it is told to, and holds the relay against what a store may expect.
struct FuzzStore {
    private enum Request {
        case claim(ByteString)
        case append(CallBatch)
    }

    private var epoch: UInt64 = 100
    /// What is not answered yet, in order.
    private var requests: [Request] = []
    /// The calls that are the relay's.
    private var owned: Set<ByteString> = []
    private var kept: [ByteString: KeptCall] = [:]
    /// The highest position of each call that was ever kept.
    private var reached: [ByteString: Position] = [:]

    /// Whether something is not answered yet.
    var isAsked: Bool { !requests.isEmpty }

    func highest(_ session: ByteString) -> Position { reached[session] ?? .zero }

    mutating func claim(_ session: ByteString, _ verdict: inout Verdict) {
        verdict.require(!isClaiming(session), "\(session) is claimed while a claim runs")
        requests.append(.claim(session))
    }

    mutating func append(_ batch: CallBatch, _ verdict: inout Verdict) {
        verdict.require(owned.contains(batch.session), "a batch of \(batch.session), which nobody has claimed")
        verdict.require(!isAppending(batch.session), "a second batch of \(batch.session) at a time")
        let known = kept[batch.session]?.header.position.seq ?? 0
        verdict.require(batch.from <= known, "a batch from \(batch.from), where \(known) is kept")
        let seq = batch.header.position.seq
        verdict.require(seq >= batch.from, "a batch from \(batch.from) to \(seq)")
        requests.append(.append(batch))
    }

    mutating func release(_ session: ByteString, _ verdict: inout Verdict) {
        verdict.require(owned.remove(session) != nil, "\(session) is released without a claim")
        verdict.require(!isClaiming(session), "\(session) is released while a claim runs")
        kept[session] = nil
    }

    private func isClaiming(_ session: ByteString) -> Bool {
        requests.contains { if case .claim(session) = $0 { true } else { false } }
    }

    private func isAppending(_ session: ByteString) -> Bool {
        requests.contains { if case .append(let batch) = $0 { batch.session == session } else { false } }
    }

    /// The answer to the oldest request; nil without any.
    ///
    /// - Parameter fails: Nothing of it is kept.
    mutating func answer(fails: Bool, _ verdict: inout Verdict) -> StoreAnswer? {
        guard !requests.isEmpty else { return nil }
        switch requests.removeFirst() {
        case .claim(let session):
            if fails { return .unavailable(session: session, reason: "the disk is full") }
            owned.insert(session)
            epoch += 1
            let found = kept[session]
            kept[session]?.header.isClean = false
            return .claimed(session: session, .init(epoch: epoch, kept: found))
        case .append(let batch):
            if fails { return .unavailable(session: batch.session, reason: "the disk is full") }
            guard owned.contains(batch.session) else { return nil }
            kept[batch.session, default: KeptCall()].apply(batch)
            reached[batch.session] = max(reached[batch.session] ?? .zero, batch.header.position)
            check(batch.session, &verdict)
            return .kept(session: batch.session, seq: batch.header.position.seq)
        }
    }

    /// What is kept is a call at any time.
    private func check(_ session: ByteString, _ verdict: inout Verdict) {
        guard let call = kept[session] else { return }
        do throws(KeptError) {
            let state = try CallState(restoring: call)
            verdict.require(state.digest == state.recomputedDigest, "digest of what is kept of \(session)")
        } catch {
            verdict.fail("what is kept of \(session) is no call: \(error)")
        }
    }
}
