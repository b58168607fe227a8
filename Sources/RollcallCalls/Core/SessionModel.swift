import CallState
package import Rollcall

/// What a session shows at one moment; every query is answered from one of these.
package struct SessionModel: Sendable {
    /// Where a session is in its life.
    package enum Phase: Hashable, Sendable {
        /// Never joined.
        case idle
        /// Joined, the connection may be lost for now.
        case active
        /// Over. The state stays as it was last.
        case ended(SessionEndReason)
    }

    /// The call; nil before the first join: nobody is shown before everything is known.
    package var snapshot: CallSnapshot?
    package var local = LocalState()
    package var phase = Phase.idle
    /// Whether the connection is lost and being made again.
    package var isLost = false

    package init() {}

    package var isActive: Bool { phase == .active }

    /// Drops the pin of somebody who is not there any more.
    mutating func dropPin() {
        if let pin = local.pin, !isPinValid(pin) { local.pin = nil }
    }

    private func isPinValid(_ pin: LocalState.Pin) -> Bool {
        guard let snapshot, snapshot.meeting == pin.meeting else { return false }
        return snapshot.confirmed.kind(of: pin.slot) == .person
    }

    /// What media listeners are told of.
    package var media: MediaState {
        guard let snapshot, let device = snapshot.myDevice else { return MediaState(local) }
        var media = MediaState(local)
        media.isAudioMuted = device.audio == .muted
        media.isVideoPaused = device.video == .paused
        media.isPresenting = device.isPresenting
        media.recording = snapshot.recording
        return media
    }

    /// What layout listeners are told of.
    package var layout: LayoutState { LayoutState(local) }
}
