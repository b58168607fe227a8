import CallState
import RollcallProtocol

/// A call on a relay's side, written by hand: a state that commits, and the frames that tell of it.
struct ScriptedCall {
    var state = CallState()
    /// The client under test: ana's laptop.
    let ana: Slot
    let laptop: Slot
    /// Somebody else.
    let ben: Slot
    let phone: Slot
    var secret: [UInt8] = Array(repeating: 7, count: 16)
    var incarnation: UInt64 = 1

    /// A meeting of ana and ben, at position (`epoch`, 1).
    init(epoch: UInt64 = 5, grace: UInt64 = 15_000) {
        state.beginEpoch(epoch)
        state.beginCommit()
        state.beginMeeting("m-1", at: 1_000, grace: grace, idle: 300_000)
        ben = state.addPerson(uid: "ben", name: "Ben", at: 1_000)
        phone = state.addDevice(person: ben, id: "phone", at: 1_000)
        ana = state.addPerson(uid: "ana", name: "Ana", at: 1_000)
        laptop = state.addDevice(person: ana, id: "laptop", at: 1_000)
        _ = state.endCommit()
    }

    static let welcome: ServerFrame = {
        var welcome = Welcome()
        welcome.pingInterval = 10_000
        welcome.deadAfter = 25_000
        return .welcome(welcome)
    }()

    func joined(
        _ outcome: Outcome = .new,
        at position: Position? = nil,
        follows: Follows = .snapshot,
        lastOp: UInt64 = 0
    ) -> ServerFrame {
        var joined = Joined()
        joined.outcome = outcome
        joined.incarnation = incarnation
        joined.attachment = 1
        joined.secret = secret
        joined.lastOp = lastOp
        joined.rights = [.participate, .moderate]
        joined.person = outcome == .observer ? 0 : ana
        joined.device = outcome == .observer ? 0 : laptop
        joined.position = position ?? state.position
        joined.follows = follows
        return .joined(joined)
    }

    /// A snapshot in parts of `recordsPerPart` records.
    func snapshot(_ reason: SnapshotReason = .join, recordsPerPart: Int = 2) -> [ServerFrame] {
        var diff = Diff()
        state.diff(from: 0, into: &diff)
        var frames: [ServerFrame] = [.snapshot(SnapshotHead(position: state.position, reason: reason))]
        var records = diff.records[...]
        repeat {
            var part = Diff()
            for var record in records.prefix(recordsPerPart) {
                let fields = diff.fields[record.fields]
                record.fields = part.fields.count..<part.fields.count + fields.count
                part.fields += fields
                part.records.append(record)
            }
            records = records.dropFirst(recordsPerPart)
            frames.append(.part(SnapshotPart(records: part, end: records.isEmpty ? end : nil)))
        } while !records.isEmpty
        return frames
    }

    var end: SnapshotEnd {
        SnapshotEnd(liveRecords: UInt64(state.liveRecordCount), digest: state.digest)
    }

    /// Commits a change; the delta names its positions in full.
    mutating func commit(_ change: (inout CallState) -> Void) -> Delta {
        let from = state.position
        state.beginCommit()
        change(&state)
        _ = state.endCommit()
        return delta(from: from)
    }

    /// The difference since `from`.
    func delta(from: Position) -> Delta {
        var diff = Diff()
        state.diff(from: from.seq, into: &diff)
        var delta = Delta(toSeq: state.position.seq, records: diff)
        delta.toEpoch = state.position.epoch
        delta.fromSeq = from.seq
        delta.fromEpoch = from.epoch
        return delta
    }

    func ping(time: UInt64 = 99, digest: Bool = true) -> ServerFrame {
        .ping(Ping(position: state.position, time: time, digest: digest ? state.digest : nil))
    }

    func ack(_ op: UInt64) -> ServerFrame {
        .ack(Ack(op: op, position: state.position))
    }
}
