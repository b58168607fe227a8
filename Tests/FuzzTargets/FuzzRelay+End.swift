import CallState
import RelayCore
import RollcallProtocol

// The end of a run: everything is said, and what everybody has is compared.
extension FuzzRelay {
    /// The store answers, everybody reads, and every copy is compared with what a Peek shows.
    mutating func end() {
        answersAtOnce = true
        for _ in 0..<4 {
            while store.isAsked { answer() }
            endTurn()
            // What failed is tried again by then.
            advance(6_000)
        }
        for index in links.indices { links[index].capacity = nil }
        for _ in 0..<1_000 {
            let slow = links.indices.filter { links[$0].isOpen && !links[$0].unsent.isEmpty }
            if slow.isEmpty || verdict.finding != nil { break }
            for index in slow where links[index].isOpen && !links[index].unsent.isEmpty { drain(index) }
            endTurn()
        }
        // What was gathered is told by then.
        advance(RelayProgram.tick)
        for session in Names.sessions where verdict.finding == nil && !isStopping { compare(session) }
    }

    private mutating func compare(_ session: ByteString) {
        let peek = open(isTrusted: true)
        apply(.received(links[peek].id, .hello(Hello(clientName: "peek", instance: [1, 2, 3, 4, 5, 6, 7, 8]))))
        send(peek, .peek(session: session, request: 1))
        endTurn()
        guard links[peek].isOpen, links[peek].copy.isComplete else { return }
        let truth = links[peek].copy.state
        for (index, link) in links.enumerated() where index != peek && link.isOpen && link.session == session {
            guard link.copy.joined != nil, link.copy.closed == nil else { continue }
            verdict.require(link.copy.state.position == truth.position, "\(link.id) is behind \(truth.position)")
            verdict.require(link.copy.state.digest == truth.digest, "\(link.id) has another copy")
            verdict.require(link.copy.state.recomputedDigest == truth.digest, "\(link.id) has other records")
        }
        apply(.closed(links[peek].id))
        links[peek].isOpen = false
    }
}
