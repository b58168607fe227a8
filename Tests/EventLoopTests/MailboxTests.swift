import EventLoop
import Glibc
import Testing

@Suite("Mailbox")
struct MailboxTests {
    /// Runs `body` on a thread of its own; `join` waits for its end.
    private struct OtherThread {
        private final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        private var thread = pthread_t()

        init(_ body: @escaping @Sendable () -> Void) {
            pthread_create(&thread, nil, runBox, Unmanaged.passRetained(Box(body)).toOpaque())
        }

        func join() { pthread_join(thread, nil) }

        fileprivate static func run(_ box: UnsafeMutableRawPointer?) {
            if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
        }
    }

    private static let runBox: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { box in
        OtherThread.run(box)
        return nil
    }

    struct Message: Sendable, Equatable {
        let sender: Int
        let number: Int
    }

    @Test("All messages of four threads arrive, those of each in order")
    func fourThreads() throws {
        let loop = try EventLoop()
        let perSender = 20_000
        var next = [0, 0, 0, 0]
        var batches = 0
        var count = 0
        let mailbox = try Mailbox<Message>(loop: loop, keepsLoopRunning: true) { batch in
            #expect(!batch.isEmpty)
            batches += 1
            for message in batch {
                if message.number != next[message.sender] { Issue.record("out of order: \(message)") }
                next[message.sender] += 1
            }
            count += batch.count
            if count == 4 * perSender { loop.stop() }
        }
        let threads = (0..<4).map { sender in
            OtherThread { for number in 0..<perSender { mailbox.post(Message(sender: sender, number: number)) } }
        }
        loop.run()
        threads.forEach { $0.join() }
        #expect(next == Array(repeating: perSender, count: 4))
        #expect(batches <= count)
        loop.shutDown()
    }

    @Test("A closed mailbox takes nothing, and gives back what it had")
    func close() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>(loop: loop) { _ in Issue.record("received after close") }
        #expect(mailbox.post(1))
        #expect(mailbox.post(2))
        #expect(mailbox.close() == [1, 2])
        #expect(!mailbox.post(3))
        #expect(mailbox.close() == [])
        loop.run()
        loop.shutDown()
        #expect(!mailbox.post(4))
    }

    @Test("Posting goes on while the loop closes the mailbox: each message is received, given back or refused")
    func closeUnderFire() throws {
        for _ in 0..<20 {
            let loop = try EventLoop()
            var received = 0
            var mailbox: Mailbox<Int>?
            var left = 0
            let made = try Mailbox<Int>(loop: loop, keepsLoopRunning: true) { batch in
                received += batch.count
                if received > 500 { left += mailbox?.close().count ?? 0 }
            }
            mailbox = made
            nonisolated(unsafe) var accepted = 0
            let thread = OtherThread { while made.post(1) { accepted += 1 } }
            loop.run()
            thread.join()
            #expect(received + left == accepted)
            loop.shutDown()
            mailbox = nil
        }
    }

    @Test("The end of the loop closes its mailboxes")
    func shutDown() throws {
        let loop = try EventLoop()
        let mailbox = try Mailbox<Int>(loop: loop) { _ in }
        loop.shutDown()
        #expect(!mailbox.post(1))
    }

    @Test("A mailbox that nobody holds delivers what was posted")
    func dropped() throws {
        let loop = try EventLoop()
        var received: [Int] = []
        do {
            let mailbox = try Mailbox<Int>(loop: loop, keepsLoopRunning: true) { received += $0 }
            mailbox.post(7)
        }
        let limit = EventLoop.wallClock() + 30_000
        while received.isEmpty, EventLoop.wallClock() < limit { loop.runOnce(waiting: false) }
        #expect(received == [7])
        loop.shutDown()
    }

    @Test("A message may be posted from the mailbox's own callback")
    func postWhileReceiving() throws {
        let loop = try EventLoop()
        var received: [Int] = []
        var mailbox: Mailbox<Int>?
        mailbox = try Mailbox<Int>(loop: loop, keepsLoopRunning: true) { batch in
            received += batch
            if received.count < 3 { mailbox?.post(received.count) } else { mailbox?.close() }
        }
        mailbox?.post(0)
        loop.run()
        #expect(received == [0, 1, 2])
        loop.shutDown()
        mailbox = nil
    }
}
