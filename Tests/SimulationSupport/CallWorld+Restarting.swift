import CallState
import Randomness
import RelayCore

// Relays that end, and others that take their place.
extension CallWorld {
    /// The relay ends without a word, and another one starts after so many ms; what the links carried is lost.
    package mutating func crash(for pause: UInt64 = 1_000) {
        for client in clients.indices {
            for number in clients[client].links.indices {
                let link = LinkID(client: client, number: number)
                fail(link)
                self[link].isClosedByRelay = true
            }
        }
        accepted = [:]
        acceptedCount = 0
        hasStopped = false
        advance(pause)
        relay = RelayCore(configuration: configuration, random: SplitMix64(seed: random.next()))
        apply(.store(.occupied(kept.filter(\.value.header.isOccupied).keys.sorted())))
        endTurn()
    }

    /// The relay stops by plan, and another one starts after so many ms.
    package mutating func restart(resumeAfter: UInt64 = 500, for pause: UInt64 = 200) {
        apply(.stopping(resumeAfter: resumeAfter))
        endTurn()
        for link in links where self[link].isReadyForClient { deliverToClient(link) }
        for link in links where self[link].isReadyForRelay { deliverToRelay(link) }
        endTurn()
        crash(for: pause)
    }
}
