import CallState
import RollcallProtocol

/// A client as SPEC.md describes it: a copy of the call that obeys the apply rule, and what it was told besides.
struct Replica {
    /// Everything that came, oldest first.
    private(set) var frames: [ServerFrame] = []
    private(set) var state = CallState()
    /// Whether the copy is one: a snapshot was applied, or Joined said that the old copy goes on.
    private(set) var isComplete = false
    private(set) var joined: Joined?
    private(set) var closed: Refusal?
    private(set) var acks: [Ack] = []
    private(set) var snapshots: [SnapshotHead] = []
    /// Why it would have asked for a snapshot; a healthy relay never makes it.
    private(set) var complaints: [String] = []
    private(set) var deltas: [Delta] = []

    private var epoch: UInt64 = 0
    private var loading: (head: SnapshotHead, records: Diff)?
    /// Acks whose position the copy had not reached when they came: a fault of the relay.
    private(set) var earlyAcks: [Ack] = []

    init() {}

    /// A client that still has a copy.
    init(copy: CallState) {
        state = copy
    }

    var position: Position { state.position }

    mutating func receive(_ frame: ServerFrame) {
        if closed != nil { complaints.append("\(frame) after Closed") }
        frames.append(frame)
        switch frame {
        case .joined(let joined):
            self.joined = joined
            epoch = joined.position.epoch
            isComplete = joined.follows != .snapshot
            if joined.follows == .nothing, state.position != joined.position {
                complaints.append("nothing follows at \(joined.position), the copy is at \(state.position)")
            }
        case .snapshot(let head):
            if loading != nil { complaints.append("a snapshot in a snapshot") }
            epoch = head.position.epoch
            snapshots.append(head)
            loading = (head, Diff())
        case .part(let part): receive(part)
        case .delta(let delta): receive(delta)
        case .ack(let ack):
            acks.append(ack)
            if ack.position > state.position { earlyAcks.append(ack) }
        case .ping(let ping): receive(ping)
        case .closed(let refusal): closed = refusal
        default: break
        }
    }

    private mutating func receive(_ part: SnapshotPart) {
        guard var (head, records) = loading else { return complaints.append("a part without a snapshot") }
        for record in part.records.records {
            let begin = records.fields.count
            records.fields.append(contentsOf: part.records.fields[record.fields])
            records.records.append(
                Diff.Record(
                    slot: record.slot,
                    kind: record.kind,
                    removal: record.removal,
                    fields: begin..<records.fields.count
                )
            )
        }
        loading = (head, records)
        guard let end = part.end else { return }
        loading = nil
        do {
            try state.replace(with: records, at: head.position)
        } catch {
            complaints.append("snapshot at \(head.position): \(error)")
        }
        isComplete = true
        if state.digest != end.digest { complaints.append("digest of the snapshot at \(head.position)") }
        if UInt64(state.liveRecordCount) != end.liveRecords { complaints.append("live records at \(head.position)") }
        head.position = .zero
    }

    private mutating func receive(_ delta: Delta) {
        deltas.append(delta)
        if loading != nil { complaints.append("a delta in a snapshot") }
        guard isComplete else { return complaints.append("a delta before the snapshot") }
        let to = Position(epoch: delta.toEpoch ?? epoch, seq: delta.toSeq)
        let from = Position(epoch: delta.fromEpoch ?? to.epoch, seq: delta.fromSeq ?? delta.toSeq - 1)
        epoch = to.epoch
        do {
            _ = try state.apply(delta.records, from: from, to: to)
        } catch {
            complaints.append("delta \(from) to \(to) at \(state.position): \(error)")
        }
        if let digest = delta.digest, state.position == to, digest != state.digest {
            complaints.append("digest of the delta to \(to)")
        }
    }

    private mutating func receive(_ ping: Ping) {
        guard let position = ping.position, loading == nil else { return }
        if position > state.position { complaints.append("ping at \(position), the copy is at \(state.position)") }
        if position == state.position, let digest = ping.digest, digest != state.digest {
            complaints.append("digest of the ping at \(position)")
        }
    }
}
