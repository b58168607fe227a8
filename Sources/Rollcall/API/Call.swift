public import CallState
public import RollcallProtocol

/// A call that this client attends: its state, what changes in it, and what can be done in it.
///
/// Every member may be used from any thread or task. The connection is kept by the library: when it is lost it is made
/// again, and what changed meanwhile comes as one ordinary update. When the last reference to a `Call` goes without
/// ``leave(reason:)``, the device leaves too.
public final class Call: Sendable {
    let driver: CallDriver

    init(driver: CallDriver) {
        self.driver = driver
    }

    deinit {
        driver.abandon()
    }

    /// The call's session id.
    public var session: String { driver.session }

    /// The relay's address.
    public var address: Address { driver.address }

    // MARK: State

    /// The state now; complete from the first moment on.
    ///
    /// After the call is over it stays as it was last.
    public var state: CallSnapshot { driver.snapshot }

    /// Where in the call's history the state is.
    ///
    /// Cheaper than ``state``.
    public var position: Position { driver.position }

    /// The digest of the state.
    ///
    /// Cheaper than ``state``.
    public var digest: UInt64 { driver.digest }

    /// What this client may do; expect refusals nevertheless, since rights are checked in the commit that uses them.
    public var rights: Rights { driver.rights }

    /// The relay's answer to the last join or resume, for tools.
    public var joined: Joined { driver.joined }

    /// What changes, from a start that is told in full: the first update comes at once, and its events describe all
    /// that is in the call, as if everybody came in that moment.
    ///
    /// So whoever begins to listen late misses nothing.
    ///
    /// Each iterator is independent and begins anew. A slow reader is not queued for: it gets the sum of what changed
    /// since its update before. The sequence ends when the call is over; see ``connection`` for why.
    public var updates: CallUpdates { CallUpdates(call: self, since: nil) }

    /// What changes after `state`: for a reader who has shown that state already.
    ///
    /// Nothing in between is lost.
    public func updates(since state: CallSnapshot) -> CallUpdates {
        CallUpdates(call: self, since: state)
    }

    // MARK: Connection

    /// How the call is connected now.
    public var connection: ConnectionState { driver.connectionState }

    /// Whether the relay finds that this client takes changes more slowly than they come.
    ///
    /// It then gets their sum from time to time; ``state`` is right, but later than others'. True until the client has
    /// kept up for some seconds, or the connection is lost.
    public var isLagging: Bool { driver.isLagging }

    /// How the call is connected, beginning with now; the same again when ``isLagging`` has changed.
    ///
    /// A slow reader gets the latest. Ends after ``ConnectionState/closed(_:)``.
    public var connectionUpdates: ConnectionUpdates { ConnectionUpdates(call: self) }

    /// The number of commands that are not answered yet.
    public var pendingCommands: Int { driver.pendingCommands }

    /// Leaves the call and returns when the relay knows it, or at the latest after two seconds.
    ///
    /// Commands that were not sent yet fail with ``RollcallError/Code/callEnded``. While the link is lost nobody can be
    /// told: the device then leaves when the call's grace ends. Leaving twice does nothing.
    ///
    /// - Parameter reason: `left`, or `lost` for a program that reports its own loss.
    public func leave(reason: LeaveReason = .left) async {
        await driver.leave(reason: reason)
    }

    /// Says whether this device speaks.
    ///
    /// Only changes are sent; nothing is answered. For choosing the dominant speaker.
    public func speaking(_ on: Bool) {
        driver.speaking(Speaking(on: on))
    }

    /// Says whether another's device speaks; for who may act for others.
    public func speaking(_ on: Bool, for uid: String, device: String = "") {
        driver.speaking(Speaking(on: on, target: Target(uid: ByteString(uid), device: ByteString(device))))
    }

    /// Asks the relay for the whole state anew, as after a fault; for tests and tools.
    public func resync() {
        driver.resync()
    }

    /// Cuts the link without a word, as a fault of the network would; the client then reconnects.
    ///
    /// For tests and tools.
    public func cutLink() {
        driver.cutLink()
    }

    // MARK: Commands

    /// Does all of `settings` in one commit, or nothing, and returns when the relay has answered and the state shows
    /// it.
    ///
    /// Settings are absolute values. Those about the own device and person show in ``state`` at once, and are rolled
    /// back with an event when the relay refuses. While the link is lost commands wait; of those that were not sent yet
    /// the last value per field wins. When the task is cancelled the command may still happen.
    ///
    /// - Returns: The position at which it was so.
    /// - Throws: Why it was refused; ``RollcallError/Code/expired`` when the device was away for too long;
    ///   ``RollcallError/Code/callEnded`` when the call is over; ``RollcallError/Code/cancelled``.
    @discardableResult
    public func perform(_ settings: [Setting]) async throws(RollcallError) -> Position {
        try await driver.perform(settings)
    }
}
