import Addresses
import CLibuv
import EventLoop
import Glibc
import Testing

@Suite("Stream")
struct StreamTests {
    let directory = Directory()

    @Test("What comes in goes out again, on both transports", arguments: Kind.allCases)
    func echo(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        server.onRead = { stream, bytes in #expect(stream.write(bytes) == .sent) }
        let (peer, stream) = server.connect()
        #expect(stream.transport == (kind == .tcp ? .tcp : .unix))

        var back: [UInt8] = []
        for word in ["one", "two", "three"] {
            #expect(peer.send(Array(word.utf8)) == word.utf8.count)
            let expected = back.count + word.utf8.count
            server.turn("an echo") {
                back += peer.receive()
                return back.count >= expected
            }
        }
        #expect(String(decoding: back, as: UTF8.self) == "onetwothree")
        peer.close()
        server.turn("the end") { server.causes[0] != nil }
        #expect(server.causes[0] == [.endOfStream])
        server.shutDown()
        #expect(server.listenersClosed == 1)
    }

    @Test("Three hundred connections are served and end, each once", arguments: Kind.allCases)
    func manyConnections(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        server.onRead = { stream, bytes in #expect(stream.write(bytes) == .sent) }
        let peers = (0..<300).map { _ in server.connect().peer }
        for (index, peer) in peers.enumerated() { #expect(peer.send([UInt8(index & 0xff), UInt8(index >> 8)]) == 2) }
        var back = Array(repeating: [UInt8](), count: peers.count)
        server.turn("300 echoes") {
            for index in peers.indices where back[index].count < 2 { back[index] += peers[index].receive() }
            return back.allSatisfy { $0.count == 2 }
        }
        #expect(back == peers.indices.map { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
        // A third ends at the peer, a third here, and a third with the loop.
        for (index, peer) in peers.enumerated() where index % 3 == 0 { peer.close() }
        for (index, stream) in server.streams.enumerated() where index % 3 == 1 { stream.close() }
        server.turn("200 ends") { server.causes.count == 200 }
        server.shutDown()
        #expect(server.causes.count == 300)
        #expect(server.causes.allSatisfy { $0.value == [$0.key % 3 == 0 ? .endOfStream : .closedHere] })
    }

    @Test("A stream that nobody starts is closed", arguments: Kind.allCases)
    func notStarted(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        server.starts = false
        let (peer, stream) = server.connect()
        #expect(stream.isClosing)
        server.turn("the end") {
            _ = peer.receive()
            return peer.isAtEnd
        }
        #expect(server.causes.isEmpty)
        server.shutDown()
    }

    @Test("Paused reading leaves the bytes in the kernel", arguments: Kind.allCases)
    func pause(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        stream.pauseReading()
        stream.pauseReading()
        #expect(peer.send([1, 2, 3]) == 3)
        for _ in 0..<20 { server.loop.runOnce(waiting: false) }
        #expect(server.received.isEmpty)
        stream.resumeReading()
        stream.resumeReading()
        server.turn("the bytes") { server.received[0] == [1, 2, 3] }
        server.shutDown()
    }

    @Test("Reading may be paused inside the callback: the rest comes after resuming")
    func pauseInCallback() throws {
        let server = try Server()
        try server.listen(Kind.unix.address(in: directory))
        server.onRead = { stream, _ in stream.pauseReading() }
        let (peer, stream) = server.connect()
        let bytes = [UInt8](repeating: 7, count: 100_000)
        var sent = peer.send(bytes)
        server.turn("a first part") { server.received[0] != nil }
        let first = server.received[0]?.count ?? 0
        #expect(first <= EventLoop.readBufferSize)
        for _ in 0..<20 { server.loop.runOnce(waiting: false) }
        #expect(server.received[0]?.count == first)
        server.turn("everything") {
            stream.resumeReading()
            sent += peer.send(bytes[sent...])
            return server.received[0]?.count == bytes.count
        }
        server.shutDown()
    }

    @Test("What a peer has written, or that it has ended, is read at once when it is accepted, and not while paused")
    func readAtOnce() throws {
        let server = try Server()
        let listener = try server.listen(Kind.unix.address(in: directory))
        var atOnce: [[UInt8]?] = []
        server.onAccept = { stream in
            stream.readAtOnce()
            atOnce.append(server.received[stream.tag])
        }
        // Three that wait to be accepted: on a UNIX socket what was written has arrived.
        let peers = (0..<3).map { _ in Peer(to: listener.boundAddress) }
        #expect(peers[0].send([1, 2, 3]) == 3)
        peers[1].close()
        server.turn("three connections") { server.streams.count == 3 }
        #expect(atOnce == [[1, 2, 3], nil, nil])
        server.turn("the end of one") { server.causes[1] != nil }
        #expect(server.causes == [1: [.endOfStream]])
        // Goes on as if nothing had been.
        #expect(peers[0].send([4]) == 1)
        #expect(peers[2].send([5]) == 1)
        server.turn("what comes later") { server.received[0]?.count == 4 && server.received[2]?.count == 1 }
        #expect(server.received == [0: [1, 2, 3, 4], 2: [5]])
        server.streams[2].pauseReading()
        #expect(peers[2].send([6]) == 1)
        server.streams[2].readAtOnce()
        #expect(server.received[2] == [5])
        server.streams[2].resumeReading()
        server.streams[2].readAtOnce()
        #expect(server.received[2] == [5, 6])
        server.shutDown()
        server.streams[2].readAtOnce()
        #expect(server.received[2] == [5, 6])
    }

    @Test("A UNIX stream knows who its peer is; a TCP stream knows where")
    func peers() throws {
        let server = try Server()
        let unix = try server.listen(Kind.unix.address(in: directory))
        let tcp = try server.listen(Kind.tcp.address(in: directory))
        let (local, unixStream) = server.connect(to: unix)
        let credentials = try unixStream.peerCredentials()
        #expect(credentials.uid == getuid())
        #expect(credentials.gid == getgid())
        #expect(credentials.pid == getpid())
        #expect(unixStream.peerAddress == nil)
        let (remote, tcpStream) = server.connect(to: tcp)
        #expect { try tcpStream.peerCredentials() } throws: { ($0 as? UVError)?.code == .notSupported }
        guard case .tcp("127.0.0.1", let port) = tcpStream.peerAddress else {
            Issue.record("unexpected peer: \(String(describing: tcpStream.peerAddress))")
            return
        }
        #expect(port != 0)
        withExtendedLifetime((local, remote)) { server.shutDown() }
        #expect(tcpStream.peerAddress == nil)
        #expect { try unixStream.peerCredentials() } throws: { ($0 as? UVError)?.name == "EBADF" }
    }

    @Test("A reset by the peer is told as ECONNRESET", arguments: Kind.allCases)
    func reset(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        // A UNIX socket that is closed with bytes unread resets, too.
        #expect(stream.write([1]) == .sent)
        peer.reset()
        server.turn("the end") { server.causes[0] != nil }
        guard case .failed(let error) = server.causes[0]?.first else {
            Issue.record("unexpected cause: \(server.causes)")
            return
        }
        #expect(error.code == .connectionReset)
        #expect(error.operation == "read")
        #expect(error.description == "read: connection reset by peer (ECONNRESET)")
        server.shutDown()
        #expect(server.causes[0]?.count == 1)
    }

    @Test("A write to a peer that has gone is told as EPIPE and closes", arguments: Kind.allCases)
    func brokenPipe(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        stream.pauseReading()
        peer.close()
        // TCP learns of the close by the answer to the first write.
        server.turn("a failed write") {
            let result = stream.write([1, 2, 3])
            // Told by the loop only, never to a caller that is in the middle of a write.
            if result == .closed { #expect(server.causes[0] == nil) }
            return result == .closed
        }
        #expect(stream.isClosing)
        server.turn("the end") { server.causes[0] != nil }
        guard case .failed(let error) = server.causes[0]?.first else {
            Issue.record("unexpected cause: \(server.causes)")
            return
        }
        #expect(error.operation == "write")
        // Linux tells a TCP writer of the reset first, if it comes to know that before.
        #expect(error.code == .brokenPipe || kind == .tcp && error.code == .connectionReset)
        server.shutDown()
    }

    @Test("An idle stream costs less than 700 bytes in two blocks of memory", arguments: Kind.allCases)
    func memory(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        typealias Measure = @convention(c) (UnsafeRawPointer?) -> Int
        let symbol = try #require(dlsym(nil, "malloc_usable_size"))
        let measure = unsafeBitCast(symbol, to: Measure.self)
        let object = measure(Unmanaged.passUnretained(stream).toOpaque())
        let handle = measure(handleMemory(of: stream))
        #expect(object > 0 && handle >= uv_handle_size(kind == .tcp ? UV_TCP : UV_NAMED_PIPE))
        #expect(object + handle < 450, "object \(object), handle \(handle)")
        withExtendedLifetime(peer) { server.shutDown() }
    }
}
