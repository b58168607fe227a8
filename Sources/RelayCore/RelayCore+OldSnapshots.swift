import CallState
import RollcallProtocol

// An encoded snapshot is shared, but each one that is out of date belongs only to those who still take it. Who takes
// one very slowly could hold memory as large as the call, and each such client another one.
extension RelayCore {
    /// Ends the connections that take the oldest snapshots of a call of which too many different ones are being taken.
    ///
    /// Nothing is looked at unless a long one was made since the last turn: that cost more than looking.
    mutating func giveUpOldSnapshots() {
        guard turn.hasLongSnapshot else { return }
        turn.hasLongSnapshot = false
        var taken: [CallID: Set<Position>] = [:]
        for index in connections.indices {
            if let (call, position) = longSnapshot(of: index) { taken[call, default: []].insert(position) }
        }
        for index in connections.indices {
            guard let (call, position) = longSnapshot(of: index), let positions = taken[call],
                positions.count > configuration.maximumOldSnapshots
            else { continue }
            let kept = positions.sorted().suffix(configuration.maximumOldSnapshots)
            guard position < kept[kept.startIndex] else { continue }
            let text = "\(kept.count) newer snapshots of this call are being taken: this one was not taken in time"
            endLagged(index, text)
        }
    }

    /// The long snapshot that a connection is being sent: of which call, and which one.
    private func longSnapshot(of index: Int) -> (CallID, Position)? {
        switch connections[index].phase {
        case .greeted, .attached, .closing: break
        case .free, .opened, .gone: return nil
        }
        for case .snapshot(let pending) in connections[index].output.pieces {
            guard let encoded = pending.encoded, encoded.bytes.count > WireLimits.snapshotPart else { continue }
            return (pending.call, encoded.position)
        }
        return nil
    }

    /// Cuts a connection that does not take what it is sent: it could not be told either.
    mutating func endLagged(_ index: Int, _ text: String) {
        let refusal = Refusal(code: .lagged, text: text, advice: .now)
        effects.append(.log(.refused(name(index), refusal)))
        let lost = (connections[index].call, connections[index].role, connections[index].phase)
        cut(index)
        if case (let call?, let role, .attached) = lost {
            loseLink(of: role, in: call, at: index)
        }
    }
}
