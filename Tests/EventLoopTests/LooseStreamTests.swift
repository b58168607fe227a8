import Glibc
import Testing

@testable import EventLoop

@Suite("Connections on their way between loops")
struct LooseStreamTests {
    @Test(
        "What was not read, and what comes later, arrives on the other loop, and what that writes arrives at the peer",
        arguments: Kind.allCases
    )
    func moves(kind: Kind) throws {
        let directory = Directory()
        let (first, second) = (try Server(), try Server())
        try first.listen(kind.address(in: directory))
        // Read until told not to: the rest waits in the kernel.
        first.onRead = { stream, _ in stream.pauseReading() }
        let (peer, stream) = first.connect()
        #expect(peer.send(Array("before".utf8)) == 6)
        first.turn("the first bytes") { first.received[0] != nil }
        #expect(peer.send(Array("between".utf8)) == 7)
        let loose = try stream.release()
        #expect(loose.transport == stream.transport)
        let moved = try Stream(loop: second.loop, loose)
        moved.start(delegate: second, tag: 7)
        second.turn("what was not read") { second.received[7]?.count == 7 }
        #expect(peer.send(Array("after".utf8)) == 5)
        second.turn("what came later") { second.received[7]?.count == 12 }
        #expect(second.received[7] == Array("betweenafter".utf8))
        #expect(moved.write(Array("answer".utf8)) == .sent)
        var answer: [UInt8] = []
        second.turn("the answer") {
            answer += peer.receive()
            return answer.count == 6
        }
        #expect(answer == Array("answer".utf8))
        // The first loop has let go of it without a word.
        for _ in 0..<3 { first.loop.runOnce(waiting: false) }
        #expect(first.causes.isEmpty && first.received[0] == Array("before".utf8))
        peer.close()
        second.turn("the end") { second.causes[7] != nil }
        #expect(second.causes[7] == [.endOfStream])
        first.shutDown()
        second.shutDown()
    }

    @Test("One that nobody takes in is closed, and one that was taken in can't be again", arguments: Kind.allCases)
    func dropped(kind: Kind) throws {
        let directory = Directory()
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        var loose: LooseStream? = try stream.release()
        #expect(throws: UVError.self) { try stream.release() }
        loose = nil
        #expect(loose == nil)
        server.turn("the end") {
            _ = peer.receive()
            return peer.isAtEnd
        }
        let (_, other) = server.connect()
        let taken = try other.release()
        let again = try Stream(loop: server.loop, taken)
        #expect(throws: UVError.self) { try Stream(loop: server.loop, taken) }
        again.close()
        server.shutDown()
    }

    @Test("One with a write in flight, and one that was finished, stays")
    func stays() throws {
        let directory = Directory()
        let server = try Server()
        try server.listen(Kind.unix.address(in: directory))
        let (peer, stream) = server.connect()
        while stream.write([UInt8](repeating: 1, count: 65_536)) == .sent {}
        #expect(stream.isWriting)
        #expect(throws: UVError.self) { try stream.release() }
        #expect(!stream.isClosing)
        peer.close()
        let (_, ending) = server.connect()
        ending.finish()
        #expect(throws: UVError.self) { try ending.release() }
        server.shutDown()
    }

    @Test("A listener gives connections away that are for another loop")
    func diverts() throws {
        let directory = Directory()
        let (first, second) = (try Server(), try Server())
        let listener = try first.listen(Kind.unix.address(in: directory))
        var diverted: [LooseStream] = []
        var count = 0
        listener.divert = { loose in
            count += 1
            if count % 2 == 0 { return false }
            diverted.append(loose)
            return true
        }
        let peers = (0..<4).map { _ in Peer(to: listener.boundAddress) }
        first.turn("four connections") { count == 4 }
        #expect(first.streams.count == 2 && diverted.count == 2)
        for (index, loose) in diverted.enumerated() {
            try Stream(loop: second.loop, loose).start(delegate: second, tag: index)
        }
        for peer in peers { #expect(peer.send([1]) == 1) }
        first.turn("a byte of each") { first.received.count == 2 }
        second.turn("a byte of each") { second.received.count == 2 }
        first.shutDown()
        second.shutDown()
        for peer in peers { peer.close() }
    }

    @Test("A process has a core at least")
    func cores() {
        #expect(ProcessSettings.coreCount >= 1)
    }
}
