import Dispatch
import Foundation
import Rollcall
import RollcallCalls
import Synchronization
import TestSupport
import Testing

/// Nothing of a session outlives it: the objects are counted, by kind.
@Suite("Nothing is left behind", .timeLimit(.minutes(5)))
struct RetainedMemoryTests {
    @Test("10,000 joins and leaves over a few connections at a time, with listeners that come and go, leave no object")
    func joinsAndLeaves() async throws {
        let (lanes, visits) = (8, 10_000)
        let relay = try await RelayProcess()
        var options = ClientOptions()
        options.reactor = SocketReactor()
        let client = RollcallClient(relay.address, options: options)
        let census = Census()
        try await withThrowingTaskGroup { group in
            for lane in 0..<lanes {
                group.addTask {
                    let queue = DispatchQueue(label: "lane \(lane)")
                    for visit in stride(from: lane, to: visits, by: lanes) {
                        try await Visit(number: visit, lane: lane, client: client, queue: queue, census: census).run()
                    }
                }
            }
            try await group.waitForAll()
        }
        // What goes last does so on another thread.
        let live = { options.reactor.live.total + census.living + census.sampledPeople }
        let deadline = ContinuousClock.now + .seconds(60)
        while live() > 0, ContinuousClock.now < deadline { await Task.yield() }
        for kind in LiveObjects.Kind.allCases { #expect(options.reactor.live.count(kind) == 0, "\(kind)") }
        #expect(census.living == 0, "listeners")
        #expect(census.sampledPeople == 0, "participants")
        #expect(census.joined == visits && census.left == visits)
        #expect(census.people > visits, "callbacks did come, with people in them")
        relay.send(SIGTERM)
        #expect(await relay.end() == 0)
    }
}

/// Counts what a test makes and what it hears.
private final class Census: Sendable {
    private struct Counts {
        var living = 0
        var joined = 0
        var left = 0
        var people = 0
    }

    private struct Sample {
        weak var participant: Participant?
    }

    private let counts = Mutex(Counts())
    private let samples = Mutex<[Sample]>([])

    /// Listeners that live.
    var living: Int { counts.withLock { $0.living } }
    /// Sessions that were joined.
    var joined: Int { counts.withLock { $0.joined } }
    /// Sessions that were left.
    var left: Int { counts.withLock { $0.left } }
    /// People who were named in callbacks.
    var people: Int { counts.withLock { $0.people } }

    func born() { counts.withLock { $0.living += 1 } }
    func died() { counts.withLock { $0.living -= 1 } }
    func sessionJoined() { counts.withLock { $0.joined += 1 } }
    func sessionLeft() { counts.withLock { $0.left += 1 } }
    /// Counts people, and remembers one of them without holding it.
    func saw(_ people: [Participant]) {
        counts.withLock { $0.people += people.count }
        samples.withLock { $0.append(Sample(participant: people.last)) }
    }

    /// How many of the people that were remembered still live.
    var sampledPeople: Int { samples.withLock { $0.count { $0.participant != nil } } }
}

/// Listens to everything, keeps what it was given, and is counted.
private final class Hearer: SessionStatusListener, ParticipantEventListener, MediaEventsListener, LayoutListener,
    ButtonClickListener, Sendable
{
    private let census: Census
    private let isChief: Bool
    private let ended: AsyncStream<Void>.Continuation?
    /// What it keeps must go with it.
    private let kept = Mutex<[Participant]>([])

    init(_ census: Census, chief ended: AsyncStream<Void>.Continuation? = nil) {
        self.census = census
        self.ended = ended
        isChief = ended != nil
        census.born()
    }

    deinit { census.died() }

    func onSessionJoined() { if isChief { census.sessionJoined() } }
    func onSessionLeft() {
        if isChief { census.sessionLeft() }
        ended?.finish()
    }
    func onParticipantJoined(participant: Participant) { kept.withLock { $0.append(participant) } }
    func onParticipantListChanged(participants: [Participant]) {
        census.saw(participants)
        kept.withLock { $0 = participants }
    }
}

/// One join and leave, each a little different.
private struct Visit {
    let number: Int
    let lane: Int
    let client: RollcallClient
    let queue: DispatchQueue
    let census: Census

    func run() async throws {
        let session = CallSession(callbackQueue: queue)
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        let chief = Hearer(census, chief: continuation)
        session.addSessionStatusListener(chief)
        session.addParticipantEventListener(chief)
        addForgotten(to: session)
        try await session.join(
            client: client,
            sessionID: "room \(lane % 3)",
            identity: Identity(uid: "u\(lane)", name: "U \(lane)", device: "d"),
            settings: SessionSettingsBuilder().startAudioMuted(number % 2 == 0).build()
        )
        countersCount()
        let late = Hearer(census)
        session.addParticipantEventListener(late)
        session.addMediaEventsListener(late)
        session.addLayoutListener(late)
        session.addButtonClickListener(late)
        addForgotten(to: session)
        switch number % 5 {
        case 0: session.raiseHand()
        case 1: try await session.perform(.unmuteAudio)
        case 2: session.removeParticipantEventListener(late)
        case 3: session.pinParticipant(participantId: "u\((lane + 3) % 8)")
        default: session.buttonClicked(.raiseHand)
        }
        if number % 2 == 0 { await session.leave() } else { session.leaveSession() }
        for await _ in ended {}
        if number % 7 == 0 { session.clearAllListeners() }
    }

    /// While something lives it is counted: a count that is always zero would prove nothing.
    private func countersCount() {
        let reactor = client.options.reactor
        #expect(LiveObjects.Kind.allCases.allSatisfy { reactor.live.count($0) > 0 } && census.living > 0)
    }

    /// A listener that nobody holds is not held by the session either.
    private func addForgotten(to session: CallSession) {
        let forgotten = Hearer(census)
        session.addParticipantEventListener(forgotten)
        session.addMediaEventsListener(forgotten)
    }
}
