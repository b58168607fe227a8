import CallState
import RollcallProtocol

/// A receiver of a relay's bytes that believes nothing: it obeys the apply rule and notes everything that a healthy
/// relay never does.
struct CopyReader {
    private(set) var state = CallState()
    /// Whether the copy is one: a snapshot was applied, or Joined said that the old copy goes on.
    private(set) var isComplete = false
    private(set) var joined: Joined?
    private(set) var closed: Refusal?
    /// Answers to its commands, in order.
    private(set) var acks: [Ack] = []
    /// Pings that wait for an answer.
    var pings: [Ping] = []

    private var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
    private var isWelcomed = false
    private var epoch: UInt64 = 0
    private var loading: (head: SnapshotHead, records: Diff)?

    init() {}

    /// One that still has a copy, and the answer to the join that it has it from.
    init(copy: CallState) {
        state = copy
    }

    /// What it resumes with.
    var resume: Resume? {
        joined.map { Resume(secret: $0.secret, position: state.position, digest: state.digest) }
    }

    mutating func receive(_ bytes: [UInt8], _ verdict: inout Verdict) {
        var frames: [ServerFrame] = []
        do throws(WireError) {
            try splitter.feed(bytes.span) { message in
                do throws(WireError) {
                    frames.append(try ServerFrame.decode(message))
                } catch {
                    verdict.fail("an illegal frame: \(error)")
                }
                return .proceed
            }
        } catch {
            verdict.fail("a broken stream: \(error)")
        }
        for frame in frames { receive(frame, &verdict) }
    }

    private mutating func receive(_ frame: ServerFrame, _ verdict: inout Verdict) {
        verdict.require(closed == nil, "\(frame) after Closed")
        switch frame {
        case .welcome:
            verdict.require(!isWelcomed, "a second Welcome")
            isWelcomed = true
        case .joined(let joined): receive(joined, &verdict)
        case .snapshot(let head):
            verdict.require(loading == nil, "a snapshot in a snapshot")
            if head.request == 0 { epoch = head.position.epoch }
            loading = (head, Diff())
        case .part(let part): receive(part, &verdict)
        case .delta(let delta): receive(delta, &verdict)
        case .ack(let ack):
            if isComplete { verdict.require(ack.position <= state.position, "\(ack) before \(ack.position)") }
            acks.append(ack)
        case .ping(let ping):
            pings.append(ping)
            receive(ping, &verdict)
        case .closed(let refusal): closed = refusal
        case .notice, .error, .calls, .connections, .attendance: break
        case .unknown(let number): verdict.fail("frame \(number), which is none")
        }
    }

    private mutating func receive(_ joined: Joined, _ verdict: inout Verdict) {
        verdict.require(isWelcomed && self.joined == nil, "Joined out of order")
        self.joined = joined
        epoch = joined.position.epoch
        isComplete = joined.follows != .snapshot
        if joined.follows == .nothing {
            verdict.require(state.position == joined.position, "nothing follows for a copy at \(state.position)")
        }
    }

    private mutating func receive(_ part: SnapshotPart, _ verdict: inout Verdict) {
        guard let head = loading?.head else { return verdict.fail("a part without a snapshot") }
        loading?.records.append(part.records)
        guard let end = part.end, let records = loading?.records else { return }
        loading = nil
        var copy = head.request == 0 ? state : CallState()
        let isOlder = head.request == 0 && head.position.epoch == state.position.epoch && isComplete
        verdict.require(!isOlder || head.position >= state.position, "a snapshot behind its receiver")
        do {
            try copy.replace(with: records, at: head.position)
        } catch {
            verdict.fail("snapshot at \(head.position): \(error)")
        }
        verdict.require(copy.digest == end.digest, "digest of the snapshot at \(head.position)")
        verdict.require(copy.recomputedDigest == end.digest, "records of the snapshot at \(head.position)")
        verdict.require(UInt64(copy.liveRecordCount) == end.liveRecords, "count of records at \(head.position)")
        // An answer to a Peek is the copy of somebody who attends nothing.
        if head.request == 0 || joined == nil {
            state = copy
            isComplete = true
        }
    }

    private mutating func receive(_ delta: Delta, _ verdict: inout Verdict) {
        verdict.require(loading == nil, "a delta in a snapshot")
        verdict.require(isComplete, "a delta before the snapshot")
        verdict.require(delta.toSeq > 0, "a delta to nowhere")
        let to = Position(epoch: delta.toEpoch ?? epoch, seq: delta.toSeq)
        let from = Position(epoch: delta.fromEpoch ?? to.epoch, seq: delta.fromSeq ?? delta.toSeq &- 1)
        epoch = to.epoch
        do {
            let outcome = try state.apply(delta.records, from: from, to: to)
            verdict.require(outcome == .applied, "delta \(from) to \(to) at \(state.position) again")
        } catch {
            verdict.fail("delta \(from) to \(to) at \(state.position): \(error)")
        }
        verdict.require(delta.digest == nil || delta.digest == state.digest, "digest of the delta to \(to)")
    }

    private func receive(_ ping: Ping, _ verdict: inout Verdict) {
        guard let position = ping.position, loading == nil else { return }
        verdict.require(position <= state.position, "ping at \(position), the copy is at \(state.position)")
        if position == state.position, let digest = ping.digest {
            verdict.require(digest == state.digest, "digest of the ping at \(position)")
        }
    }
}
