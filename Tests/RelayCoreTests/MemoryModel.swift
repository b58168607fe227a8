import CallState
import RelayCore

/// A store as its contract says, in memory: what it has of a call is made of batches alone.
///
/// Requests wait until they are answered, one after the other; what was not answered is lost in a crash.
struct MemoryModel {
    /// Something that the relay has asked for.
    enum Request {
        case claim(ByteString)
        case append(CallBatch)
        case release(ByteString)
    }

    /// What is kept of each call.
    var calls: [ByteString: KeptCall] = [:]
    /// What call logs show, in order.
    var attendance: [(session: ByteString, changes: [TimedAttendanceChange])] = []
    /// The last epoch of each session.
    var epochs: [ByteString: UInt64] = [:]
    /// What is not answered yet.
    var requests: [Request] = []
    /// Why nothing can be carried out; nil while it can.
    var failure: ByteString?
    /// Whether claims are carried out and refused all the same.
    var doubtsClaims = false
    /// Calls that were clean when that happened.
    private var doubted: Set<ByteString> = []
    /// The batches that were kept.
    var batches: [CallBatch] = []
    /// What the relay has done that no relay may do.
    var complaints: [String] = []
    private var epoch: UInt64 = 100

    /// Takes a request.
    mutating func ask(_ request: Request) {
        switch request {
        case .append(let batch):
            let isBusy = requests.contains {
                if case .append(let other) = $0 { other.session == batch.session } else { false }
            }
            if isBusy { complaints.append("two batches of \(batch.session) are on their way") }
        case .claim, .release: break
        }
        requests.append(request)
    }

    /// Carries out the next request; nil when there is none, or when it has no answer.
    mutating func answer() -> StoreAnswer? {
        guard !requests.isEmpty else { return nil }
        switch requests.removeFirst() {
        case .claim(let session):
            if let failure { return .unavailable(session: session, reason: failure) }
            epoch += 1
            var kept = calls[session]
            if doubted.contains(session) { kept?.header.isClean = true }
            calls[session]?.header.isClean = false
            if doubtsClaims {
                if kept?.header.isClean == true { doubted.insert(session) }
                return .doubtful(session: session, reason: "moved")
            }
            doubted.remove(session)
            return .claimed(session: session, .init(epoch: epoch, kept: kept))
        case .append(let batch):
            if let failure { return .unavailable(session: batch.session, reason: failure) }
            keep(batch)
            return .kept(session: batch.session, seq: batch.header.position.seq)
        case .release(let session):
            calls[session] = nil
            return nil
        }
    }

    private mutating func keep(_ batch: CallBatch) {
        var call = calls[batch.session] ?? KeptCall()
        if batch.from > call.header.position.seq { complaints.append("a batch from \(batch.from) leaves a gap") }
        if batch.header.position < call.header.position { complaints.append("a batch goes back") }
        call.apply(batch)
        calls[batch.session] = call
        batches.append(batch)
        if !batch.attendance.isEmpty { attendance.append((batch.session, batch.attendance)) }
    }

    /// The sessions of calls that somebody is in.
    var occupied: [ByteString] { calls.filter(\.value.header.isOccupied).keys.sorted() }

    /// What the relay is told first.
    var atStart: [StoreAnswer] {
        attendance.map { .attendance(session: $0.session, $0.changes) } + [.occupied(occupied)]
    }
}
