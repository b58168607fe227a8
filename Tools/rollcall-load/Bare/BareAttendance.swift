import CallState
import Rollcall
import RollcallProtocol

/// A snapshot as it came over the wire.
struct SnapshotReceipt {
    /// The position that it shows.
    var position: Position
    /// Why it was sent.
    var reason: SnapshotReason
    /// The length of each part on the wire, its four bytes of length included; part 0 is not among them.
    var parts: [Int] = []
    /// What the last part says.
    var end: SnapshotEnd?
    /// Frames that came between its parts and must not.
    var strangers = 0

    /// The bytes of all parts.
    var bytes: Int { parts.reduce(0, +) }
}

/// A call attended over a raw connection: a copy of the call, kept by the rules of the protocol's page for clients.
///
/// It shares the codec, the splitter and `CallState` with the client library, and nothing else: the socket, the order
/// of frames, the joining of a snapshot's parts, and when a digest must agree are written anew here. What is wrong in
/// the shared parts is for the vectors and the programs in another language to find.
final class BareAttendance {
    let connection: BareConnection
    /// The copy.
    private(set) var copy = CallState()
    /// The answer to the join.
    private(set) var joined = Joined()
    /// The snapshots that came.
    private(set) var snapshots: [SnapshotReceipt] = []
    /// The bytes of every delta that came, in order.
    private(set) var deltas: [[UInt8]] = []
    private var loading = Diff()
    private var isLoading = false
    private var epoch: UInt64 = 0
    private var operation: UInt64 = 0

    /// Connects and joins; returns when the copy has reached the position of the join.
    init(_ address: Address, _ join: Join, within time: Duration = .seconds(30), receiveBuffer: Int? = nil) throws {
        let deadline = ContinuousClock.Instant.in(time)
        connection = try BareConnection(address, receiveBuffer: receiveBuffer)
        try connection.hello("rollcall-load", before: deadline)
        try connection.send(.join(join), before: deadline)
        joined = try connection.wait(for: "Joined", before: deadline) { received in
            if case .joined(let joined) = received.frame { joined } else { nil }
        }
        epoch = joined.position.epoch
        if joined.follows == .snapshot {
            try wait(for: "a snapshot", before: deadline) { self.snapshots.last?.end != nil }
        }
        try reach(joined.position, within: time)
    }

    /// Sends a command and waits for its answer; on the way the copy follows.
    @discardableResult
    func command(_ settings: [Setting], within time: Duration = .seconds(30)) throws -> Ack {
        let deadline = ContinuousClock.Instant.in(time)
        operation += 1
        while true {
            let ack = try answer(to: Command(op: operation, settings: settings), before: deadline)
            // Too early: the same again once its time has come, so that what is sent stays the same.
            guard ack.code == .rate, .now < deadline else { return ack }
            connection.socket.pause(.milliseconds(ack.after))
        }
    }

    private func answer(to command: Command, before deadline: ContinuousClock.Instant) throws -> Ack {
        try connection.send(.command(command), before: deadline)
        return try connection.wait(for: "an answer", before: deadline) { received in
            if case .ack(let ack) = received.frame, ack.op == command.op { return ack }
            try self.take(received)
            return nil
        }
    }

    /// Waits until the copy is at `position` or above.
    func reach(_ position: Position, within time: Duration = .seconds(30)) throws {
        try wait(for: "position \(position)", before: .in(time)) { self.copy.position >= position }
    }

    /// Takes what comes until the deadline, or until the relay closes.
    func follow(until deadline: ContinuousClock.Instant) throws {
        while case .frame(let frame) = try connection.next(before: deadline) { try take(frame) }
    }

    private func wait(for what: String, before deadline: ContinuousClock.Instant, _ isDone: () -> Bool) throws {
        if isDone() { return }
        try connection.wait(for: what, before: deadline) { received in
            try self.take(received)
            return isDone() ? () : nil
        }
    }

    private func take(_ received: BareFrame) throws {
        switch received.frame {
        case .snapshot(let head):
            snapshots.append(SnapshotReceipt(position: head.position, reason: head.reason))
            loading = Diff()
            isLoading = true
            epoch = head.position.epoch
        case .part(let part):
            guard isLoading else { throw SocketError("a part of a snapshot without its head") }
            snapshots[snapshots.count - 1].parts.append(received.bytes.count + 4)
            loading.append(part.records)
            guard let end = part.end else { return }
            try finish(end)
        case .delta(let delta):
            if isLoading { snapshots[snapshots.count - 1].strangers += 1 }
            deltas.append(received.bytes)
            let to = Position(epoch: delta.toEpoch ?? epoch, seq: delta.toSeq)
            let from = Position(epoch: delta.fromEpoch ?? to.epoch, seq: delta.fromSeq ?? delta.toSeq - 1)
            epoch = to.epoch
            try copy.apply(delta.records, from: from, to: to)
            if let digest = delta.digest, digest != copy.digest { throw SocketError("another digest at \(to)") }
            connection.reached(copy.position)
        case .ping(let ping):
            if let digest = ping.digest, ping.position == copy.position, digest != copy.digest {
                throw SocketError("another digest at \(copy.position)")
            }
        default: break
        }
    }

    private func finish(_ end: SnapshotEnd) throws {
        isLoading = false
        let place = snapshots.count - 1
        snapshots[place].end = end
        try copy.replace(with: loading, at: snapshots[place].position)
        loading = Diff()
        connection.reached(copy.position)
        guard UInt64(copy.liveRecordCount) == end.liveRecords else {
            throw SocketError("a snapshot of \(copy.liveRecordCount) records that says \(end.liveRecords)")
        }
        guard copy.digest == end.digest else { throw SocketError("a snapshot with another digest than it says") }
    }
}

extension Diff {
    /// Adds the records of another difference behind these.
    mutating func append(_ other: Diff) {
        let shift = fields.count
        fields.append(contentsOf: other.fields)
        for record in other.records {
            var moved = record
            moved.fields = record.fields.lowerBound + shift..<record.fields.upperBound + shift
            records.append(moved)
        }
    }
}
