import Addresses
import EventLoop
import Glibc
import Testing

/// Lifetimes: these are the tests to run under AddressSanitizer (Tools/checks/sanitize).
@Suite("Closing")
struct CloseTests {
    let directory = Directory()
    static let large = [UInt8](repeating: 1, count: 4 << 20)

    @Test("Close with a write in flight ends the stream once, and without a drain", arguments: Kind.allCases)
    func writeInFlight(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        #expect(stream.write(Self.large) == .inFlight)
        stream.close()
        stream.close()
        #expect(stream.isClosing)
        #expect(stream.write([1]) == .closed)
        stream.pauseReading()
        stream.resumeReading()
        #expect(server.causes.isEmpty, "never told from inside close()")
        server.turn("the end") { server.causes[0] != nil }
        #expect(server.causes[0] == [.closedHere])
        #expect(server.drained.isEmpty)
        #expect(!stream.isWriting)
        withExtendedLifetime(peer) { server.shutDown() }
        #expect(server.causes[0]?.count == 1)
    }

    @Test("A peer that goes away with a write in flight ends the stream once, with the cause", arguments: Kind.allCases)
    func peerGone(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        stream.pauseReading()
        #expect(stream.write(Self.large) == .inFlight)
        peer.reset()
        server.turn("the end") { server.causes[0] != nil }
        guard case .failed(let error) = server.causes[0]?.first else {
            Issue.record("unexpected cause: \(server.causes)")
            return
        }
        #expect(error.operation == "write")
        #expect([.brokenPipe, .connectionReset].contains(error.code))
        #expect(server.drained.isEmpty)
        server.shutDown()
        #expect(server.causes[0]?.count == 1)
    }

    enum Moment: CaseIterable { case accept, read, drain, closed, beforeSleep, timer, signal, mailbox }

    // One after the other: a signal reaches the watchers of all cases that run.
    @Test("Close, twice, from every callback", .serialized, arguments: Moment.allCases, Kind.allCases)
    func everyCallback(_ moment: Moment, _ kind: Kind) throws {
        let server = try Server()
        let listener = try server.listen(kind.address(in: directory))
        var closings = 0
        // Everything that can be closed is closed, whichever callback this is.
        var timer: Timer?
        var signal: SignalWatcher?
        var mailbox: Mailbox<Int>?
        func closeAll() {
            closings += 1
            for _ in 0..<2 {
                server.streams.forEach { $0.close() }
                listener.close()
                timer?.close()
                signal?.close()
                mailbox?.close()
            }
        }
        timer = try Timer(loop: server.loop) { if moment == .timer { closeAll() } }
        signal = try SignalWatcher(loop: server.loop, signal: SIGURG) { if moment == .signal { closeAll() } }
        mailbox = try Mailbox(loop: server.loop) { _ in if moment == .mailbox { closeAll() } }
        server.onAccept = { _ in if moment == .accept { closeAll() } }
        server.onRead = { _, _ in if moment == .read { closeAll() } }
        server.onDrain = { _ in if moment == .drain { closeAll() } }
        server.onClose = { _ in if moment == .closed { closeAll() } }

        let (peer, stream) = server.connect()
        if moment != .accept {
            _ = peer.send([1, 2, 3])
            #expect(stream.write(Self.large) == .inFlight)
            if moment == .closed { stream.close() }
            if moment == .beforeSleep { server.loop.onBeforeSleep = { closeAll() } }
            timer?.arm(at: server.loop.now)
            if moment == .signal { kill(getpid(), SIGURG) }
            mailbox?.post(1)
        }
        server.turn("everything to close") {
            _ = peer.receive(atMost: 1 << 20)
            return server.causes[0] != nil && server.listenersClosed == 1
        }
        #expect(closings >= 1)
        #expect(server.causes[0] == [.closedHere])
        #expect(stream.isClosing && listener.isClosing)
        #expect(timer?.isClosing == true && signal?.isClosing == true)
        #expect(mailbox?.post(2) == false)
        server.shutDown()
        #expect(server.causes[0]?.count == 1)
        #expect(server.listenersClosed == 1)
    }

    @Test("Nobody has to hold a handle: it lives until it has closed")
    func dropped() throws {
        let server = try Server()
        try server.listen(Kind.unix.address(in: directory))
        let peer = server.connect().peer
        var fired = false
        weak var timer: Timer?
        do {
            let made = try Timer(loop: server.loop) { fired = true }
            made.arm(at: server.loop.now)
            timer = made
        }
        server.turn("the timer") { fired }
        #expect(timer != nil)
        timer?.close()
        server.loop.runOnce(waiting: false)
        #expect(timer == nil, "the close callback gives the last reference back")
        withExtendedLifetime(peer) { server.shutDown() }
    }

    @Test("A loop that shuts down closes what is open, also what the close callbacks open")
    func shutDown() throws {
        let server = try Server()
        try server.listen(Kind.tcp.address(in: directory))
        try server.listen(Kind.unix.address(in: directory))
        let peers = server.listeners.map { server.connect(to: $0).peer }
        #expect(server.streams[0].write(Self.large) == .inFlight)
        weak var late: Timer?
        server.onClose = { [loop = server.loop] _ in
            let timer = try? Timer(loop: loop) {}
            late = timer
        }
        _ = try SignalWatcher(loop: server.loop, signal: SIGURG) {}
        server.shutDown()
        #expect(server.causes == [0: [.closedHere], 1: [.closedHere]])
        #expect(server.listenersClosed == 2)
        #expect(late == nil)
        server.loop.shutDown()
        withExtendedLifetime(peers) {}
    }

    @Test("A loop can be dropped without being shut down when nothing is open on it")
    func droppedLoop() throws {
        weak var dropped: EventLoop?
        do {
            let loop = try EventLoop()
            let timer = try Timer(loop: loop) {}
            timer.close()
            loop.runOnce(waiting: false)
            dropped = loop
        }
        #expect(dropped == nil)
    }
}
