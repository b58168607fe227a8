/// Turns the lines of a trace into steps, by the table at ``TracePlan``.
///
/// It plays each step on a model as it goes, so that it knows who is there.
struct PlanBuilder {
    private let trace: Trace
    private let hasJoins: Bool
    private(set) var plan: TracePlan
    private var model: ReferenceModel

    /// The first device that the trace names of each person.
    private var firstDevice: [String: String] = [:]
    /// Lines of `kicked` whose device leaves later, before it joins again.
    private var kicksWithLeave: Set<Int> = []
    private var kicked: Set<TraceDevice> = []
    private var audioLegs: Set<TraceDevice> = []
    private var streams: [TraceDevice: Set<String>] = [:]
    private var isAfterEnd = false

    /// The line that is being turned.
    private var time = 0
    private var line = 1
    private var isNoop = false
    private var played = false

    init(_ trace: Trace, electsDominantSpeaker: Bool) {
        self.trace = trace
        hasJoins = trace.hasJoins
        plan = TracePlan(steps: [], electsDominantSpeaker: electsDominantSpeaker)
        model = ReferenceModel(electsDominantSpeaker: electsDominantSpeaker)
        lookAhead()
    }

    private mutating func lookAhead() {
        for device in trace.presentAtStart where firstDevice[device.uid] == nil {
            firstDevice[device.uid] = device.device
        }
        for entry in trace.entries where !entry.device.isEmpty && firstDevice[entry.uid] == nil {
            firstDevice[entry.uid] = entry.device
        }
        var leavesLater: Set<TraceDevice> = []
        for entry in trace.entries.reversed() {
            let device = TraceDevice(uid: entry.uid, device: entry.device)
            switch entry.event {
            case .leave: leavesLater.insert(device)
            case .join, .drop: leavesLater.remove(device)
            case .kicked where leavesLater.contains(device): kicksWithLeave.insert(entry.line)
            default: break
            }
        }
    }

    mutating func build() {
        for device in trace.presentAtStart where !model.isPresent(device) {
            emit(.join(device, Self.unstatedFacts(of: device)))
            plan.joinsAtStart += 1
        }
        for entry in trace.entries {
            time = entry.time
            line = entry.line
            isNoop = entry.isNoop
            played = false
            turn(entry)
            if played { plan.playedLines += 1 }
        }
    }

    // MARK: Lines

    private mutating func turn(_ entry: Trace.Entry) {
        let device = named(entry)
        switch entry.event {
        case .check(let check): emit(.check(check))
        case .sessionStarted:
            isAfterEnd = false
            skip("sessionStarted: a call starts with its first join")
        case .sessionEnded: endSession()
        case .mediaRecording(let on): setSessionAttribute("media-recording", on ? "on" : nil)
        case .transcriptionStarted: setSessionAttribute("transcription", "on")
        case .unknown(let name): skip("\(name): unknown event")
        case .join(let role, let audioMuted, let videoPaused):
            isAfterEnd = false
            if role != nil { plan.skippedFacts["role at joining", default: 0] += 1 }
            join(device, audioMuted: audioMuted, videoPaused: videoPaused)
        case .dominantSpeaker where plan.electsDominantSpeaker:
            skip("dominantSpeaker: left to the election")
        default:
            if isAfterEnd, model.devices(of: entry.uid).isEmpty {
                skip("\(entry.event.name): after sessionEnded, of somebody who is not there")
            } else if ends(entry.event) {
                turnEnd(entry, device)
            } else {
                turnBeginning(entry, device)
            }
        }
    }

    /// Whether the event says that something is over, so that somebody who is not there need not join for it.
    private func ends(_ event: TraceEvent) -> Bool {
        switch event {
        case .leave, .drop, .kicked, .audioLeft: true
        case .audioMuted(let muted): muted
        case .videoPaused(let paused, _): paused
        case .screenShare(let on), .handRaised(let on, _), .recording(let on), .speech(let on): !on
        default: false
        }
    }

    private mutating func turnEnd(_ entry: Trace.Entry, _ device: TraceDevice) {
        if !hasJoins { enter(device) }
        if case .handRaised(_, let by) = entry.event {
            lowerHand(of: device, by: by)
            return
        }
        guard model.isPresent(device) else {
            skip("\(entry.event.name): of a device that is not there")
            return
        }
        switch entry.event {
        case .leave(let reason):
            let reason = kicked.contains(device) ? "kicked" : reason ?? "left"
            emit(.leave(device, reason: reason))
            forget(device)
        case .drop(let reason):
            emit(.lost(device, reason: reason ?? "lost"))
            forget(device)
        case .kicked:
            if kicksWithLeave.contains(entry.line) {
                kicked.insert(device)
                skip("kicked: the reason of the leave that follows")
            } else {
                emit(.leave(device, reason: "kicked"))
                forget(device)
            }
        case .audioLeft:
            if audioLegs.contains(device) {
                emit(.leave(device, reason: "audio left"))
                forget(device)
            } else {
                emit(.setAudioMuted(device, true))
            }
        case .audioMuted: emit(.setAudioMuted(device, true))
        case .videoPaused(_, let stream):
            if let stream { streams[device, default: []].remove(stream) }
            if streams[device, default: []].isEmpty {
                emit(.setVideoPaused(device, true))
            } else {
                skip("videoPaused: another camera of the device is on")
            }
        case .screenShare: emit(.setPresenting(device, false))
        case .recording: emit(.setRecording(false, via: device))
        case .speech: emit(.setSpeaking(device, false))
        default: skip("\(entry.event.name): has no step")
        }
    }

