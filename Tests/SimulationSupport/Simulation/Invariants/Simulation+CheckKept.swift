import CallState
import RelayCore
import Rollcall
import RollcallProtocol

extension Simulation {
    /// Under `sync` nobody has what the store does not have.
    mutating func checkShown(_ session: Int, _ position: Position, to owner: Who) {
        guard settings.relay.durability == .sync, position != .zero else { return }
        // What is kept of a later epoch has the end of the one before in it.
        let kept = watches[session].kept.reduce(0 as UInt64) { $1.key >= position.epoch ? max($0, $1.value) : $0 }
        if position.seq > kept {
            fail(.shownIsKept, "\(name(of: owner)) has \(position), where the store has kept up to \(kept)")
        }
    }

    /// A batch leads from what the store has.
    mutating func checkBatch(_ batch: CallBatch) {
        if batch.header.position.seq < batch.from {
            fail(.restoredIsKept, "a batch from \(batch.from) to \(batch.header.position)")
        }
    }

    /// What the store has is what the relay had at that position.
    mutating func checkRestorable() {
        for watch in watches.indices {
            guard let call = store.synced[watches[watch].session]?.call else { continue }
            let position = call.header.position
            do {
                let state = try CallState(restoring: call)
                let known = truth.digest(watch, position)
                if let known, known != state.digest {
                    fail(
                        .restoredIsKept,
                        "\(watches[watch].session) was kept at \(position) as something that it was not"
                    )
                }
                if known == nil, position != .zero {
                    fail(.restoredIsKept, "the store has \(position), which the relay never had")
                }
                mark(.restoredCompared)
            } catch {
                fail(.restoredIsKept, "what is kept of \(watches[watch].session) can't be restored: \(error)")
            }
        }
    }

    /// After an end that was not planned: what may not be kept is not held against anybody.
    mutating func noteWhatIsLost() {
        for seat in seats.indices {
            let position = store.synced[seats[seat].plan.session]?.call?.header.position ?? .zero
            for (stamp, applied) in seats[seat].applied where applied.position > position || !isDurable {
                seats[seat].applied[stamp]?.mayBeLost = true
            }
        }
        for index in secrets.indices {
            if !isDurable {
                secrets[index].life = .over
            } else if secrets[index].life == .lives, settings.relay.durability != .sync {
                secrets[index].life = .unknown
            } else if secrets[index].life == .over, secrets[index].endedIn == relayRun {
                secrets[index].life = .unknown
            }
        }
    }

    /// Under `sync` an acknowledgement is kept before it is seen.
    mutating func checkAcknowledgementIsKept(_ position: Position, _ seat: Int) {
        guard let session = number(of: seats[seat].plan.session) else { return }
        checkShown(session, position, to: .seat(seat))
    }
}
