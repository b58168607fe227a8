/// Is told about the people of a call, this client's own person included.
///
/// Methods are called on the session's callback queue, and all have a default that does nothing. Whoever begins to
/// listen during a call is told first of all that is in effect, as if it happened in that moment; see
/// <doc:ListenerRules> for the order.
public protocol ParticipantEventListener: AnyObject {
    /// Somebody came; `participant` has all that is known of them.
    func onParticipantJoined(participant: Participant)
    /// Somebody left; once for each who was announced. `participant` is as last seen, with the time of leaving.
    func onParticipantLeft(participant: Participant)
    /// The list is another one, or somebody in it has another name, picture, role or attribute: all of it, in order.
    func onParticipantListChanged(participants: [Participant])
    /// All microphones of the person are muted now.
    func onParticipantAudioMuted(participant: Participant)
    /// A microphone of the person is open now.
    func onParticipantAudioUnmuted(participant: Participant)
    /// All cameras of the person are off now.
    func onParticipantVideoPaused(participant: Participant)
    /// A camera of the person is on now.
    func onParticipantVideoResumed(participant: Participant)
    /// A hand went up. Several at once come in the order of the queue.
    func onParticipantHandRaised(participant: Participant)
    /// A hand went down.
    func onParticipantHandLowered(participant: Participant)
    /// Somebody shares their screen now.
    func onParticipantStartedScreenShare(participant: Participant)
    /// Somebody does not share their screen any more; also when they leave.
    func onParticipantStoppedScreenShare(participant: Participant)
    /// The call is recorded now, by `participant`, who may have left since.
    func onParticipantStartedRecording(participant: Participant)
    /// The call is not recorded any more; `participant` had started the recording.
    func onParticipantStoppedRecording(participant: Participant)
    /// Another person is the dominant speaker.
    func onDominantSpeakerChanged(participant: Participant)

    /// Nobody is the dominant speaker any more.
    func onDominantSpeakerCleared()
    /// All links of the person are lost; they may come back.
    func onParticipantReconnecting(participant: Participant)
    /// A link of the person lives again.
    func onParticipantReconnected(participant: Participant)
    /// The status of somebody who was there before is another one; once for each update, after the events of its parts.
    func onParticipantStatusChanged(participant: Participant, old: ParticipantStatus, new: ParticipantStatus)
    /// The queue of hands is another one: all of it, in order.
    func onRaisedHandsChanged(raisedHands: [RaisedHand])
}

extension ParticipantEventListener {
    /// Does nothing.
    public func onParticipantJoined(participant: Participant) {}
    /// Does nothing.
    public func onParticipantLeft(participant: Participant) {}
    /// Does nothing.
    public func onParticipantListChanged(participants: [Participant]) {}
    /// Does nothing.
    public func onParticipantAudioMuted(participant: Participant) {}
    /// Does nothing.
    public func onParticipantAudioUnmuted(participant: Participant) {}
    /// Does nothing.
    public func onParticipantVideoPaused(participant: Participant) {}
    /// Does nothing.
    public func onParticipantVideoResumed(participant: Participant) {}
    /// Does nothing.
    public func onParticipantHandRaised(participant: Participant) {}
    /// Does nothing.
    public func onParticipantHandLowered(participant: Participant) {}
    /// Does nothing.
    public func onParticipantStartedScreenShare(participant: Participant) {}
    /// Does nothing.
    public func onParticipantStoppedScreenShare(participant: Participant) {}
    /// Does nothing.
    public func onParticipantStartedRecording(participant: Participant) {}
    /// Does nothing.
    public func onParticipantStoppedRecording(participant: Participant) {}
    /// Does nothing.
    public func onDominantSpeakerChanged(participant: Participant) {}
    /// Does nothing.
    public func onDominantSpeakerCleared() {}
    /// Does nothing.
    public func onParticipantReconnecting(participant: Participant) {}
    /// Does nothing.
    public func onParticipantReconnected(participant: Participant) {}
    /// Does nothing.
    public func onParticipantStatusChanged(participant: Participant, old: ParticipantStatus, new: ParticipantStatus) {}
    /// Does nothing.
    public func onRaisedHandsChanged(raisedHands: [RaisedHand]) {}
}
