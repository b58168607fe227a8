import Addresses
import EventLoop
import Glibc
import Testing

@Suite("Writing to a stream")
struct WriteTests {
    let directory = Directory()

    /// A run whose length is prime, so that a piece lost, doubled or moved shows.
    private static let run = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8) &* 17) }

    /// `count` bytes that differ from those a power of two further on.
    static func pattern(_ count: Int, _ seed: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + run.count)
        bytes += run[seed...]
        while bytes.count < count { bytes += run }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Equality at the speed of the C library: the tests run without optimisation.
    static func same(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && (one.isEmpty || memcmp(one, other, one.count) == 0)
    }

    @Test("8 MiB to a slow reader arrive whole and in order", arguments: Kind.allCases)
    func backPressure(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        let bytes = Self.pattern(8 << 20)
        // Uneven pieces, the next one whenever the stream takes it.
        var offset = 0
        var busy = 0
        func writeOn() {
            while offset < bytes.count {
                let end = min(bytes.count, offset + 300_007)
                let result = stream.write(Array(bytes[offset..<end]))
                switch result {
                case .sent, .inFlight:
                    #expect(stream.isWriting == (result == .inFlight))
                    offset = end
                    if result == .sent { continue }
                    #expect(stream.inFlightBytes > 0)
                    #expect(stream.unsentBytes >= stream.inFlightBytes)
                    #expect(stream.write([0]) == .busy)
                    busy += 1
                    return
                case .busy, .closed:
                    Issue.record("unexpected result: \(result)")
                    return
                }
            }
        }
        server.onDrain = { drained in
            #expect(!drained.isWriting)
            #expect(drained.inFlightBytes == 0)
            writeOn()
        }
        writeOn()
        var back: [UInt8] = []
        back.reserveCapacity(bytes.count)
        server.turn("8 MiB") {
            back += peer.receive(atMost: 50_021)
            return back.count == bytes.count
        }
        #expect(Self.same(back, bytes))
        #expect(busy > 0)
        server.turn("the last drain") { server.drained[0] == busy }
        server.shutDown()
        #expect(server.causes[0] == [.closedHere])
    }

    @Test(
        "Two pieces arrive as one, wherever the kernel cuts them",
        arguments: [(3, 5), (0, 4), (4, 0), (9, 4 << 20), (4 << 20, 9), (3 << 20, 3 << 20)],
        Kind.allCases
    )
    func gather(_ counts: (Int, Int), _ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        let first = Self.pattern(counts.0)
        let second = Self.pattern(counts.1, 1)
        let result = first.withUnsafeBytes { first in second.withUnsafeBytes { stream.write(first, then: $0) } }
        #expect(result == (counts.0 + counts.1 > 1 << 20 ? .inFlight : .sent))
        var back: [UInt8] = []
        server.turn("both pieces") {
            back += peer.receive(atMost: 1 << 20)
            return back.count == counts.0 + counts.1
        }
        #expect(Self.same(back, first + second))
        server.shutDown()
    }

    @Test(
        "What the kernel does not take of bytes that can be written again is kept in a small part and left for the rest",
        arguments: [(5, 4 << 20, 0), (40_000, 4 << 20, 3_000), (0, 4 << 20, 1), (4 << 20, 9, 2_000), (9, 9, 4 << 20)],
        Kind.allCases
    )
    func leave(_ counts: (Int, Int, Int), _ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        let first = Self.pattern(counts.0)
        let second = Self.pattern(counts.1, 1)
        let third = Self.pattern(counts.2, 2)
        var written = 0
        var own = first
        var leaves = 0
        func writeOn() {
            while !stream.isWriting, written < second.count {
                var left = 0
                let rest = second[written...]
                let result = own.withUnsafeBytes { own in
                    rest.withUnsafeBytes { rest in
                        third.withUnsafeBytes { stream.write(own, then: rest, then: $0, leaving: &left) }
                    }
                }
                #expect(result == .inFlight || left == 0)
                // Of the first piece nothing is left, and of the third all or nothing.
                let mostKept = max(own.count, Stream.mostKept) + (left > 0 ? 0 : third.count)
                #expect(left <= rest.count && stream.inFlightBytes <= mostKept)
                if left > 0 { leaves += 1 }
                own = []
                written = second.count - left
            }
        }
        var back: [UInt8] = []
        server.turn("all of them") {
            writeOn()
            back += peer.receive(atMost: 1 << 20)
            return back.count == counts.0 + counts.1 + counts.2
        }
        #expect(Self.same(back, first + second + third))
        #expect(leaves > 0 || counts.1 == 9)
        server.shutDown()
    }

    @Test("Writing nothing is done at once")
    func nothing() throws {
        let server = try Server()
        try server.listen(Kind.unix.address(in: directory))
        let (peer, stream) = server.connect()
        #expect(stream.write([]) == .sent)
        #expect(!stream.isWriting)
        withExtendedLifetime(peer) { server.shutDown() }
    }

    @Test("Unsent bytes go down as the peer reads, to nothing", arguments: Kind.allCases)
    func progress(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        #expect(stream.unsentBytes == 0)
        #expect(stream.write(Self.pattern(6 << 20)) == .inFlight)
        let atStart = stream.unsentBytes
        #expect(atStart > 1 << 20)
        var count = 0
        server.turn("half of it") {
            count += peer.receive(atMost: 1 << 20).count
            return count >= 3 << 20
        }
        #expect(stream.unsentBytes < atStart)
        server.turn("all of it") {
            count += peer.receive(atMost: 1 << 20).count
            return count == 6 << 20 && stream.unsentBytes == 0
        }
        #expect(server.drained[0] == 1)
        server.shutDown()
        #expect(stream.unsentBytes == 0)
    }

    @Test("A limit on unsent bytes makes a slow peer show sooner", arguments: Kind.allCases)
    func limit(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        func takenUntilFull(_ stream: Stream) -> Int {
            let piece = Self.pattern(4096)
            var count = 0
            while stream.write(piece) == .sent { count += piece.count }
            return count
        }
        let (freePeer, free) = server.connect()
        let (boundPeer, bound) = server.connect()
        try bound.limitUnsentBytes(16 * 1024)
        let unlimited = takenUntilFull(free)
        let limited = takenUntilFull(bound)
        // Bytes on their way to a TCP peer do not count, so there the limit shows only once its window is full.
        if kind == .unix { #expect(limited < unlimited / 2) } else { #expect(limited <= unlimited) }
        bound.close()
        server.turn("the end") { server.causes[1] != nil }
        #expect { try bound.limitUnsentBytes(1) } throws: { ($0 as? UVError)?.name == "EBADF" }
        withExtendedLifetime((freePeer, boundPeer)) { server.shutDown() }
    }

    @Test("Over TCP many small writes are bounded as one large one is: the kernel must not gather them without end")
    func smallWrites() throws {
        let server = try Server()
        try server.listen(Kind.tcp.address(in: directory))
        let (peer, stream) = server.connect()
        let limit = 4 * 1024
        try stream.limitUnsentBytes(limit)
        let piece = Self.pattern(50)
        var taken = 0
        // The peer does not read: in the end all that it has not got is in the kernel here, unsent.
        server.turn("nothing on its way") {
            while !stream.isWriting {
                _ = stream.write(piece)
                taken += piece.count
            }
            return stream.unsentBytes > limit / 2 && peer.waiting + stream.unsentBytes == taken
        }
        #expect(stream.unsentBytes <= limit + 2 * 1024 + 2 * piece.count)
        server.shutDown()
    }

    @Test("What is on its way to a slow TCP peer is bounded to what it takes, and is not any more when that ends")
    func pace() throws {
        let server = try Server()
        try server.listen(Kind.tcp.address(in: directory))
        let (peer, stream) = server.connect()
        let least = 4 * 1024
        let bound = stream.boundToPace(0)
        #if os(Linux)
            #expect(bound == least)
        #endif
        func taken() -> Int {
            let piece = Self.pattern(1024)
            var count = 0
            while stream.write(piece) == .sent { count += piece.count }
            return count
        }
        // In what the peer's window holds and the little that may wait.
        let few = taken()
        stream.unbound()
        server.turn("the write in flight") { !stream.isWriting }
        let more = taken()
        if bound != nil { #expect(few < more) }
        withExtendedLifetime(peer) { server.shutDown() }
    }

    @Test("A UNIX stream knows no pace, and bounding it changes nothing")
    func paceOfUNIX() throws {
        let server = try Server()
        try server.listen(Kind.unix.address(in: directory))
        let (peer, stream) = server.connect()
        #expect(stream.boundToPace(500) == nil)
        stream.unbound()
        #expect(stream.write([1, 2, 3]) == .sent)
        server.turn("three bytes") { peer.receive().count == 3 }
        server.shutDown()
    }

    @Test(
        "After finish the peer has every byte, then the end; what it still sends is dropped",
        arguments: Kind.allCases
    )
    func finish(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        stream.pauseReading()
        let bytes = Self.pattern(4 << 20)
        #expect(stream.write(bytes) == .inFlight)
        #expect(peer.send(Self.pattern(20_000)) > 0)
        stream.finish()
        stream.finish()
        stream.pauseReading()
        #expect(stream.write([1]) == .closed)
        #expect(!stream.isClosing)
        var back: [UInt8] = []
        server.turn("all and the end") {
            back += peer.receive(atMost: 1 << 20)
            return peer.isAtEnd
        }
        #expect(Self.same(back, bytes))
        #expect(server.causes.isEmpty)
        peer.close()
        server.turn("the end") { server.causes[0] != nil }
        #expect(server.causes[0] == [.endOfStream])
        #expect(server.received.isEmpty)
        #expect(server.drained.isEmpty)
        server.shutDown()
    }

    @Test(
        "A finished stream whose peer goes on sending is closed after a bounded number of bytes",
        arguments: Kind.allCases
    )
    func finishThenFlood(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        stream.finish()
        var sent = 0
        server.turn("the end") {
            sent += max(0, peer.send(Self.pattern(64 * 1024)))
            return server.causes[0] != nil || sent >= 16 << 20
        }
        #expect(server.causes[0] == [.closedHere])
        // What was dropped, one read more, and what the kernel held.
        #expect(sent > 256 * 1024)
        #expect(sent < 16 << 20)
        #expect(server.received.isEmpty)
        withExtendedLifetime(peer) { server.shutDown() }
    }

    @Test("A finished stream whose peer does not answer can be closed", arguments: Kind.allCases)
    func finishThenClose(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        #expect(stream.write(Self.pattern(4 << 20)) == .inFlight)
        stream.finish()
        for _ in 0..<10 { server.loop.runOnce(waiting: false) }
        stream.close()
        stream.finish()
        server.turn("the end") { server.causes[0] != nil }
        #expect(server.causes[0] == [.closedHere])
        withExtendedLifetime(peer) { server.shutDown() }
    }
}
