public import Observation

/// A call for SwiftUI and other observers: each property changes on the main actor, all of them to one state at a time.
///
/// It holds the ``Call``; drop both, or leave, to end it.
@MainActor
@Observable
public final class CallModel {
    /// The call.
    public let call: Call
    /// The state; the properties below are parts of it.
    public private(set) var state: CallSnapshot
    /// The people, in order of joining.
    public private(set) var people: [CallSnapshot.Person]
    /// The people whose hands are up, in the order of the queue.
    public private(set) var raisedHands: [CallSnapshot.Person]
    /// This client's own person; nil for an observer.
    public private(set) var me: CallSnapshot.Person?
    /// Who records the call; nil while nobody does.
    public private(set) var recording: CallSnapshot.Recording?
    /// The dominant speaker; nil is nobody.
    public private(set) var dominantSpeaker: CallSnapshot.Person?
    /// The people in the spotlight, in order.
    public private(set) var spotlight: [CallSnapshot.Person]
    /// The title; empty when none was given.
    public private(set) var title: String
    /// How the call is connected.
    public private(set) var connection: ConnectionState
    /// Whether this client takes changes more slowly than they come; see ``Call/isLagging``.
    public private(set) var isLagging: Bool

    @ObservationIgnored private var updates: TaskHolder?
    @ObservationIgnored private var connections: TaskHolder?

    /// A model of `call`, which follows it until the model goes or the call is over.
    public init(_ call: Call) {
        let state = call.state
        self.call = call
        self.state = state
        people = state.people
        raisedHands = state.raisedHands
        me = state.me
        recording = state.recording
        dominantSpeaker = state.dominantSpeaker
        spotlight = state.spotlight
        title = state.title
        connection = call.connection
        isLagging = call.isLagging
        updates = TaskHolder(
            Task { [weak self, updates = call.updates(since: state)] in
                for await update in updates { self?.show(update.state) }
            }
        )
        connections = TaskHolder(
            Task { [weak self, states = call.connectionUpdates] in
                for await state in states { self?.show(state) }
            }
        )
    }

    /// Shows a state; what did not change is not written, so that its observers are left alone.
    private func show(_ new: CallSnapshot) {
        state = new
        assign(new.people, to: \.people)
        assign(new.raisedHands, to: \.raisedHands)
        assign(new.me, to: \.me)
        assign(new.recording, to: \.recording)
        assign(new.dominantSpeaker, to: \.dominantSpeaker)
        assign(new.spotlight, to: \.spotlight)
        assign(new.title, to: \.title)
    }

    private func show(_ state: ConnectionState) {
        connection = state
        assign(call.isLagging, to: \.isLagging)
    }

    private func assign<Value: Equatable>(_ value: Value, to path: ReferenceWritableKeyPath<CallModel, Value>) {
        if self[keyPath: path] != value { self[keyPath: path] = value }
    }
}

/// Cancels its task when it goes: a deinit of an isolated class can't reach the class's own properties.
private final class TaskHolder: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    deinit {
        task.cancel()
    }
}
