import CallState
import CallStore
import EventLoop

/// The shell's side of a store: requests go out, and answers that come later come in through the loop.
final class StoreLink {
    /// What a store reports.
    enum Event: Sendable {
        case answer(StoreAnswer)
        /// It has carried out everything and has closed.
        case stopped
    }

    private let store: any CallStore
    private var mailbox: Mailbox<Event>?

    init(_ store: any CallStore) {
        self.store = store
    }

    /// What the store has done.
    var counters: StoreCounters { store.counters }

    /// Opens the way in, which keeps the loop running until ``close()``: a relay that stops waits for its store.
    func open(_ loop: EventLoop, receive: @escaping (_ events: [Event]) -> Void) throws(UVError) {
        mailbox = try Mailbox(loop: loop, keepsLoopRunning: true, receive: receive)
    }

    /// Starts the store, and gives what it has of the time before.
    ///
    /// Answers that `elsewhere` takes, on the store's thread, do not come in here.
    func start(
        elsewhere: (@Sendable (StoreAnswer) -> Bool)?,
        contents: (StoreAnswer) -> Void
    ) throws(StoreError) {
        let tell: @Sendable (StoreAnswer) -> Void = { [mailbox] answer in
            if elsewhere?(answer) != true { mailbox?.post(.answer(answer)) }
        }
        try store.start(tell, contents: contents)
    }

    /// Takes a request; nil when the answer comes later.
    func take(_ request: StoreRequest) -> StoreAnswer? { store.take(request) }

    /// Has the store carry out what waits and close: ``Event/stopped`` follows.
    func stop() {
        store.stop { [mailbox] in mailbox?.post(.stopped) }
    }

    /// Closes the way in.
    func close() {
        mailbox?.close()
        mailbox = nil
    }
}

extension StoreCounters {
    /// The counters as facts of a log line.
    var facts: [(StaticString, LogValue)] {
        [
            ("store-transactions", .number(transactions)), ("store-failures", .number(failures)),
            ("store-claims", .number(claims)), ("store-batches", .number(batches)), ("store-bytes", .number(bytes)),
            ("store-syncs", .number(syncs)), ("store-checkpoints", .number(checkpoints)),
        ]
    }
}
