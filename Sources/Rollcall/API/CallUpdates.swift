/// What changes in a call, as a sequence; see ``Call/updates``.
public struct CallUpdates: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = CallUpdate
    /// The sequence ends; it does not fail.
    public typealias Failure = Never

    let call: Call
    let since: CallSnapshot?

    /// A reader of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(call: call, seen: since)
    }

    /// Keeps only the state that it has shown last, so that its memory does not grow however slow the reader is.
    public struct Iterator: AsyncIteratorProtocol {
        let call: Call
        var seen: CallSnapshot?
        var revision: UInt64?

        init(call: Call, seen: CallSnapshot?) {
            self.call = call
            self.seen = seen
        }

        /// Waits until something has changed; nil when the call is over or the task was cancelled.
        public mutating func next() async -> CallUpdate? {
            await next(isolation: #isolation)
        }

        /// Waits until something has changed; nil when the call is over or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CallUpdate? {
            while true {
                guard let (snapshot, revision) = await call.driver.snapshot(after: revision, isolation: actor) else {
                    return nil
                }
                let events = CallUpdate.events(from: seen, to: snapshot)
                let isFirst = seen == nil
                seen = snapshot
                self.revision = revision
                // A revision without an event is one that led back to what this reader has seen.
                if isFirst || !events.isEmpty { return CallUpdate(events: events, state: snapshot) }
            }
        }
    }
}

/// How a call is connected, as a sequence; see ``Call/connectionUpdates``.
public struct ConnectionUpdates: AsyncSequence, Sendable {
    /// A state of the connection.
    public typealias Element = ConnectionState
    /// The sequence ends; it does not fail.
    public typealias Failure = Never

    let call: Call

    /// A reader of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(call: call)
    }

    /// Reads the latest state.
    public struct Iterator: AsyncIteratorProtocol {
        let call: Call
        var revision: UInt64?
        var isAtEnd = false

        init(call: Call) {
            self.call = call
        }

        /// Waits until the connection has changed; nil after the end or when the task was cancelled.
        public mutating func next() async -> ConnectionState? {
            await next(isolation: #isolation)
        }

        /// Waits until the connection has changed; nil after the end or when the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ConnectionState? {
            if isAtEnd { return nil }
            guard let (state, revision) = await call.driver.connection(after: revision, isolation: actor) else {
                return nil
            }
            self.revision = revision
            isAtEnd = state.isClosed
            return state
        }
    }
}
