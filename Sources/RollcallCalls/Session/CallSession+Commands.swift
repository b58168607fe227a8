import Foundation
import Rollcall
import Synchronization

// What is asked of the relay. Each method returns at once, outside a session it does nothing; what does not happen is
// in `lastError`.

extension CallSession {
    /// Does a command, and returns when the relay has answered and the state shows it.
    ///
    /// While the connection is lost commands wait. When the task is cancelled the command may still happen.
    ///
    /// - Throws: Why it did not happen.
    public func perform(_ command: SessionCommand) async throws(RollcallCallException) {
        guard let call = prepare(command) else { throw .noSession(command) }
        do {
            try await call.perform(command.settings)
        } catch {
            throw RollcallCallException(error)
        }
    }

    /// Asks for a command and returns at once.
    func ask(_ command: SessionCommand) {
        guard let call = prepare(command) else { return failed(command, .noSession(command)) }
        call.send(command.settings) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.failed(command, RollcallCallException(error))
        }
    }

    /// The call that a command goes to; nil outside of one.
    private func prepare(_ command: SessionCommand) -> Call? {
        let now = UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
        return state.withLock { state in
            guard case .joined(let call, isLeaving: false) = state.stage, !call.connection.isClosed else { return nil }
            // Shown until the relay says when the hand went up.
            if command == .raiseHand, call.reading.snapshot?.me?.hand == nil { state.core.local.handAskedAt = now }
            return call
        }
    }

    /// A command did not happen.
    private func failed(_ command: SessionCommand, _ error: RollcallCallException) {
        state.withLock { state in
            // What was under way when the app left is no failure that it wants to hear of.
            if state.isLeaving { return }
            state.lastError = error
            state.add(.failed(command, error))
        }
        changed()
    }

    // MARK: The own device

    /// Mutes the own microphone.
    public func muteAudio() { ask(.muteAudio) }

    /// Opens the own microphone.
    ///
    /// Refused while a moderator keeps it muted.
    public func unmuteAudio() { ask(.unmuteAudio) }

    /// Turns the own camera off.
    public func pauseVideo() { ask(.pauseVideo) }

    /// Turns the own camera on.
    ///
    /// Refused while a moderator keeps it off.
    public func resumeVideo() { ask(.resumeVideo) }

    /// Begins to share the own screen.
    public func startScreenSharing() { ask(.startScreenSharing) }

    /// Stops sharing the own screen.
    public func stopScreenSharing() { ask(.stopScreenSharing) }

    // MARK: The own person

    /// Raises the own hand; one that is up keeps its place.
    public func raiseHand() { ask(.raiseHand) }

    /// Lowers the own hand.
    public func lowerHand() { ask(.lowerHand) }

    // MARK: Others

    /// Mutes a person on all devices.
    ///
    /// Anybody may, unless the call lets only moderators.
    public func muteParticipant(participantId: String) { ask(.muteParticipant(participantId: participantId)) }

    /// Turns all cameras of a person off.
    public func pauseParticipantVideo(participantId: String) {
        ask(.pauseParticipantVideo(participantId: participantId))
    }

    /// Lowers a person's hand.
    public func lowerHand(participantId: String) { ask(.lowerParticipantHand(participantId: participantId)) }

    /// Lowers every hand, the own one too.
    public func lowerAllHands() { ask(.lowerAllHands) }

    /// Mutes everybody else, once; see ``SessionCommand/setStandingMute(_:)`` for those who join later.
    public func muteAll() { ask(.muteAll) }

    /// Asks a person to unmute: nobody can unmute another.
    public func requestUnmute(participantId: String) { ask(.requestUnmute(participantId: participantId)) }

    /// Keeps a person muted.
    public func lockAudio(participantId: String) { ask(.lockAudio(participantId: participantId)) }

    /// Lets a person unmute again.
    public func unlockAudio(participantId: String) { ask(.unlockAudio(participantId: participantId)) }

    /// Puts a person into the spotlight, alone, for everyone.
    public func spotlight(participantId: String) { ask(.spotlight(participantIds: [participantId])) }

    /// Puts people into the spotlight, in that order, for everyone; nobody for an empty list.
    public func spotlight(participantIds: [String]) { ask(.spotlight(participantIds: participantIds)) }

    /// Removes a person until the meeting ends.
    public func removeParticipant(participantId: String) { ask(.removeParticipant(participantId: participantId)) }

    // MARK: The call

    /// Starts the recording; one that runs goes on as it is.
    public func startRecording() { ask(.startRecording) }

    /// Stops the recording.
    public func stopRecording() { ask(.stopRecording) }
}
