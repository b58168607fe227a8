package import CallState

/// What is this client's own and never on the wire.
package struct LocalState: Hashable, Sendable {
    /// Who is pinned.
    package struct Pin: Hashable, Sendable {
        /// The person's place in the call: another person with the same uid later is not pinned.
        package var slot: Slot
        /// The meeting that the slot belongs to.
        package var meeting: String?
        /// What of the person is pinned, in the app's words.
        package var type: String

        package init(slot: Slot, meeting: String?, type: String) {
            self.slot = slot
            self.meeting = meeting
            self.type = type
        }
    }

    package var pin: Pin?
    package var layout = LayoutType.tile
    package var audioMode = AudioMode.speaker
    package var cameraFacing = CameraFacing.FRONT
    package var isPictureInPicture = false
    package var isParticipantListVisible = false
    package var isSettingsPanelVisible = false
    package var unreadCount = 0
    /// When the own hand was asked to go up, ms since 1970 by this device's clock; shown until the relay knows better.
    package var handAskedAt: UInt64 = 0

    package init() {}
}
