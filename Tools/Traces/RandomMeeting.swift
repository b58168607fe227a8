import Randomness

/// Makes plausible meetings for load tests: the same seed and sizes make the same plan.
public struct RandomMeeting: Sendable {
    /// How many people take part.
    public var people: Int
    /// How many steps follow after everybody has joined once.
    public var steps: Int
    /// How many milliseconds lie between two steps.
    public var interval = 20
    /// How many devices a person has at most.
    public var devicesPerPerson = 2
    /// The seed.
    public var seed: UInt64

    /// A meeting of at least one person.
    public init(people: Int, steps: Int, seed: UInt64) {
        precondition(people > 0 && steps >= 0, "a meeting needs a person")
        self.people = people
        self.steps = steps
        self.seed = seed
    }

    /// The plan: everybody joins, then things happen.
    ///
    /// The first person stays, so that the meeting does not end.
    ///
    /// - Complexity: O(people + steps) draws; each step that ends a presence is O(people).
    public func plan() -> TracePlan {
        var maker = MeetingMaker(self)
        return maker.make()
    }
}

/// Draws the steps of a random meeting.
private struct MeetingMaker {
    private struct Present {
        var device: TraceDevice
        var facts: InitialFacts
        var presenting = false
    }

    private let meeting: RandomMeeting
    private var random: SplitMix64
    private var present: [Present] = []
    private var absent: [TraceDevice] = []
    private var hands: Set<String> = []
    private var isRecording = false
    private var steps: [PlanStep] = []

    init(_ meeting: RandomMeeting) {
        self.meeting = meeting
        random = SplitMix64(seed: meeting.seed)
    }

    mutating func make() -> TracePlan {
        for person in 1...meeting.people {
            let devices = max(1, meeting.devicesPerPerson)
            for device in 1...devices {
                absent.append(TraceDevice(uid: "p\(person)", device: "d\(device)"))
            }
        }
        // First devices come first; the others are left for later.
        absent.sort { ($0.device, Int($0.uid.dropFirst())!) < ($1.device, Int($1.uid.dropFirst())!) }
        for device in absent.prefix(meeting.people) { join(device) }
        absent.removeFirst(meeting.people)
        let end = steps.count + meeting.steps
        while steps.count < end { draw() }
        return TracePlan(steps: steps)
    }

    /// Draws one step; rarely none, when it would need somebody who is not there.
    private mutating func draw() {
        let index = random.below(present.count)
        let device = present[index].device
        switch random.below(100) {
        case ..<34:
            present[index].facts.audioMuted.toggle()
            emit(.setAudioMuted(device, present[index].facts.audioMuted))
        case ..<50:
            present[index].facts.videoPaused.toggle()
            emit(.setVideoPaused(device, present[index].facts.videoPaused))
        case ..<56:
            present[index].presenting.toggle()
            emit(.setPresenting(device, present[index].presenting))
        case ..<72: moveHand(device)
        case ..<74:
            isRecording.toggle()
            emit(.setRecording(isRecording, via: device))
        case ..<77: emit(.rename("Name \(random.below(1000))", via: device))
        case ..<79: emit(.setCallAttribute(key: "topic", value: "\(random.below(100))", via: device))
        case ..<82: repeatSomething(index)
        case ..<91: if !absent.isEmpty { join(absent.remove(at: random.below(absent.count))) }
        default: depart(index)
        }
    }

    private mutating func moveHand(_ device: TraceDevice) {
        // A quarter of the movements is by somebody else, as a moderator takes people from the queue.
        if !hands.isEmpty, random.below(4) == 0 {
            let ordered = hands.sorted()
            let uid = ordered[random.below(ordered.count)]
            hands.remove(uid)
            emit(.lowerHand(uid: uid, via: device))
        } else if hands.remove(device.uid) != nil {
            emit(.lowerHand(uid: device.uid, via: device))
        } else {
            hands.insert(device.uid)
            emit(.raiseHand(via: device))
        }
    }

    /// States what is so already.
    private mutating func repeatSomething(_ index: Int) {
        let device = present[index].device
        switch random.below(3) {
        case 0: emit(.setAudioMuted(device, present[index].facts.audioMuted), isNoop: true)
        case 1: emit(.setPresenting(device, present[index].presenting), isNoop: true)
        default:
            let isUp = hands.contains(device.uid)
            emit(isUp ? .raiseHand(via: device) : .lowerHand(uid: device.uid, via: device), isNoop: true)
        }
    }

    private mutating func join(_ device: TraceDevice) {
        let facts = InitialFacts(audioMuted: random.below(3) > 0, videoPaused: random.below(2) > 0)
        present.append(Present(device: device, facts: facts))
        emit(.join(device, facts))
    }

    private mutating func depart(_ index: Int) {
        let device = present[index].device
        if device.uid == "p1", device.device == "d1" { return }
        present.remove(at: index)
        absent.append(device)
        if !present.contains(where: { $0.device.uid == device.uid }) { hands.remove(device.uid) }
        emit(random.below(3) == 0 ? .lost(device, reason: "lost") : .leave(device, reason: "left"))
    }

    private mutating func emit(_ action: PlanAction, isNoop: Bool = false) {
        steps.append(PlanStep(time: steps.count * meeting.interval, line: 0, action: action, isNoop: isNoop))
    }
}
