// The hide flags by the names that call apps know, one for each SessionControl.

extension SessionSettings {
    /// Whether to leave out the control panel; false unless said otherwise.
    public var hideControlPanel: Bool { hides(.controlPanel) }
    /// Whether to leave out the header panel; false unless said otherwise.
    public var hideHeaderPanel: Bool { hides(.headerPanel) }
    /// Whether to leave out the session timer; false unless said otherwise.
    public var hideSessionTimer: Bool { hides(.sessionTimer) }
    /// Whether to leave out the leave session button; false unless said otherwise.
    public var hideLeaveSessionButton: Bool { hides(.leaveSessionButton) }
    /// Whether to leave out the toggle audio button; false unless said otherwise.
    public var hideToggleAudioButton: Bool { hides(.toggleAudioButton) }
    /// Whether to leave out the toggle video button; false unless said otherwise.
    public var hideToggleVideoButton: Bool { hides(.toggleVideoButton) }
    /// Whether to leave out the switch camera button; false unless said otherwise.
    public var hideSwitchCameraButton: Bool { hides(.switchCameraButton) }
    /// Whether to leave out the audio mode button; false unless said otherwise.
    public var hideAudioModeButton: Bool { hides(.audioModeButton) }
    /// Whether to leave out the raise hand button; false unless said otherwise.
    public var hideRaiseHandButton: Bool { hides(.raiseHandButton) }
    /// Whether to leave out the screen sharing button; false unless said otherwise.
    public var hideScreenSharingButton: Bool { hides(.screenSharingButton) }
    /// Whether to leave out the participant list button; false unless said otherwise.
    public var hideParticipantListButton: Bool { hides(.participantListButton) }
    /// Whether to leave out the change layout button; false unless said otherwise.
    public var hideChangeLayoutButton: Bool { hides(.changeLayoutButton) }
    /// Whether to leave out the virtual background button; false unless said otherwise.
    public var hideVirtualBackgroundButton: Bool { hides(.virtualBackgroundButton) }
    /// Whether to leave out the settings button; false unless said otherwise.
    public var hideSettingsButton: Bool { hides(.settingsButton) }
    /// Whether to leave out the network indicator; false unless said otherwise.
    public var hideNetworkIndicator: Bool { hides(.networkIndicator) }
    /// Whether to leave out the recording status indicator; false unless said otherwise.
    public var hideRecordingStatusIndicator: Bool { hides(.recordingStatusIndicator) }
    /// Whether to leave out the recording button; true unless said otherwise.
    public var hideRecordingButton: Bool { hides(.recordingButton) }
    /// Whether to leave out the share invite button; true unless said otherwise.
    public var hideShareInviteButton: Bool { hides(.shareInviteButton) }
    /// Whether to leave out the chat button; true unless said otherwise.
    public var hideChatButton: Bool { hides(.chatButton) }
    /// Whether to leave out the transcription button; true unless said otherwise.
    public var hideTranscriptionButton: Bool { hides(.transcriptionButton) }
    /// Whether to leave out the closed caption button; true unless said otherwise.
    public var hideClosedCaptionButton: Bool { hides(.closedCaptionButton) }
}

extension SessionSettingsBuilder {
    /// Says whether to leave out the control panel.
    @discardableResult
    public func hideControlPanel(_ hide: Bool) -> Self { self.hide(.controlPanel, hide) }

    /// Says whether to leave out the header panel.
    @discardableResult
    public func hideHeaderPanel(_ hide: Bool) -> Self { self.hide(.headerPanel, hide) }

    /// Says whether to leave out the session timer.
    @discardableResult
    public func hideSessionTimer(_ hide: Bool) -> Self { self.hide(.sessionTimer, hide) }

    /// Says whether to leave out the leave session button.
    @discardableResult
    public func hideLeaveSessionButton(_ hide: Bool) -> Self { self.hide(.leaveSessionButton, hide) }

    /// Says whether to leave out the toggle audio button.
    @discardableResult
    public func hideToggleAudioButton(_ hide: Bool) -> Self { self.hide(.toggleAudioButton, hide) }

    /// Says whether to leave out the toggle video button.
    @discardableResult
    public func hideToggleVideoButton(_ hide: Bool) -> Self { self.hide(.toggleVideoButton, hide) }

    /// Says whether to leave out the switch camera button.
    @discardableResult
    public func hideSwitchCameraButton(_ hide: Bool) -> Self { self.hide(.switchCameraButton, hide) }

    /// Says whether to leave out the audio mode button.
    @discardableResult
    public func hideAudioModeButton(_ hide: Bool) -> Self { self.hide(.audioModeButton, hide) }

    /// Says whether to leave out the raise hand button.
    ///
    /// It hides the button and forbids nothing: see ``CallSession/setHandsEnabled(_:)``.
    @discardableResult
    public func hideRaiseHandButton(_ hide: Bool) -> Self { self.hide(.raiseHandButton, hide) }

    /// Says whether to leave out the screen sharing button.
    @discardableResult
    public func hideScreenSharingButton(_ hide: Bool) -> Self { self.hide(.screenSharingButton, hide) }

    /// Says whether to leave out the participant list button.
    @discardableResult
    public func hideParticipantListButton(_ hide: Bool) -> Self { self.hide(.participantListButton, hide) }

    /// Says whether to leave out the change layout button.
    @discardableResult
    public func hideChangeLayoutButton(_ hide: Bool) -> Self { self.hide(.changeLayoutButton, hide) }

    /// Says whether to leave out the virtual background button.
    @discardableResult
    public func hideVirtualBackgroundButton(_ hide: Bool) -> Self { self.hide(.virtualBackgroundButton, hide) }

    /// Says whether to leave out the settings button.
    @discardableResult
    public func hideSettingsButton(_ hide: Bool) -> Self { self.hide(.settingsButton, hide) }

    /// Says whether to leave out the network indicator.
    @discardableResult
    public func hideNetworkIndicator(_ hide: Bool) -> Self { self.hide(.networkIndicator, hide) }

    /// Says whether to leave out the recording status indicator.
    @discardableResult
    public func hideRecordingStatusIndicator(_ hide: Bool) -> Self { self.hide(.recordingStatusIndicator, hide) }

    /// Says whether to leave out the recording button.
    @discardableResult
    public func hideRecordingButton(_ hide: Bool) -> Self { self.hide(.recordingButton, hide) }

    /// Says whether to leave out the share invite button.
    @discardableResult
    public func hideShareInviteButton(_ hide: Bool) -> Self { self.hide(.shareInviteButton, hide) }

    /// Says whether to leave out the chat button.
    @discardableResult
    public func hideChatButton(_ hide: Bool) -> Self { self.hide(.chatButton, hide) }

    /// Says whether to leave out the transcription button.
    @discardableResult
    public func hideTranscriptionButton(_ hide: Bool) -> Self { self.hide(.transcriptionButton, hide) }

    /// Says whether to leave out the closed caption button.
    @discardableResult
    public func hideClosedCaptionButton(_ hide: Bool) -> Self { self.hide(.closedCaptionButton, hide) }
}
