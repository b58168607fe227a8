// What is local: it is never on the wire, and stays through reconnects.

extension CallSession {
    /// Pins a person for this client alone; the one that was pinned before is not any more.
    ///
    /// The pin goes when the person leaves.
    ///
    /// - Parameter type: What of the person is pinned, in the app's own words; kept as ``pinType``.
    public func pinParticipant(participantId: String, type: String = "pin") {}

    /// Pins nobody any more.
    public func unpinParticipant() {}

    /// Chooses the layout.
    public func setLayout(_ layout: LayoutType) {}

    /// Chooses the layout by its word: `TILE`, `SPOTLIGHT` or `SIDEBAR`.
    ///
    /// Any other changes nothing; see ``lastError``.
    public func setLayout(_ layout: String) {}

    /// Chooses where the sound comes from.
    public func setAudioMode(_ mode: AudioMode) {}

    /// Chooses where the sound comes from by its word: `SPEAKER`, `EARPIECE`, `BLUETOOTH` or `HEADPHONES`.
    ///
    /// Any other changes nothing; see ``lastError``.
    public func setAudioMode(_ mode: String) {}

    /// Changes to the other camera.
    public func switchCamera() {}

    /// Chooses the camera.
    public func setCameraFacing(_ facing: CameraFacing) {}

    /// Makes the call a picture in picture.
    public func enablePictureInPictureLayout() {}

    /// Makes the call no picture in picture any more.
    public func disablePictureInPictureLayout() {}

    /// Shows the list of participants.
    public func showParticipantList() {}

    /// Hides the list of participants.
    public func hideParticipantList() {}

    /// Sets the number on the chat's button; a negative one counts as 0.
    public func setChatButtonUnreadCount(_ count: Int) {}

    /// The app's own call screen had a click: tells the listeners of clicks, and does nothing else.
    public func buttonClicked(_ button: CallButton) {}
}
