import CallState
import Foundation
import Rollcall
import RollcallProtocol

/// A connection without a client behind it, for what no client does.
///
/// Its calls wait for the other end, a minute at most.
final class BareSocket {
    /// A call of the system that failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ function: String) { description = "\(function): \(String(cString: strerror(errno)))" }
    }

    private let descriptor: Int32
    private var isOpen = true
    private var splitter = FrameSplitter(maximumFrameLength: 1 << 24)
    private var frames: [ServerFrame] = []

    /// Connects.
    ///
    /// - Parameter buffer: Size of the receive buffer; nil is the system's own.
    init(_ address: Address, buffer: Int32? = nil) throws {
        switch address {
        case .unix(let path):
            descriptor = socket(AF_UNIX, BareSocket.stream, 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            try connect(&name)
        case .tcp(let host, let port):
            descriptor = socket(AF_INET, BareSocket.stream, 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = inet_addr(host)
            if var buffer {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
            }
            try connect(&name)
        }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    private static var stream: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    private func connect<Name>(_ name: inout Name) throws {
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
            }
        }
        if result < 0 { throw Failure("connect") }
    }

    // MARK: Sending

    /// Sends all of the bytes; false when the other end does not take them any more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends frames in one piece.
    @discardableResult
    func send(_ frames: ClientFrame...) -> Bool {
        send(frames.flatMap(\.bytes))
    }

    /// Sends the preface and Hello.
    func greet() {
        send(FrameSplitter.preface + ClientFrame.greeting.bytes)
    }

    /// Ends the own side; the other can go on.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: Receiving

    /// The next frame; nil at the end of the stream, in good order or not.
    func receive() throws -> ServerFrame? {
        while frames.isEmpty {
            var chunk = [UInt8](repeating: 0, count: 64 * 1024)
            let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0, errno == EAGAIN { throw Failure("recv") }
            if count <= 0 { return nil }
            var broken: WireError?
            try splitter.feed(chunk.span.extracting(0..<count)) { frame in
                do throws(WireError) { frames.append(try ServerFrame.decode(frame)) } catch { broken = error }
                return .proceed
            }
            if let broken { throw broken }
        }
        return frames.removeFirst()
    }

    /// Joins, and waits until the copy is complete.
    func join(_ session: ByteString, _ uid: ByteString, mode: JoinMode = .participant) throws {
        greet()
        send(.joining(session, uid, mode: mode))
        while let frame = try receive() {
            if case .part(let part) = frame, part.end != nil { return }
        }
        throw Ended()
    }

    /// Waits for Welcome.
    func welcome() throws {
        while let frame = try receive() {
            if case .welcome = frame { return }
        }
        throw Ended()
    }

    /// Waits for Closed; nil when the stream ends without it.
    func closed() throws -> Refusal? {
        while let frame = try receive() {
            if case .closed(let refusal) = frame { return refusal }
        }
        return nil
    }

    /// The stream has ended too early.
    struct Ended: Error {}

    // MARK: Closing

    /// Closes with a reset (TCP), as a crash of the machine's network would.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
        close()
    }

    func close() {
        if isOpen { Foundation.close(descriptor) }
        isOpen = false
    }
}

extension ClientFrame {
    /// A Hello.
    static let greeting = ClientFrame.hello(Hello(clientName: "bare", instance: ClientOptions.processInstance))

    /// A Join of one device.
    static func joining(_ session: ByteString, _ uid: ByteString, mode: JoinMode = .participant) -> ClientFrame {
        var join = Join(session: session, uid: uid, device: mode == .observer ? .empty : "bare")
        join.mode = mode
        return .join(join)
    }

    /// The frame with its length.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }
}