    private mutating func turnBeginning(_ entry: Trace.Entry, _ device: TraceDevice) {
        switch entry.event {
        case .present:
            if model.isPresent(device) { skip("present: already there") } else { enter(device) }
        case .audioJoined(let muted): joinAudio(device, muted: muted ?? true)
        case .nickChanged(let to): changeNick(device, to)
        default:
            enter(device)
            switch entry.event {
            case .audioMuted: emit(.setAudioMuted(device, false))
            case .videoPaused(_, let stream):
                if let stream { streams[device, default: []].insert(stream) }
                emit(.setVideoPaused(device, false))
            case .screenShare: emit(.setPresenting(device, true))
            case .handRaised(_, let by):
                if by != nil { plan.skippedFacts["hand raised by another", default: 0] += 1 }
                emit(.raiseHand(via: device))
            case .recording: emit(.setRecording(true, via: device))
            case .speech: emit(.setSpeaking(device, true))
            case .presenterAssigned: emit(.setCallAttribute(key: "presenter", value: entry.uid, via: device))
            case .dominantSpeaker: emit(.stateDominantSpeaker(uid: entry.uid))
            default: skip("\(entry.event.name): has no step")
            }
        }
    }

    // MARK: The harder events

    private mutating func join(_ device: TraceDevice, audioMuted: Bool?, videoPaused: Bool?) {
        let unstated = model.facts(of: device) ?? Self.unstatedFacts(of: device)
        let facts = InitialFacts(
            audioMuted: audioMuted ?? unstated.audioMuted,
            videoPaused: videoPaused ?? unstated.videoPaused
        )
        // A join that changes nothing is one of a device that is there, whatever the line says.
        isNoop = isNoop && model.isPresent(device)
        emit(.join(device, facts))
    }

    private mutating func joinAudio(_ device: TraceDevice, muted: Bool) {
        if device.device.hasPrefix("aud-"), !model.isPresent(device) {
            audioLegs.insert(device)
            emit(.join(device, InitialFacts(audioMuted: muted, videoPaused: true)))
        } else {
            enter(device)
            emit(.setAudioMuted(device, muted))
        }
    }

    private mutating func changeNick(_ old: TraceDevice, _ new: TraceDevice) {
        if old != new {
            let facts = model.facts(of: old) ?? Self.unstatedFacts(of: new)
            if !model.isPresent(new) { emit(.join(new, facts)) }
            if model.isPresent(old) { emit(.leave(old, reason: "nick changed")) }
            forget(old)
        } else {
            enter(new)
        }
        emit(.rename(new.device, via: new))
    }

    private mutating func lowerHand(of device: TraceDevice, by: String?) {
        guard !model.devices(of: device.uid).isEmpty else {
            skip("handLowered: of somebody who is not there")
            return
        }
        let actor: TraceDevice
        if let by {
            actor = model.devices(of: by).first ?? anyDevice(of: by)
            enter(actor)
        } else {
            // A hand is the person's: any of the devices may lower it.
            actor = model.isPresent(device) ? device : model.devices(of: device.uid)[0]
        }
        emit(.lowerHand(uid: device.uid, via: actor))
    }

    private mutating func setSessionAttribute(_ key: String, _ value: String?) {
        if model.isEmpty {
            skip("\(key): nobody is there")
        } else {
            emit(.setCallAttribute(key: key, value: value, via: nil))
        }
    }

    private mutating func endSession() {
        isAfterEnd = true
        if model.isEmpty { skip("sessionEnded: nobody is there") }
        for device in model.devices {
            emit(.leave(device, reason: "session ended"))
            forget(device)
        }
    }

    // MARK: Helpers

    /// Joins the device when it is not there.
    private mutating func enter(_ device: TraceDevice) {
        if model.isPresent(device) { return }
        if hasJoins { plan.impliedJoins += 1 } else { plan.joinsAtFirstEvent += 1 }
        let wasNoop = isNoop
        isNoop = false
        emit(.join(device, Self.unstatedFacts(of: device)))
        isNoop = wasNoop
    }

    private mutating func forget(_ device: TraceDevice) {
        kicked.remove(device)
        audioLegs.remove(device)
        streams[device] = nil
    }

    /// The device of the line; when it names none, one of the person's that is there, else the first ever named.
    private func named(_ entry: Trace.Entry) -> TraceDevice {
        guard entry.device.isEmpty else { return TraceDevice(uid: entry.uid, device: entry.device) }
        return model.devices(of: entry.uid).first ?? anyDevice(of: entry.uid)
    }

    private func anyDevice(of uid: String) -> TraceDevice {
        TraceDevice(uid: uid, device: firstDevice[uid] ?? TracePlan.unnamedDevice)
    }

    private static func unstatedFacts(of device: TraceDevice) -> InitialFacts {
        let open =
            ["sip-", "chat-"].contains { device.device.hasPrefix($0) } || device.device == TracePlan.unnamedDevice
        return InitialFacts(audioMuted: !open, videoPaused: true)
    }

    private mutating func emit(_ action: PlanAction) {
        do {
            try model.apply(action)
        } catch {
            preconditionFailure("line \(line): \(error), which the builder has looked at")
        }
        plan.steps.append(PlanStep(time: time, line: line, action: action, isNoop: isNoop))
        if isNoop { plan.noops += 1 }
        played = true
    }

    private mutating func skip(_ reason: String) {
        // A line that already made somebody join is played, whatever else of it has no step.
        if !played { plan.skippedLines[reason, default: 0] += 1 }
    }
}
