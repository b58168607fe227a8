import CallState
import EventLoop
import RelayCore

/// A loop's ways to the others of its relay.
struct LoopLinks: Sendable {
    let place: LoopPlace
    /// One for each loop, the own one included.
    let mailboxes: [Mailbox<LoopMessage>]

    /// Posts to another loop; false, and the message is dropped, when that has ended.
    @discardableResult
    func post(_ message: LoopMessage, to loop: Int) -> Bool { mailboxes[loop].post(message) }

    /// Posts to all but the own loop.
    func tellOthers(_ message: LoopMessage) {
        for loop in mailboxes.indices where loop != place.index { post(message, to: loop) }
    }

    /// How many loops there are.
    var count: Int { mailboxes.count }
}
