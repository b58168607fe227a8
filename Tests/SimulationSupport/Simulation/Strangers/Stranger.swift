import CallState
import RollcallProtocol

/// Somebody with a client of their own: a strict copy, and a bag of old positions and secrets to come back with.
struct Stranger {
    /// What it may come back with.
    struct Memory {
        var resume: Resume
        var state: CallState
        var session: ByteString
        var uid: ByteString
        var device: ByteString
    }

    let number: Int
    var link: Int?
    var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
    var copy = StrictCopy()
    var isJoined = false
    /// Whether it has said Hello and Join on its link.
    var hasGreeted = false
    /// Whether what it offered was true: else its copy need not fit.
    var isTrue = true
    var session = ByteString.empty
    var uid = ByteString.empty
    var device = ByteString.empty
    var attempt: UInt64 = 0
    var instance: [UInt8] = []
    var op: UInt64 = 0
    var memories: [Memory] = []
    /// Pings that it did not answer, since it is lazy.
    var isLazy = false

    init(number: Int) { self.number = number }

    mutating func linkLost(_ link: Int) {
        guard self.link == link else { return }
        remember()
        self.link = nil
        isJoined = false
    }

    /// Keeps what it has for later.
    mutating func remember() {
        guard isJoined, isTrue, let joined = copy.joined, copy.state.position != .zero else { return }
        let memory = Memory(
            resume: Resume(secret: joined.secret, position: copy.state.position, digest: copy.state.digest),
            state: copy.state,
            session: session,
            uid: uid,
            device: device
        )
        if memories.count < 6 { memories.append(memory) } else { memories[Int(op % 6)] = memory }
    }
}

/// Somebody who sends what no client should, and never reads.
struct Attacker {
    var link: Int?
}
