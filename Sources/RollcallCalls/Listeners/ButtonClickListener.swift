/// Is told when a button of the app's own call screen is clicked; see ``CallSession/buttonClicked(_:)``.
///
/// The library does nothing else with a click: the app does what the button stands for.
public protocol ButtonClickListener: AnyObject {
    /// Leave was clicked.
    func onLeaveSessionButtonClicked()
    /// The microphone's button was clicked.
    func onToggleAudioButtonClicked()
    /// The camera's button was clicked.
    func onToggleVideoButtonClicked()
    /// The button that changes the camera was clicked.
    func onSwitchCameraButtonClicked()
    /// The hand's button was clicked.
    func onRaiseHandButtonClicked()
    /// The button that invites was clicked.
    func onShareInviteButtonClicked()
    /// The button that changes the layout was clicked.
    func onChangeLayoutButtonClicked()
    /// The button of the list of participants was clicked.
    func onParticipantListButtonClicked()
    /// The chat's button was clicked.
    func onChatButtonClicked()
    /// The recording's button was clicked.
    func onRecordingToggleButtonClicked()
}

extension ButtonClickListener {
    /// Does nothing.
    public func onLeaveSessionButtonClicked() {}
    /// Does nothing.
    public func onToggleAudioButtonClicked() {}
    /// Does nothing.
    public func onToggleVideoButtonClicked() {}
    /// Does nothing.
    public func onSwitchCameraButtonClicked() {}
    /// Does nothing.
    public func onRaiseHandButtonClicked() {}
    /// Does nothing.
    public func onShareInviteButtonClicked() {}
    /// Does nothing.
    public func onChangeLayoutButtonClicked() {}
    /// Does nothing.
    public func onParticipantListButtonClicked() {}
    /// Does nothing.
    public func onChatButtonClicked() {}
    /// Does nothing.
    public func onRecordingToggleButtonClicked() {}
}
