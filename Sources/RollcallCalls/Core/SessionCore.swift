import CallState
package import Rollcall

/// The rules of the listener API, as a value: readings of a call in, callbacks out.
///
/// It reads no clock and calls nobody. The numbers of the rules (L-1, ...) are those of <doc:ListenerRules>.
package struct SessionCore: Sendable {
    /// Callbacks and the state that they belong to: all queries inside of them are answered from it.
    package struct Batch: Sendable {
        package var model: SessionModel
        package var callbacks: [Callback]

        /// Whether it closes what came before: a session, or a loss of the connection.
        ///
        /// What failed is told before it.
        package var isClosing: Bool {
            switch callbacks.first {
            case .connectionRestored, .sessionEnded: true
            default: false
            }
        }
    }

    /// The revision of the reading that listeners know; zero when they know a state from before any.
    package var shownRevision: UInt64 { revision ?? 0 }

    /// What listeners know.
    package private(set) var shown = SessionModel()
    /// What is local, as the app wants it now.
    package var local = LocalState()
    /// How many losses listeners know of.
    private var losses: UInt64 = 0
    /// What was shown last, to see that nothing has changed.
    private var revision: UInt64?

    package init() {}

    /// A session is joined, with a state that is complete (L-1).
    ///
    /// Listeners are told by a ``replay``.
    package mutating func begin(_ reading: CallReading, state: CallSnapshot, local: LocalState) {
        self.local = local
        shown = SessionModel()
        shown.snapshot = reading.snapshot ?? state
        shown.local = local
        shown.phase = .active
        losses = 0
        revision = reading.snapshot == nil ? nil : reading.revision
    }

    /// What is in effect for whoever has heard of nothing yet (L-2).
    ///
    /// Media and layout listeners are told the difference from what they know (L-17).
    package var replay: [Callback] {
        guard shown.isActive else { return [] }
        return [.sessionJoined] + (shown.isLost ? [.connectionLost] : []) + CallbackWriter.replay(shown)
    }

    /// The call is like this now: what listeners have to be told, in order.
    package mutating func advance(to reading: CallReading) -> [Batch] {
        guard shown.isActive else { return [] }
        var batches: [Batch] = []
        let wasLost = shown.isLost
        lose(reading, &batches)
        if case .closed(let reason) = reading.connection {
            // Of a link that was lost the copy may be half way to another state, and never get there.
            if !wasLost, !shown.isLost, !isOwnAsking { show(reading, &batches) }
            end(reason, &batches)
            return batches
        }
        show(reading, &batches)
        if shown.isLost, reading.connection.isLive {
            shown.isLost = false
            batches.append(Batch(model: shown, callbacks: [.connectionRestored]))
        }
        return batches
    }

    /// What a query outside of callbacks shows: the latest, with what the app has asked for.
    package func latest(_ reading: CallReading?) -> SessionModel {
        var model = shown
        guard shown.isActive, let reading else {
            model.local = local
            return model
        }
        if let snapshot = reading.snapshot, isShowable(snapshot) { model.snapshot = snapshot }
        model.local = local
        model.dropPin()
        switch reading.connection {
        case .closed(let reason): model.phase = .ended(SessionEndReason(reason))
        case .reconnecting: model.isLost = true
        case .live: model.isLost = false
        case .joining: break
        }
        return model
    }

    // MARK: Steps

    /// A loss is told before anything that came after it, also one that is over by now (L-12).
    private mutating func lose(_ reading: CallReading, _ batches: inout [Batch]) {
        let isNew = reading.losses > losses
        losses = reading.losses
        var isLost = isNew
        if case .reconnecting = reading.connection { isLost = true }
        guard isLost, !shown.isLost else { return }
        shown.isLost = true
        batches.append(Batch(model: shown, callbacks: [.connectionLost]))
    }

    /// Shows the state of a reading, if it is another one.
    private mutating func show(_ reading: CallReading, _ batches: inout [Batch]) {
        var next = shown
        if let snapshot = reading.snapshot, reading.revision != revision, isShowable(snapshot) {
            next.snapshot = snapshot
            revision = reading.revision
        } else if local == shown.local {
            return
        }
        next.local = local
        next.dropPin()
        local.pin = next.local.pin
        let callbacks = CallbackWriter.changes(from: shown, to: next)
        shown = next
        if !callbacks.isEmpty { batches.append(Batch(model: shown, callbacks: callbacks)) }
    }

    /// Whether a state can be shown: the own person is in every one of them (L-8), or the end follows.
    private func isShowable(_ snapshot: CallSnapshot) -> Bool {
        guard shown.snapshot?.ownPerson != 0 else { return true }
        return snapshot.confirmed.person(snapshot.ownPerson) != nil
    }

    private var isOwnAsking: Bool { shown.snapshot?.isAsking ?? false }

    /// It is over: one terminal callback, and nothing after it (L-14).
    private mutating func end(_ reason: CloseReason, _ batches: inout [Batch]) {
        let reason = SessionEndReason(reason)
        shown.phase = .ended(reason)
        shown.isLost = false
        batches.append(Batch(model: shown, callbacks: [.sessionEnded(reason)]))
    }
}

extension SessionEndReason {
    /// Why the session of a call that was closed for `reason` is over.
    package init(_ reason: CloseReason) {
        switch reason.error?.code {
        case nil: self = .left
        case .removed?: self = .removed
        case .replaced?, .staleAttempt?: self = .replaced
        case .idle?: self = .timedOut
        default: self = .connectionClosed
        }
    }
}
