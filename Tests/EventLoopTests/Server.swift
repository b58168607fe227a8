import Addresses
import EventLoop
import Glibc
import Testing

/// A loop with listeners whose behaviour is given as closures, and a record of everything that was told.
final class Server: ListenerDelegate, StreamDelegate {
    let loop: EventLoop
    private(set) var listeners: [Listener] = []
    private(set) var streams: [Stream] = []
    private(set) var received: [Int: [UInt8]] = [:]
    private(set) var drained: [Int: Int] = [:]
    private(set) var causes: [Int: [CloseCause]] = [:]
    private(set) var acceptErrors: [UVError] = []
    private(set) var refused = 0
    private(set) var listenersClosed = 0

    var starts = true
    var onAccept: (Stream) -> Void = { _ in }
    var onRead: (Stream, UnsafeRawBufferPointer) -> Void = { _, _ in }
    var onDrain: (Stream) -> Void = { _ in }
    var onClose: (Stream) -> Void = { _ in }

    init() throws {
        ProcessSettings.ignoreWriteSignals()
        loop = try EventLoop()
    }

    @discardableResult
    func listen(_ address: Address, access: SocketFileAccess = SocketFileAccess()) throws -> Listener {
        let listener = try Listener(loop: loop, address: address, access: access, delegate: self)
        listeners.append(listener)
        return listener
    }

    /// Turns the loop, without waiting in it, until `condition` holds.
    ///
    /// Gives up after long, with a failure.
    func turn(
        _ what: Comment,
        sourceLocation: SourceLocation = #_sourceLocation,
        until condition: () -> Bool
    ) {
        let limit = EventLoop.wallClock() + 30_000
        while !condition() {
            loop.runOnce(waiting: false)
            if EventLoop.wallClock() > limit {
                Issue.record("gave up waiting: \(what)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    /// Connects a peer and waits for its stream, whose tag is its place in `streams`.
    func connect(to listener: Listener? = nil) -> (peer: Peer, stream: Stream) {
        let before = streams.count
        let peer = Peer(to: (listener ?? listeners[0]).boundAddress)
        turn("a connection") { streams.count > before }
        return (peer, streams[before])
    }

    /// Closes everything and breaks the cycles of the test's closures.
    func shutDown() {
        loop.shutDown()
        onAccept = { _ in }
        onRead = { _, _ in }
        onDrain = { _ in }
        onClose = { _ in }
    }

    func listener(_ listener: Listener, didAccept stream: Stream) {
        let tag = streams.count
        streams.append(stream)
        if starts { stream.start(delegate: self, tag: tag) }
        onAccept(stream)
    }

    func listener(_ listener: Listener, failedToAccept error: UVError, refused: Int) {
        acceptErrors.append(error)
        self.refused += refused
    }

    func listenerDidClose(_ listener: Listener) { listenersClosed += 1 }

    func stream(_ stream: Stream, didRead bytes: UnsafeRawBufferPointer) {
        received[stream.tag, default: []].append(contentsOf: bytes)
        onRead(stream, bytes)
    }

    func streamDidDrain(_ stream: Stream) {
        drained[stream.tag, default: 0] += 1
        onDrain(stream)
    }

    func stream(_ stream: Stream, didCloseBecause cause: CloseCause) {
        causes[stream.tag, default: []].append(cause)
        onClose(stream)
    }
}

/// Both kinds of listener, as test arguments.
enum Kind: CaseIterable {
    case tcp, unix

    func address(in directory: Directory) -> Address {
        switch self {
        case .tcp: .tcp(host: "127.0.0.1", port: 0)
        case .unix: .unix(path: directory.path + "/s")
        }
    }
}

/// A directory of its own for a test, removed with what is in it.
final class Directory {
    let path: String

    init() {
        var template = Array("/tmp/eventloop-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    func exists(_ name: String) -> Bool { access(path + "/" + name, F_OK) == 0 }

    deinit {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink(path + "/" + name)
            }
            closedir(directory)
        }
        rmdir(path)
    }
}

extension Stream {
    func write(_ bytes: [UInt8]) -> WriteResult { bytes.withUnsafeBytes { write($0) } }
}
