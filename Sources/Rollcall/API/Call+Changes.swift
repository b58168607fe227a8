package import CallState
package import RollcallProtocol

// For a reader that is woken by changes and not a task of its own: the listener API.

/// A call at one moment: all of it belongs together.
package struct CallReading: Sendable {
    /// The state; nil while the copy is on its way from one state to another, of which a change tells.
    package var snapshot: CallSnapshot?
    /// Another one for each change of the state or of the connection.
    package var revision: UInt64
    /// How the call is connected.
    ///
    /// Once it is live again after a loss, the state has what changed meanwhile, and what was asked for is answered.
    package var connection: ConnectionState
    /// How often a good link was lost, so that a loss that is over already is seen.
    package var losses: UInt64
    /// Whether commands have failed whose senders are only about to be told; a change follows when they are.
    package var hasUntoldFailures: Bool

    /// A reading.
    package init(
        snapshot: CallSnapshot?,
        revision: UInt64,
        connection: ConnectionState,
        losses: UInt64,
        hasUntoldFailures: Bool = false
    ) {
        self.snapshot = snapshot
        self.revision = revision
        self.connection = connection
        self.losses = losses
        self.hasUntoldFailures = hasUntoldFailures
    }
}

extension Call {
    /// The call now.
    package var reading: CallReading { driver.reading }

    /// Calls `handler` whenever the state or the connection has changed, after what became of the commands in it was
    /// told.
    ///
    /// It runs on a thread of the library, with no lock held, and must be quick.
    package func onChange(_ handler: @escaping @Sendable () -> Void) {
        driver.onChange(handler)
    }

    /// Asks for `settings` as ``perform(_:)`` does, and returns at once; `handler` is told what became of it.
    package func send(
        _ settings: [Setting],
        then handler: @escaping @Sendable (Result<Position, RollcallError>) -> Void
    ) {
        driver.send(settings, then: handler)
    }

    /// Leaves without waiting.
    package func leaveSoon() {
        driver.abandon()
    }
}
