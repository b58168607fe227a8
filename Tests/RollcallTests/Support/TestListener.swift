import Foundation
import RollcallProtocol
import Synchronization

@testable import Rollcall

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A socket that listens, and what it accepts; blocking, for the threads of tests.
struct TestListener {
    let descriptor: Int32
    let address: Address

    static func unix() throws -> TestListener {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("rc-\(UInt32.random(in: .min ... .max)).sock").path
        guard let address = SocketAddress(path: path) else { throw Missing("a short temporary directory") }
        return try listen(on: address, named: .unix(path))
    }

    static func tcp() throws -> TestListener {
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: 0, isNumeric: true)[0]
        return try listen(on: address, named: nil)
    }

    private static func listen(on address: SocketAddress, named name: Address?) throws -> TestListener {
        let descriptor = Platform.makeSocket(family: address.family)
        let bound = address.bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard descriptor >= 0, bound == 0, Foundation.listen(descriptor, 128) == 0 else {
            throw Missing("a socket that listens: \(errno)")
        }
        if let name { return TestListener(descriptor: descriptor, address: name) }
        var actual = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &actual) { bytes in
            _ = bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &size) }
        }
        return TestListener(descriptor: descriptor, address: .tcp("127.0.0.1", UInt16(bigEndian: actual.sin_port)))
    }

    /// Accepts one connection; waits for it.
    func accept() -> TestPeer? {
        guard isReady(descriptor) else { return nil }
        let accepted = Foundation.accept(descriptor, nil, nil)
        if accepted < 0 { return nil }
        _ = Platform.makeQuiet(accepted)
        return TestPeer(descriptor: accepted)
    }

    func close() {
        Platform.closeDescriptor(descriptor)
        if case .unix(let path) = address { unlink(path) }
    }
}

/// Waits until a descriptor can be read; false after ten seconds, when a test has failed anyway.
private func isReady(_ descriptor: Int32, _ events: Int32 = Int32(POLLIN)) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&entry, 1, 10_000) > 0
}

/// The relay's end of a connection.
final class TestPeer: Sendable {
    let descriptor: Int32
    private let state: Mutex<(splitter: FrameSplitter, frames: [ClientFrame])>

    init(descriptor: Int32) {
        self.descriptor = descriptor
        state = Mutex((FrameSplitter(maximumFrameLength: 65_536, expectsPreface: true), []))
    }

    /// The next frame of the client; nil at the end.
    func receive() -> ClientFrame? {
        state.withLock { state in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while state.frames.isEmpty {
                guard isReady(descriptor) else { return nil }
                let count = buffer.withUnsafeMutableBytes { Platform.receive(descriptor, into: $0) }
                if count <= 0 { return nil }
                let bytes = Array(buffer[0..<count])
                var frames: [ClientFrame] = []
                _ = try? state.splitter.feed(bytes.span) { frame in
                    if let frame = try? ClientFrame.decode(frame) { frames.append(frame) }
                    return .proceed
                }
                state.frames += frames
            }
            return state.frames.removeFirst()
        }
    }

    func send(_ frames: ServerFrame...) {
        send(frames)
    }

    func send(_ frames: [ServerFrame]) {
        var bytes: [UInt8] = []
        for frame in frames { frame.encode(into: &bytes) }
        send(bytes: bytes)
    }

    func send(bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Platform.send(descriptor, rest)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if !Platform.isTemporary(count) || !isReady(descriptor, Int32(POLLOUT)) {
                return
            }
        }
    }

    func close() {
        Platform.closeDescriptor(descriptor)
    }
}

/// Runs blocking work on a thread of its own, and waits for it without blocking a task's thread.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
