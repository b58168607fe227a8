public import Foundation
public import RollcallCalls

/// The queue of raised hands of a call screen, without the screen.
///
/// The order is the relay's, the same for everybody, and so are the times: nothing is stamped by this device's clock.
/// Use it on the session's callback queue, which is the main queue in an app.
public final class RaisedHandQueueApp: ParticipantEventListener {
    /// One line of the queue.
    public struct Row: Hashable, Sendable {
        /// Place in the queue, from 1.
        public var place: Int
        /// Whose hand it is.
        public var uid: String
        /// The display name, or the uid of somebody who gave none.
        public var name: String
        /// When the hand went up.
        public var raisedAt: Date
    }

    /// The queue, first to last.
    public private(set) var rows: [Row] = []
    /// Is called when the queue is to be drawn anew.
    public var onChange: () -> Void = {}

    private let session: CallSession

    /// The queue of a session, joined already or not yet.
    public init(session: CallSession = .shared) {
        self.session = session
        session.addParticipantEventListener(self)
    }

    private func show(_ hands: [RaisedHand]) {
        rows = hands.map { Row(place: $0.place, uid: $0.uid, name: $0.name ?? $0.uid, raisedAt: $0.raisedAt) }
        onChange()
    }

    // MARK: What the session tells

    /// Hands went up or down.
    public func onRaisedHandsChanged(raisedHands: [RaisedHand]) { show(raisedHands) }

    /// Somebody in the queue may have another name.
    public func onParticipantListChanged(participants: [Participant]) { show(session.raisedHands) }

    // MARK: What the buttons do

    /// Raises the own hand.
    public func tapRaise() { session.raiseHand() }
    /// Lowers the own hand.
    public func tapLower() { session.lowerHand() }
    /// Lowers the hand of a line: its turn has come.
    public func tapLower(_ row: Row) { session.lowerHand(participantId: row.uid) }
    /// Lowers every hand.
    public func tapLowerAll() { session.lowerAllHands() }
}
