import CallState
import RollcallProtocol

// A client that was shown what a store has lost says again how its device is.
extension Call {
    /// The seq up to which the history of a client's copy is this one's, when the copy has more that was lost in a
    /// restart; nil when it has not.
    func firstLost(after position: Position?) -> UInt64? {
        guard let position, position.epoch < state.position.epoch,
            let last = history.last(where: { $0.epoch <= position.epoch })
        else { return nil }
        return position > last ? last.seq : nil
    }

    /// Gives a device the facts of its Join, as far as nobody has changed them since `seq`; what a lock or a policy
    /// forbids stays as it is.
    ///
    /// Inside a commit.
    mutating func state(_ join: Join, of device: Slot, ifUnchangedSince seq: UInt64) {
        func isUnchanged(_ field: UInt32) -> Bool { (state.version(of: field, in: device) ?? 0) <= seq }
        if let muted = join.audioMuted, isUnchanged(DeviceField.audioMuted) { state.setAudioMuted(muted, of: device) }
        if let paused = join.videoPaused, isUnchanged(DeviceField.videoPaused) {
            state.setVideoPaused(paused, of: device)
        }
        if let presents = join.presenting, isUnchanged(DeviceField.presenting) {
            state.setInitialPresenting(presents, of: device)
        }
    }
}
