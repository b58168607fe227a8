import EventLoop
import Glibc
import Testing

@Suite("Writing shared pages")
struct SharedPagesTests {
    let directory = Directory()

    /// So many that the last three are written pages.
    private static let count = SharedPages.copies + 3

    /// A server with ``count`` connections.
    private func connected(_ kind: Kind = .unix) throws -> (Server, [(peer: Peer, stream: Stream)]) {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        return (server, (0..<Self.count).map { _ in server.connect() })
    }

    private static func write(_ bytes: [UInt8], to stream: Stream, through pages: SharedPages) -> WriteResult {
        bytes.withUnsafeBytes { stream.write(shared: $0, through: pages) }
    }

    @Test(
        "Bytes arrive the same through pages as through copies, whatever their length",
        arguments: [1, SharedPages.least - 1, SharedPages.least, 20_701, 65_537, SharedPages.most, 1 << 20 | 1],
        Kind.allCases
    )
    func lengths(_ count: Int, _ kind: Kind) throws {
        let (server, connections) = try connected(kind)
        let pages = SharedPages()
        let bytes = WriteTests.pattern(count, 3)
        var isHolding: [Bool] = []
        bytes.withUnsafeBytes { bytes in
            for connection in connections {
                let result = connection.stream.write(shared: bytes, through: pages)
                #expect(result == .sent || (result == .inFlight && count > 65_537))
                isHolding.append(pages.isHolding)
            }
        }
        let sharing = SharedPages.least...SharedPages.most
        let isShared = sharing.contains(count) && kind == .unix
        #expect(isHolding == (0..<Self.count).map { isShared && $0 >= SharedPages.copies })
        pages.forget()
        #expect(!pages.isHolding)
        var back = [[UInt8]](repeating: [], count: Self.count)
        server.turn("all of it") {
            for index in back.indices { back[index] += connections[index].peer.receive(atMost: 1 << 20) }
            return back.allSatisfy { $0.count == count }
        }
        for back in back { #expect(WriteTests.same(back, bytes)) }
        server.shutDown()
    }

    @Test("Who reads late gets every turn's bytes as they were, though later ones were at the same place")
    func lateReader() throws {
        let (server, connections) = try connected()
        let pages = SharedPages()
        let count = 3 * 4_096 + 77
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { place.deallocate() }
        let last = Self.count - 1
        var written = [[UInt8]](repeating: [], count: Self.count)
        var back = written
        var turns = 0
        // The last one does not read before its socket is full.
        while !connections[last].stream.isWriting {
            let bytes = WriteTests.pattern(count, turns)
            place.copyBytes(from: bytes)
            for (index, connection) in connections.enumerated() {
                let result = connection.stream.write(shared: UnsafeRawBufferPointer(place), through: pages)
                #expect(result == .sent || (result == .inFlight && index == last))
                written[index] += bytes
            }
            #expect(pages.isHolding)
            pages.forget()
            place.copyBytes(from: [UInt8](repeating: 0xff, count: count))
            for index in 0..<last { back[index] += connections[index].peer.receive() }
            turns += 1
        }
        #expect(turns > 5)
        server.turn("all of it") {
            for (index, connection) in connections.enumerated() { back[index] += connection.peer.receive() }
            return back.map(\.count) == written.map(\.count)
        }
        for (back, written) in zip(back, written) { #expect(WriteTests.same(back, written)) }
        server.shutDown()
    }

    @Test("A run takes the place of another one in fresh pages")
    func twoRuns() throws {
        let (server, connections) = try connected()
        let pages = SharedPages()
        let runs = [WriteTests.pattern(9_000, 1), WriteTests.pattern(30_000, 2), WriteTests.pattern(9_000, 3)]
        for run in runs {
            for connection in connections {
                #expect(Self.write(run, to: connection.stream, through: pages) == .sent)
            }
            #expect(pages.isHolding)
        }
        // Where each stream is offered another run than the one before, nothing is worth pages.
        for connection in connections {
            for run in runs { #expect(Self.write(run, to: connection.stream, through: pages) == .sent) }
            #expect(!pages.isHolding)
        }
        let whole = runs.flatMap(\.self) + runs.flatMap(\.self)
        for connection in connections {
            var back: [UInt8] = []
            server.turn("all runs") {
                back += connection.peer.receive()
                return back.count == whole.count
            }
            #expect(WriteTests.same(back, whole))
        }
        server.shutDown()
    }

    @Test("A peer that has gone is an error of its stream, and the others go on")
    func goneAway() throws {
        let (server, connections) = try connected()
        let pages = SharedPages()
        let bytes = WriteTests.pattern(20_000)
        let gone = SharedPages.copies + 1
        connections[gone].peer.close()
        bytes.withUnsafeBytes { bytes in
            for (index, connection) in connections.enumerated() {
                #expect(connection.stream.write(shared: bytes, through: pages) == (index == gone ? .closed : .sent))
                #expect(pages.isHolding == (index >= SharedPages.copies))
            }
        }
        server.turn("the end") { server.causes[gone] != nil }
        guard case .failed(let error)? = server.causes[gone]?.first else {
            Issue.record("closed because of \(server.causes)")
            return
        }
        #expect(error.name == "EPIPE")
        #expect(WriteTests.same(connections[gone + 1].peer.receive(), bytes))
        server.shutDown()
    }

    @Test("A stream with a write in flight is busy, and one that was finished is closed")
    func busy() throws {
        let (server, connections) = try connected()
        let pages = SharedPages()
        let bytes = WriteTests.pattern(SharedPages.most)
        bytes.withUnsafeBytes { bytes in
            for connection in connections { _ = connection.stream.write(shared: bytes, through: pages) }
            #expect(pages.isHolding)
            let last = connections[Self.count - 1].stream
            #expect(last.isWriting)
            #expect(last.write(shared: bytes, through: pages) == .busy)
            last.finish()
            #expect(last.write(shared: bytes, through: pages) == .closed)
        }
        server.shutDown()
    }

    @Test("A file that gives no pages is given up, and all is copied")
    func refusedFile() throws {
        let (server, connections) = try connected()
        // It can be written, but not read.
        let file = open(directory.path + "/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(file >= 0)
        var opened = stat()
        #expect(fstat(file, &opened) == 0)
        let pages = pagesInFile(file)
        let bytes = WriteTests.pattern(20_000)
        for _ in 0..<2 {
            bytes.withUnsafeBytes { bytes in
                for connection in connections {
                    #expect(connection.stream.write(shared: bytes, through: pages) == .sent)
                }
            }
            #expect(!pages.isHolding)
            for connection in connections { #expect(WriteTests.same(connection.peer.receive(), bytes)) }
        }
        // It is closed; its number may be another test's by now.
        var now = stat()
        #expect(fstat(file, &now) < 0 || now.st_ino != opened.st_ino || now.st_dev != opened.st_dev)
        server.shutDown()
    }

    @Test("Where a broken pipe or a file that is too long would end the process there are no pages, and all is copied")
    func refusedProcess() async {
        await #expect(processExitsWith: .success) {
            try SharedPagesTests().expectCopies { signal(SIGPIPE, SIG_DFL) }
            try SharedPagesTests().expectCopies { signal(SIGXFSZ, SIG_DFL) }
        }
    }

    @Test("Where files may no longer be as long as the bytes, from the start or later, all is copied")
    func limitedProcess() async {
        await #expect(processExitsWith: .success) {
            let (server, connections) = try SharedPagesTests().connected()
            let pages = SharedPages()
            let bytes = WriteTests.pattern(20_000)
            func writeToAll() {
                for connection in connections {
                    precondition(SharedPagesTests.write(bytes, to: connection.stream, through: pages) == .sent)
                    precondition(WriteTests.same(connection.peer.receive(), bytes))
                }
            }
            writeToAll()
            precondition(pages.isHolding)
            pages.forget()
            let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var before = rlimit()
            getrlimit(kind, &before)
            func limitFiles() {
                var limit = before
                limit.rlim_cur = 4_096
                setrlimit(kind, &limit)
            }
            limitFiles()
            writeToAll()
            precondition(!pages.isHolding)
            server.shutDown()
            setrlimit(kind, &before)
            try SharedPagesTests().expectCopies(after: limitFiles)
            // What the process writes at its end, as a profile of what ran, has its room again.
            setrlimit(kind, &before)
        }
    }

    /// Ends the process unless bytes get through without pages after `change`.
    private func expectCopies(after change: () -> Void) throws {
        let (server, connections) = try connected()
        change()
        let pages = SharedPages()
        let bytes = WriteTests.pattern(20_000)
        for connection in connections {
            precondition(Self.write(bytes, to: connection.stream, through: pages) == .sent)
            precondition(!pages.isHolding)
            precondition(WriteTests.same(connection.peer.receive(), bytes))
        }
        server.shutDown()
    }
}
