import CallState
import Foundation
import RelayCore
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

/// The relay's rules behind a real socket, on one thread: as little of a relay as the client's tests need.
final class SocketRelay: Sendable {
    let address: Address
    private let listener: TestListener
    private let wake: WakePipe
    private let orders = Mutex<[Order]>([])

    private enum Order {
        case stop
        /// Ends every connection without a word.
        case cutAll
    }

    init(_ listener: TestListener) throws {
        guard let wake = WakePipe() else { throw Missing("a pipe") }
        self.listener = listener
        self.wake = wake
        address = listener.address
        Thread {
            var server = Server(listener: listener, wake: wake)
            server.run(self)
        }.start()
    }

    func stop() {
        orders.withLock { $0.append(.stop) }
        wake.ring()
    }

    func cutAll() {
        orders.withLock { $0.append(.cutAll) }
        wake.ring()
    }

    fileprivate struct Server {
        struct Connection {
            let descriptor: Int32
            var splitter = FrameSplitter(maximumFrameLength: 65_536, expectsPreface: true)
            var unsent: [UInt8] = []
        }

        let listener: TestListener
        let wake: WakePipe
        var relay = RelayCore(configuration: RelayConfiguration(), random: JitterSource(seed: 5))
        var connections: [ConnectionID: Connection] = [:]
        var nextIndex: UInt32 = 0
        var epoch: UInt64 = 1_000

        init(listener: TestListener, wake: WakePipe) {
            self.listener = listener
            self.wake = wake
        }

        var now: Now { Now(monotonic: Platform.now, wall: UInt64(Date().timeIntervalSince1970 * 1_000)) }

        mutating func run(_ owner: SocketRelay) {
            var isRunning = true
            while isRunning {
                var list = [
                    pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                let ids = Array(connections.keys)
                for id in ids {
                    guard let connection = connections[id] else { continue }
                    let events = Int32(POLLIN) | (connection.unsent.isEmpty ? 0 : Int32(POLLOUT))
                    list.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
                }
                let deadline = relay.nextDeadline.map { $0 > Platform.now ? $0 - Platform.now : 0 } ?? 60_000
                _ = poll(&list, nfds_t(list.count), Int32(min(deadline, 60_000)))
                if list[0].revents != 0 { wake.drain() }
                let orders = owner.orders.withLock { orders in
                    defer { orders = [] }
                    return orders
                }
                for order in orders {
                    switch order {
                    case .stop: isRunning = false
                    case .cutAll: for id in ids { end(id) }
                    }
                }
                if list[1].revents != 0, let peer = listener.accept() {
                    let id = ConnectionID(index: nextIndex, generation: 1)
                    nextIndex += 1
                    connections[id] = Connection(descriptor: peer.descriptor)
                    apply(.opened(id, Peer(isTrusted: true)))
                }
                for (place, id) in ids.enumerated() where list[place + 2].revents != 0 {
                    if connections[id] != nil { read(id) }
                    if let connection = connections[id], !connection.unsent.isEmpty { write(id) }
                }
                apply(.tick)
                var effects: [Effect] = []
                relay.endTurn(at: now, into: &effects)
                perform(effects)
                while let id = relay.nextOutput() { takeOutput(of: id) }
            }
            for connection in connections.values { Platform.closeDescriptor(connection.descriptor) }
            listener.close()
            wake.close()
        }

        mutating func apply(_ input: Input) {
            var effects: [Effect] = []
            relay.apply(input, at: now, into: &effects)
            perform(effects)
        }

        mutating func perform(_ effects: [Effect]) {
            for effect in effects {
                switch effect {
                case .claim(let session):
                    epoch += 1
                    apply(.store(.claimed(session: session, .init(epoch: epoch))))
                case .close(let id): end(id)
                case .reportProgress(let id): apply(.progress(id, unsent: connections[id]?.unsent.count ?? 0))
                case .pauseReading, .resumeReading, .limitUnsent, .append, .release, .loop, .log, .stopped: continue
                }
            }
        }

        mutating func takeOutput(of id: ConnectionID) {
            var bytes: [UInt8] = []
            var effects: [Effect] = []
            relay.takeOutput(of: id, at: now, into: &effects, room: .max) { span in
                for index in span.indices { bytes.append(span[index]) }
            }
            connections[id]?.unsent += bytes
            write(id)
            perform(effects)
        }

        mutating func read(_ id: ConnectionID) {
            guard let descriptor = connections[id]?.descriptor else { return }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = buffer.withUnsafeMutableBytes { Platform.receive(descriptor, into: $0) }
            if count <= 0 { return Platform.isTemporary(count) ? () : end(id) }
            let bytes = Array(buffer[0..<count])
            var frames: [ClientFrame] = []
            _ = try? connections[id]?.splitter.feed(bytes.span) { frame in
                if let frame = try? ClientFrame.decode(frame) { frames.append(frame) }
                return .proceed
            }
            for frame in frames { apply(.received(id, frame)) }
        }

        mutating func write(_ id: ConnectionID) {
            guard let connection = connections[id], !connection.unsent.isEmpty else { return }
            let count = Platform.send(connection.descriptor, connection.unsent[...])
            if count > 0 { connections[id]?.unsent.removeFirst(count) }
        }

        mutating func end(_ id: ConnectionID) {
            guard let connection = connections.removeValue(forKey: id) else { return }
            Platform.closeDescriptor(connection.descriptor)
            apply(.closed(id))
        }
    }
}
