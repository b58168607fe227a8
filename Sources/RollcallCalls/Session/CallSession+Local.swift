import Foundation
import Rollcall
import Synchronization

// What is local: it is never on the wire, and stays through reconnects. A session begins with what its settings say.

extension CallSession {
    /// Pins a person for this client alone; the one that was pinned before is not any more.
    ///
    /// The pin goes when the person leaves. Somebody who is not in the call can't be pinned; see ``lastError``.
    ///
    /// - Parameters:
    ///   - participantId: The person's uid.
    ///   - type: What of the person is pinned, in the app's own words; kept as ``pinType``.
    public func pinParticipant(participantId: String, type: String = "pin") {
        let isChanged = state.withLock { state in
            // The person as the app was told of them: who has left since, or has come anew, takes the pin along.
            let told = state.core.shown.snapshot
            let snapshot = told?.person(uid: participantId) == nil ? state.shown().model.snapshot : told
            guard let person = snapshot?.person(uid: participantId) else {
                state.lastError = RollcallCallException(
                    errorCode: RollcallCallException.Code.noSuchParticipant,
                    errorDescription: "\(participantId) can't be pinned: it is not in the call"
                )
                return false
            }
            state.core.local.pin = .init(slot: person.slot, meeting: snapshot?.meeting, type: type)
            return true
        }
        if isChanged { changed() }
    }

    /// Pins nobody any more.
    public func unpinParticipant() { setLocal { $0.pin = nil } }

    /// Chooses the layout.
    public func setLayout(_ layout: LayoutType) { setLocal { $0.layout = layout } }

    /// Chooses the layout by its word: `TILE`, `SPOTLIGHT` or `SIDEBAR`.
    ///
    /// Any other changes nothing; see ``lastError``.
    public func setLayout(_ layout: String) {
        if let layout: LayoutType = value(layout, "layout") { setLayout(layout) }
    }

    /// Chooses where the sound comes from.
    public func setAudioMode(_ mode: AudioMode) { setLocal { $0.audioMode = mode } }

    /// Chooses where the sound comes from by its word: `SPEAKER`, `EARPIECE`, `BLUETOOTH` or `HEADPHONES`.
    ///
    /// Any other changes nothing; see ``lastError``.
    public func setAudioMode(_ mode: String) {
        if let mode: AudioMode = value(mode, "audio mode") { setAudioMode(mode) }
    }

    /// Changes to the other camera.
    public func switchCamera() { setLocal { $0.cameraFacing = $0.cameraFacing == .FRONT ? .REAR : .FRONT } }

    /// Chooses the camera.
    public func setCameraFacing(_ facing: CameraFacing) { setLocal { $0.cameraFacing = facing } }

    /// Makes the call a picture in picture.
    public func enablePictureInPictureLayout() { setLocal { $0.isPictureInPicture = true } }

    /// Makes the call no picture in picture any more.
    public func disablePictureInPictureLayout() { setLocal { $0.isPictureInPicture = false } }

    /// Shows the list of participants.
    public func showParticipantList() { setLocal { $0.isParticipantListVisible = true } }

    /// Hides the list of participants.
    public func hideParticipantList() { setLocal { $0.isParticipantListVisible = false } }

    /// Shows the panel of settings; see ``isSettingsPanelVisible``.
    public func showSettingsPanel() { setLocal { $0.isSettingsPanelVisible = true } }

    /// Hides the panel of settings; see ``isSettingsPanelVisible``.
    public func hideSettingsPanel() { setLocal { $0.isSettingsPanelVisible = false } }

    /// Sets the number on the chat's button; a negative one counts as 0.
    public func setChatButtonUnreadCount(_ count: Int) { setLocal { $0.unreadCount = max(count, 0) } }

    /// The app's own call screen had a click: tells the listeners of clicks, and does nothing else.
    public func buttonClicked(_ button: CallButton) {
        state.withLock { $0.add(.clicked(button)) }
        changed()
    }

    // MARK: What Rollcall has not

    /// Is refused, always: Rollcall carries no sound, so it has nothing to transcribe.
    ///
    /// It is here so that an app that calls it compiles; ``lastError`` says `ERR_UNSUPPORTED`. What transcribes the
    /// call for the app can keep that it runs in an attribute of the call.
    public func startTranscription() { refuseTranscription() }

    /// Is refused, always, as ``startTranscription()`` is: no transcription runs.
    public func stopTranscription() { refuseTranscription() }

    private func refuseTranscription() {
        state.withLock { state in
            state.lastError = RollcallCallException(
                errorCode: RollcallCallException.Code.unsupported,
                errorDescription: "Rollcall carries no sound and can't transcribe it: "
                    + "transcribe where the sound is, and hide the transcription button"
            )
        }
    }

    private func setLocal(_ change: (inout LocalState) -> Void) {
        state.withLock { change(&$0.core.local) }
        changed()
    }

    /// The value of a word; nil, with an error, for a word that names none.
    private func value<Value: RawRepresentable & CaseIterable>(
        _ word: String,
        _ what: String
    ) -> Value? where Value.RawValue == String {
        if let value = Value(rawValue: word.uppercased()) { return value }
        let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
        state.withLock { state in
            state.lastError = RollcallCallException(
                errorCode: RollcallCallException.Code.invalidArgument,
                errorDescription: "\"\(word)\" is no \(what): give one of \(words)"
            )
        }
        return nil
    }
}
