import RollcallCalls

/// A hide flag: the control, what sets it and what reads it.
struct HideFlag: Sendable {
    let control: SessionControl
    let setter: @Sendable (SessionSettingsBuilder, Bool) -> SessionSettingsBuilder
    let value: any KeyPath<SessionSettings, Bool> & Sendable

    static let all: [HideFlag] = [
        HideFlag(control: .controlPanel, setter: { $0.hideControlPanel($1) }, value: \.hideControlPanel),
        HideFlag(control: .headerPanel, setter: { $0.hideHeaderPanel($1) }, value: \.hideHeaderPanel),
        HideFlag(control: .sessionTimer, setter: { $0.hideSessionTimer($1) }, value: \.hideSessionTimer),
        HideFlag(
            control: .leaveSessionButton,
            setter: { $0.hideLeaveSessionButton($1) },
            value: \.hideLeaveSessionButton
        ),
        HideFlag(control: .toggleAudioButton, setter: { $0.hideToggleAudioButton($1) }, value: \.hideToggleAudioButton),
        HideFlag(control: .toggleVideoButton, setter: { $0.hideToggleVideoButton($1) }, value: \.hideToggleVideoButton),
        HideFlag(
            control: .switchCameraButton,
            setter: { $0.hideSwitchCameraButton($1) },
            value: \.hideSwitchCameraButton
        ),
        HideFlag(control: .audioModeButton, setter: { $0.hideAudioModeButton($1) }, value: \.hideAudioModeButton),
        HideFlag(control: .raiseHandButton, setter: { $0.hideRaiseHandButton($1) }, value: \.hideRaiseHandButton),
        HideFlag(
            control: .screenSharingButton,
            setter: { $0.hideScreenSharingButton($1) },
            value: \.hideScreenSharingButton
        ),
        HideFlag(
            control: .participantListButton,
            setter: { $0.hideParticipantListButton($1) },
            value: \.hideParticipantListButton
        ),
        HideFlag(
            control: .changeLayoutButton,
            setter: { $0.hideChangeLayoutButton($1) },
            value: \.hideChangeLayoutButton
        ),
        HideFlag(
            control: .virtualBackgroundButton,
            setter: { $0.hideVirtualBackgroundButton($1) },
            value: \.hideVirtualBackgroundButton
        ),
        HideFlag(control: .settingsButton, setter: { $0.hideSettingsButton($1) }, value: \.hideSettingsButton),
        HideFlag(control: .networkIndicator, setter: { $0.hideNetworkIndicator($1) }, value: \.hideNetworkIndicator),
        HideFlag(
            control: .recordingStatusIndicator,
            setter: { $0.hideRecordingStatusIndicator($1) },
            value: \.hideRecordingStatusIndicator
        ),
        HideFlag(control: .recordingButton, setter: { $0.hideRecordingButton($1) }, value: \.hideRecordingButton),
        HideFlag(control: .shareInviteButton, setter: { $0.hideShareInviteButton($1) }, value: \.hideShareInviteButton),
        HideFlag(control: .chatButton, setter: { $0.hideChatButton($1) }, value: \.hideChatButton),
        HideFlag(
            control: .transcriptionButton,
            setter: { $0.hideTranscriptionButton($1) },
            value: \.hideTranscriptionButton
        ),
        HideFlag(
            control: .closedCaptionButton,
            setter: { $0.hideClosedCaptionButton($1) },
            value: \.hideClosedCaptionButton
        ),
    ]
}
