import CallState
import RelayCore
import RollcallProtocol

extension Simulation {
    /// What a device has stated about itself.
    struct DeviceFacts: Equatable {
        var slot: Slot
        var audioMuted: Bool
        var videoPaused: Bool
        var presenting: Bool
    }

    /// The facts of the device that a Join names, as the relay has them.
    func facts(of join: Join) -> DeviceFacts? {
        guard join.resume != nil, join.mode == .participant else { return nil }
        return relay.withState(of: join.session) { state -> DeviceFacts? in
            guard let person = state.personSlot(uid: join.uid), let slot = state.deviceSlot(of: person, id: join.device)
            else { return nil }
            return DeviceFacts(
                slot: slot,
                audioMuted: state.flag(DeviceField.audioMuted, of: slot),
                videoPaused: state.flag(DeviceField.videoPaused, of: slot),
                presenting: state.flag(DeviceField.presenting, of: slot)
            )
        } ?? nil
    }

    /// A resume changes the link of the device and nothing else; but for one who has seen what a restart has lost.
    mutating func checkFacts(_ before: DeviceFacts, after join: Join) {
        if let position = join.resume?.position, let watch = number(of: join.session),
            position.epoch < watches[watch].position.epoch, position.seq > watches[watch].ends[position.epoch] ?? 0
        {
            return mark(.restatedAfterLoss)
        }
        guard let after = facts(of: join), after.slot == before.slot, after != before else { return }
        fail(.resumeKeepsFacts, "\(join.uid)/\(join.device) resumed: \(before) became \(after)")
    }

    /// The reason of the snapshot that a Join is answered by is one that its position can have.
    mutating func checkReason(of head: SnapshotHead, on link: Int) {
        guard let offered = links[link].offered else { return }
        let position = offered.resume?.position ?? .zero
        let fits =
            switch head.reason {
            case .join: position == .zero
            case .epoch: position.epoch != head.position.epoch
            case .belowFloor, .unknownPosition: position != .zero
            default: true
            }
        if fits { return }
        let reason = head.reason.rawValue
        fail(.reasonFits, "the copy at \(position) was given a snapshot of \(head.position) for the reason \(reason)")
    }

    /// A secret resumes the incarnation that it was given to, while that is not over.
    mutating func checkSecret(offeredOn connection: ConnectionID) {
        guard let join = link(of: connection).flatMap({ links[$0].offered }) else { return }
        let known = secrets.first { $0.secret == join.resume?.secret }
        guard let known, known.life != .over, known.uid == join.uid, known.device == join.device else {
            return fail(.noLateSecrets, "\(join.uid)/\(join.device) resumed an incarnation that is over")
        }
    }
}
