import CallState
public import EventLoop
import RelayCore
import RollcallProtocol

// Connections that come, what comes in on them, and their end.
extension RelayServer: ListenerDelegate {
    /// A connection has come in.
    public func listener(_ listener: Listener, didAccept stream: Stream) {
        welcome(stream, at: "\(listener.boundAddress)")
    }

    /// A connection is this loop's that was accepted at `address`.
    func welcome(_ stream: Stream, at address: @autoclosure () -> String) {
        let id = connections.insert(stream)
        stream.start(delegate: self, tag: Int(id.index))
        counters.accepted += 1
        let peer = Peer(isTrusted: ProcessIdentity.trusts(stream))
        log.line(.debug, "connected", [("connection", .number(id.number)), ("address", .text(address()))])
        apply(.opened(id, peer))
        // Who connects says Hello at once.
        stream.readAtOnce()
    }

    /// There are no descriptors left, or another shortage: told once a second at most.
    public func listener(_ listener: Listener, failedToAccept error: UVError, refused: Int) {
        counters.refused += UInt64(refused)
        refusedSinceWarning += UInt64(refused)
        let moment = UInt64(loop.now)
        if let last = lastAcceptWarning, moment < last + 1_000 { return }
        lastAcceptWarning = moment
        log.line(
            .warning,
            "accept-failed",
            [
                ("address", .text("\(listener.boundAddress)")), ("cause", .text("\(error)")),
                ("refused", .number(refusedSinceWarning)),
            ]
        )
        refusedSinceWarning = 0
    }

    /// A listener has closed.
    public func listenerDidClose(_ listener: Listener) {}
}

extension RelayServer: StreamDelegate {
    /// Bytes have come in.
    public func stream(_ stream: Stream, didRead bytes: UnsafeRawBufferPointer) {
        received(bytes, at: stream.tag)
        // A full buffer means that there is more. It waits, so that one busy peer takes no more of a turn than this.
        if bytes.count == EventLoop.readBufferSize {
            stream.pauseReading()
            throttled.append(connections.id(at: stream.tag))
        }
    }

    /// The write that was in flight is done.
    public func streamDidDrain(_ stream: Stream) {
        apply(.drained(connections.id(at: stream.tag)))
    }

    /// The stream has closed.
    public func stream(_ stream: Stream, didCloseBecause cause: CloseCause) {
        let id = connections.remove(at: stream.tag)
        if !suspended.isEmpty { suspended[id.index] = nil }
        log.line(.debug, "disconnected", [("connection", .number(id.number)), ("cause", .text(cause.words))])
        apply(.closed(id))
    }
}

extension RelayServer {
    /// Gives the rules every frame of what was read, until one of them ends the connection.
    func received(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        guard connections[index].isReadable else { return }
        counters.bytesIn += UInt64(bytes.count)
        decode(bytes, at: index)
    }

    /// Gives the rules the frames of bytes that were counted; those of a connection that is suspended meanwhile are
    /// kept from there on.
    func decode(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        guard connections[index].isReadable else { return }
        let id = connections.id(at: index)
        // Out of the table while it runs: the rules may close this very connection meanwhile.
        var splitter = connections.takeSplitter(at: index)
        let span = bytes.assumingMemoryBound(to: UInt8.self).span
        var endsFrame = false
        do throws(WireError) {
            let taken = try splitter.feed(span) { frame in
                endsFrame = true
                counters.framesIn += 1
                do throws(WireError) {
                    apply(.received(id, try ClientFrame.decode(frame)))
                } catch {
                    malformed(error, from: id)
                }
                return connections.isReadable(id) ? .proceed : .stop
            }
            if taken < bytes.count, suspended[id.index] != nil {
                suspended[id.index]!.append(contentsOf: bytes[taken...])
            }
        } catch {
            malformed(error, from: id)
        }
        connections.putBack(splitter, of: id)
        if !endsFrame, connections.isReadable(id) { apply(.heard(id)) }
    }

    func malformed(_ error: WireError, from id: ConnectionID) {
        connections[Int(id.index)].isReadable = false
        apply(.malformed(id, error))
    }
}

extension CloseCause {
    /// For the log.
    fileprivate var words: String {
        switch self {
        case .closedHere: "closed here"
        case .endOfStream: "end of stream"
        case .failed(let error): "\(error)"
        }
    }
}
