package import CallState
import Randomness
import RelayCore
import Rollcall
package import RollcallProtocol

// Worlds that run by themselves for a while: bytes are cut at random, deadlines are met.

extension CallWorld {
    /// A client that begins at once, with facts drawn at random.
    @discardableResult
    package mutating func join(
        uid: ByteString,
        device: ByteString = "d",
        session: ByteString = "standup",
        _ change: (inout Join) -> Void = { _ in }
    ) -> Int {
        let (muted, paused) = (random.oneIn(2), random.oneIn(2))
        let client = add(uid: uid, device: device, session: session) { join in
            join.audioMuted = muted
            join.videoPaused = paused
            change(&join)
        }
        start(client)
        return client
    }

    /// Delivers some of what is on its way; false when nothing was.
    @discardableResult
    package mutating func turn() -> Bool {
        let waiting = links
        for link in waiting where self[link].isReadyForRelay {
            deliverToRelay(link, bytes: some(of: self[link].toRelay))
        }
        endTurn()
        for link in links where self[link].isReadyForClient {
            deliverToClient(link, bytes: some(of: self[link].toClient))
        }
        return !waiting.isEmpty
    }

    private mutating func some(of bytes: [UInt8]) -> Int { bytes.isEmpty ? 0 : 1 + random.below(bytes.count) }

    /// Delivers everything.
    package mutating func settle() {
        var idle = 0
        while idle < 2 { idle = turn() ? 0 : idle + 1 }
    }

    /// Lets time pass in steps, so that every deadline on the way is met.
    package mutating func pass(_ milliseconds: UInt64) {
        let end = now.monotonic + milliseconds
        while true {
            settle()
            let next = max(min(end, nextDeadline ?? end), now.monotonic)
            advance(next - now.monotonic)
            tick()
            if next >= end { return settle() }
            // Deadlines that stay where they are would hold the clock for ever.
            if let deadline = nextDeadline, deadline <= now.monotonic { now.monotonic += 1 }
        }
    }
}
