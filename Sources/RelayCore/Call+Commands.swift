import CallState
import RollcallProtocol

/// What a command did besides changing the state; the relay sees to it when the commit is done.
struct CommandConsequences {
    /// Devices that a setting took out.
    var takenOut: [Departed] = []
    /// Devices that the sender brought in or took over, in that order.
    var brought: [Slot] = []
    /// Requests to unmute that will lapse.
    var requests: [(person: Slot, after: UInt64)] = []
    /// Who stayed out before; nil when nobody else does now.
    var removedBefore: Set<ByteString>?
    /// The stated dominant speaker; nil when none was stated.
    var stated: Slot??

    /// Notes who stays out, before that changes.
    mutating func noteRemoved(_ removed: Set<ByteString>) {
        if removedBefore == nil { removedBefore = removed }
    }

    /// Whether there is nothing, as after nearly every command.
    var isEmpty: Bool {
        takenOut.isEmpty && brought.isEmpty && requests.isEmpty && removedBefore == nil && stated == nil
    }
}

/// A device that is not in any more.
struct Departed {
    var slot: Slot
    var uid: ByteString
    var device: ByteString
    var reason: LeaveReason
}

/// What a command needs to know besides the call.
struct CommandContext {
    var limits: Limits
    var maximumDevicesPerPerson: Int
    /// Should the command begin the meeting.
    var terms: MeetingTerms
}

extension Call {
    /// Does all of a command in one commit, or nothing: a refusal leaves state and private data as they were.
    ///
    /// Gives whether the state changed, and adds what the relay has to see to.
    mutating func execute(
        _ command: Command,
        by sender: Sender,
        in context: CommandContext,
        _ consequences: inout CommandConsequences
    ) throws(CommandRefusal) -> Bool {
        if let fault = command.fault { throw CommandRefusal(code: .invalid, text: fault.description) }
        guard !command.settings.isEmpty else {
            throw CommandRefusal(code: .invalid, text: "the command has no settings")
        }
        guard UInt64(command.settings.count) <= context.limits.settings else {
            throw CommandRefusal(
                code: .invalid,
                text:
                    "the command has \(command.settings.count) settings, at most \(context.limits.settings) are allowed"
            )
        }
        holdShown()
        state.beginCommit()
        do throws(CommandRefusal) {
            try command.settings.visit { setting throws(CommandRefusal) in
                try apply(setting, by: sender, in: context, &consequences)
            }
        } catch {
            state.rollbackCommit()
            releaseUnchanged()
            if let before = consequences.removedBefore { removed = before }
            throw error
        }
        if !isOccupied, state.value(CallField.meetingID, of: .call) != nil { state.endMeeting(at: clock) }
        let changed = state.endCommit()
        if !changed { releaseUnchanged() }
        return changed
    }

    private mutating func apply(
        _ setting: Setting,
        by sender: Sender,
        in context: CommandContext,
        _ consequences: inout CommandConsequences
    ) throws(CommandRefusal) {
        if case nil = setting.change {
            throw CommandRefusal(
                code: .unsupportedSetting,
                text: "the command has a setting that this relay does not know, or an empty one"
            )
        }
        try check(setting.target, of: setting.change)
        switch setting.change {
        case nil: break
        case .audioMuted(let muted)?: try setAudio(muted, setting.target, sender)
        case .videoPaused(let paused)?: try setVideo(paused, setting.target, sender)
        case .presenting(let presents)?: try setPresenting(presents, setting.target, sender)
        case .handRaised(let raised)?: try setHand(raised, setting.target, sender)
        case .name(let name)?: try setName(name, setting.target, sender)
        case .avatar(let avatar)?: try setAvatar(avatar, setting.target, sender)
        case .attribute(let attribute)?: try setAttribute(attribute, setting.target, sender, context.limits)
        case .role(let role)?: try setRole(role, setting.target, sender)
        case .audioLocked(let locked)?: try setAudioLocked(locked, setting.target, sender)
        case .videoLocked(let locked)?: try setVideoLocked(locked, setting.target, sender)
        case .unmuteRequest(let period)?: try requestUnmute(period, setting.target, sender, &consequences)
        case .removed(let removes)?: try setRemoved(removes, setting.target, sender, context.limits, &consequences)
        case .recording(let records)?: try setRecording(records, setting.target, sender)
        case .spotlight(let uids)?: try setSpotlight(uids, sender)
        case .title(let title)?: try setTitle(title, sender)
        case .callAttribute(let attribute)?: try setCallAttribute(attribute, sender, context.limits)
        case .callLocked(let locked)?: try setCallLocked(locked, sender)
        case .moderation(let moderation)?: try setModeration(moderation, sender)
        case .standingMute(let on)?: try setStandingMute(on, sender)
        case .standingCameraOff(let on)?: try setStandingCameraOff(on, sender)
        case .handsEnabled(let enabled)?: try setHandsEnabled(enabled, sender)
        case .presenters(let presenters)?: try setPresenters(presenters, sender)
        case .grace(let grace)?: try setGrace(grace, sender)
        case .idle(let idle)?: try setIdle(idle, sender)
        case .bringIn(let facts)?: try bringIn(facts, setting.target, sender, context, &consequences)
        case .takeOut(let reason)?: try takeOut(reason, setting.target, sender, &consequences)
        case .dominantSpeaker(let uid)?: try stateDominantSpeaker(uid, sender, &consequences)
        }
    }
}

/// Refuses a text or value that is too long.
func mustFit(_ what: @autoclosure () -> String, _ count: Int, in range: ClosedRange<Int>) throws(CommandRefusal) {
    guard range.contains(count) else {
        throw CommandRefusal(
            code: .invalid,
            text: "\(what()) has \(count) bytes, \(range.lowerBound) to \(range.upperBound) are allowed"
        )
    }
}
