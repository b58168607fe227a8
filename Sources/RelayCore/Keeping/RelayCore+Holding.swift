import CallState
import RollcallProtocol

// What a connection is told waits until the store has kept what it tells; without such a store nothing waits.
extension RelayCore {
    /// The number of the batch that must be kept before something that follows from the call as it is may be told; 0
    /// when nothing has to wait.
    func needs(of call: Int?) -> UInt64 {
        // The configuration first: what a call keeps is copied to be asked.
        guard configuration.durability == .sync, let call, calls[call]!.keeping.isSync,
            calls[call]!.keeping.needed > calls[call]!.keeping.kept
        else { return 0 }
        return calls[call]!.keeping.needed
    }

    /// Appends something that goes before the frames of the call, once `needs` is kept.
    mutating func lead(_ piece: Output.Piece, needs: UInt64, of call: Int, on index: Int) {
        guard leadsAtOnce(index, needs) else { return hold(.leading(piece), needs: needs, of: call, on: index) }
        connections[index].output.lead(piece)
        hasOutput(index)
    }

    /// Appends a frame that goes before those of the call, once `needs` is kept.
    mutating func lead(_ frame: ServerFrame, needs: UInt64, of call: Int, on index: Int) {
        guard leadsAtOnce(index, needs) else {
            var bytes: [UInt8] = []
            frame.encode(into: &bytes)
            return hold(.leading(.bytes(bytes)), needs: needs, of: call, on: index)
        }
        connections[index].output.lead { frame.encode(into: &$0) }
        hasOutput(index)
    }

    /// Whether what goes before the frames of the call waits for nothing.
    private func leadsAtOnce(_ index: Int, _ needs: UInt64) -> Bool {
        needs == 0 && !connections[index].output.isLeadHeld
    }

    /// Keeps something back until `needs` is kept, behind what is kept back already.
    mutating func hold(_ what: Output.Held.What, needs: UInt64, of call: Int, on index: Int) {
        connections[index].output.hold(what, needs: needs)
        guard !connections[index].isHolding else { return }
        connections[index].isHolding = true
        calls[call]!.holding.append(name(index))
    }

    /// Lets out what has waited for what is kept now.
    mutating func tellKept(_ call: Int) {
        let kept = calls[call]!.keeping.kept
        var still: [ConnectionID] = []
        let holding = calls[call]!.holding
        calls[call]!.holding = []
        for name in holding {
            guard let index = index(of: name), connections[index].isHolding else { continue }
            if connections[index].output.release(through: kept) {
                if !connections[index].isReader { makeSnapshots(index, of: call) }
                hasOutput(index)
            }
            if connections[index].output.held.isEmpty {
                connections[index].isHolding = false
            } else {
                still.append(name)
            }
        }
        calls[call]!.holding += still
    }

    /// Makes the snapshots that wait for a connection which gets no more frames: the call may be gone before they are
    /// handed over, and the answers after them not.
    private mutating func makeSnapshots(_ index: Int, of call: Int) {
        for place in connections[index].output.pieces.indices {
            guard case .snapshot(var pending) = connections[index].output.pieces[place], pending.encoded == nil,
                pending.request == 0, pending.call == calls[call]!.id
            else { continue }
            pending.encoded = partingSnapshot(of: call)
            connections[index].output.pieces[place] = .snapshot(pending)
        }
    }
}
