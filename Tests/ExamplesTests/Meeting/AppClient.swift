import CallState
import Dispatch
import Examples
import Foundation
import Rollcall
import RollcallCalls
import Synchronization

/// An app in a call: a session with the three example apps, the screens in the vendors' style and a witness, all of
/// which hear nothing but callbacks.
///
/// What it shows goes to the ledger after every update. Its apps belong to its callback queue.
final class AppClient: @unchecked Sendable {
    let name: String
    let uid: String
    let device: String
    let session: CallSession
    private let queue: DispatchQueue
    private let ledger: Ledger

    // On the callback queue.
    private let witness = Witness()
    private var list: ParticipantListApp?
    private var search: ParticipantListApp?
    private var panel: ControlPanelApp?
    private var hands: RaisedHandQueueApp?
    private var noted: Position?
    private var counted = 0

    @MainActor private var screens: VendorScreens?
    private let progress = Mutex(Progress())

    private struct Progress {
        var position = Position.zero
        var isOver = false
        var isCancelled = false
        var waiting: [(position: Position, continuation: CheckedContinuation<Void, Never>)] = []

        func hasReached(_ position: Position) -> Bool { isOver || isCancelled || position <= self.position }
    }

    /// A client, not joined yet.
    init(_ name: String, uid: String? = nil, ledger: Ledger) {
        self.name = name
        self.uid = uid ?? name
        device = "device-\(name)"
        self.ledger = ledger
        queue = DispatchQueue(label: "app \(name)")
        session = CallSession(callbackQueue: queue)
    }

    deinit { isStalled = false }

    /// Joins; its listeners are there before, or come only when the join is done.
    func join(
        _ client: RollcallClient,
        _ session: String,
        settings: SessionSettings,
        listensLate: Bool = false
    ) async throws {
        if !listensLate { await listen() }
        try await self.session.join(
            client: client,
            sessionID: session,
            identity: Identity(uid: uid, device: device),
            settings: settings
        )
        if listensLate { await listen() }
    }

    private func listen() async {
        await MainActor.run { screens = VendorScreens(session) }
        await onQueue { [self] in
            session.onTold = { [weak self] in self?.updated() }
            session.addParticipantEventListener(witness)
            session.addMediaEventsListener(witness)
            session.addSessionStatusListener(witness)
            search = ParticipantListApp(session: session)
            search?.searchText = "1"
            hands = RaisedHandQueueApp(session: session)
            list = ParticipantListApp(session: session)
            // The last to be told: once it has been, all have.
            panel = ControlPanelApp(session: session)
        }
    }

    /// On the callback queue, at the end of an update.
    private func updated() {
        guard let list, let search, let panel, let hands, let position = session.position, panel.participantCount > 0
        else { return }
        ledger.note(
            updates: 1,
            callbacks: witness.callbacks - counted,
            differences: witness.takeViolations() + witness.differences(from: session),
            by: name
        )
        counted = witness.callbacks
        // What is asked for and not answered yet shows here alone.
        if position != noted, !session.isAsking {
            noted = position
            var shown = Shown()
            shown.people = list.rows.map(\.shared)
            shown.found = search.rows.map(\.shared)
            shown.title = list.title
            shown.attendance = list.attendance
            shown.hands = hands.rows
            shown.isRecording = panel.isRecording
            shown.participantCount = panel.participantCount
            ledger.note(shown, at: position, by: name)
            let own = OwnDevice(
                isAudioMuted: panel.isAudioMuted,
                isVideoPaused: panel.isVideoPaused,
                isPresenting: panel.isSharingScreen
            )
            ledger.note(own, of: uid, device, at: position, by: name)
        }
        let isOver = witness.isOver
        DispatchQueue.main.async { [self, library = Library(session)] in
            ledger.note(differences: screens?.differences(from: library) ?? [], by: name)
            arrived(position, isOver: isOver)
        }
    }

    private func arrived(_ position: Position, isOver: Bool) {
        wake { progress in
            progress.position = max(progress.position, position)
            progress.isOver = progress.isOver || isOver
        }
    }

    private func wake(after change: (inout Progress) -> Void) {
        let ready = progress.withLock { progress in
            change(&progress)
            let reached = progress
            progress.waiting.removeAll { reached.hasReached($0.position) }
            return reached.waiting.filter { reached.hasReached($0.position) }
        }
        for waiting in ready { waiting.continuation.resume() }
    }

    // MARK: What a test does with it

    /// Waits until everything at `position` was told and compared, or the session is over.
    func reach(_ position: Position) async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = progress.withLock { progress in
                    if progress.hasReached(position) { return true }
                    progress.waiting.append((position, continuation))
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            wake { $0.isCancelled = true }
        }
        try Task.checkCancellation()
    }

    /// Leaves, and waits until the end was told and compared.
    func leave() async throws {
        session.leaveSession()
        try await reach(Position(epoch: .max, seq: .max))
    }

    /// The client that is busy at times.
    static let busy = "busy"

    /// Whether its callbacks are held back, as in an app whose main thread is busy; belongs to the meeting.
    var isStalled = false {
        didSet {
            if isStalled == oldValue { return }
            if isStalled { queue.suspend() } else { queue.resume() }
        }
    }

    /// Cuts its link without a word.
    func cutLink() { session.call?.cutLink() }

    /// Taps a button of its panel; one that is busy does not take it.
    func tap(_ button: @escaping @Sendable (ControlPanelApp) -> Void) async {
        if isStalled { return }
        await onQueue { [self] in if let panel { button(panel) } }
    }

    /// Pins, or unpins, somebody in the list of the vendors' style.
    ///
    /// That app keeps its pin itself, from the tap on: no update from before may be compared after it.
    func tapPin(_ number: Int) async {
        if isStalled { return }
        await onQueue { [self] in queue.suspend() }
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { [self] in
                screens?.tapPin(number)
                continuation.resume()
            }
        }
        queue.resume()
    }

    private func onQueue(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                body()
                continuation.resume()
            }
        }
    }
}
