import CallState
import RollcallProtocol

// Microphone, camera, screen share and hand.
extension Call {
    mutating func setAudio(_ muted: Bool, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        try mustSilence(muted, target, sender, on: "mute", off: "unmute")
        for device in try devices(target, sender) {
            try mustMayTurn(device, off: muted, sender, ("mute", "unmute", ", but one can ask them to unmute"))
            if !muted, let person = state.owner(of: device), state.isAudioHeld(person) {
                throw heldDown(person, "unmute", PersonField.audioLocked, "audio", "the standing mute")
            }
            state.setAudioMuted(muted, of: device)
        }
    }

    mutating func setVideo(_ paused: Bool, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        try mustSilence(paused, target, sender, on: "pause the video of", off: "turn on the camera of")
        for device in try devices(target, sender) {
            try mustMayTurn(device, off: paused, sender, ("pause the video of", "turn on the camera of", ""))
            if !paused, let person = state.owner(of: device), state.isVideoHeld(person) {
                throw heldDown(
                    person,
                    "turn on the camera",
                    PersonField.videoLocked,
                    "video",
                    "the standing camera-off"
                )
            }
            state.setVideoPaused(paused, of: device)
        }
    }

    mutating func setPresenting(_ presents: Bool, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        try mustSilence(!presents, target, sender, on: "stop the screen share of", off: "start a screen share of")
        for device in try devices(target, sender) {
            try mustMayTurn(
                device,
                off: !presents,
                sender,
                ("stop the screen share of", "start a screen share of", "")
            )
            state.setPresenting(presents, of: device)
        }
    }

    mutating func setHand(_ raised: Bool, _ target: Target?, _ sender: Sender) throws(CommandRefusal) {
        if let target, target.everyone {
            guard !raised else { throw notForEveryone("raise the hand of") }
            try sender.mustModerate(to: "lower everybody's hand")
            state.lowerAllHands(except: sender.person)
            return
        }
        let person = try self.person(target, sender)
        if person == sender.person {
            try sender.mustParticipate(to: "raise or lower its hand")
        } else if raised {
            try sender.mustAct(to: "raise another's hand")
        } else {
            try sender.mustModerate(to: "lower another's hand")
        }
        guard raised else {
            state.lowerHand(of: person)
            return
        }
        guard state.number(PolicyField.handsEnabled, of: .policy) ?? 1 != 0 else {
            let uid = state.text(PersonField.uid, of: person)
            throw CommandRefusal(code: .heldDown, text: "\(uid) can't raise the hand: hands are disabled in this call")
        }
        state.raiseHand(of: person, at: clock)
    }

    /// Everyone can only be silenced, and only by who may moderate; that is refused even when nobody else is in.
    private func mustSilence(
        _ silences: Bool,
        _ target: Target?,
        _ sender: Sender,
        on: String,
        off: String
    ) throws(CommandRefusal) {
        guard let target, target.everyone else { return }
        guard silences else { throw notForEveryone(off) }
        try sender.mustModerate(to: "\(on) everybody")
    }

    /// Only the device itself turns something on, or who acts for others; a person silences its own devices, and who
    /// moderates silences anybody.
    private mutating func mustMayTurn(
        _ device: Slot,
        off: Bool,
        _ sender: Sender,
        _ words: (off: String, on: String, hint: String)
    ) throws(CommandRefusal) {
        if device == sender.device {
            return try sender.mustParticipate(to: "change its own device")
        }
        if off {
            if state.owner(of: device) == sender.person { return }
            try sender.mustModerate(to: "\(words.off) another")
        } else if state.owner(of: device) == sender.person {
            try sender.mustAct(to: "\(words.on) another of its own devices", ": only the device itself can")
        } else {
            try sender.mustAct(to: "\(words.on) another", words.hint)
        }
    }

    private func notForEveryone(_ act: String) -> CommandRefusal {
        CommandRefusal(code: .invalid, text: "nobody can \(act) everyone: name a uid")
    }

    private func heldDown(
        _ person: Slot,
        _ act: String,
        _ lock: UInt32,
        _ what: String,
        _ policy: String
    ) -> CommandRefusal {
        let uid = state.text(PersonField.uid, of: person)
        let why =
            state.flag(lock, of: person) ? "a moderator has locked their \(what)" : "\(policy) of this call forbids it"
        return CommandRefusal(code: .heldDown, text: "\(uid) can't \(act): \(why)")
    }
}
