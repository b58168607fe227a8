import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

// What clients have been told.
extension World {
    func replica(_ client: Int) -> Replica { links[client].replica }

    func state(_ client: Int) -> CallState { links[client].replica.state }

    func joined(_ client: Int) -> Joined {
        guard let joined = links[client].replica.joined else {
            Issue.record("client \(client) has not joined: \(String(describing: links[client].replica.closed))")
            return Joined()
        }
        return joined
    }

    func closed(_ client: Int) -> Code? { links[client].replica.closed?.code }

    func person(_ uid: String, as client: Int) -> Person? { state(client).person(uid: ByteString(uid)) }

    func device(_ uid: String, _ device: String = "laptop", as client: Int) -> Device? {
        person(uid, as: client)?.devices.first { $0.id == ByteString(device) }
    }

    /// Nothing that a healthy relay never does has been seen by any client.
    func expectHealthy(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(store.complaints.isEmpty, sourceLocation: sourceLocation)
        for (client, link) in links.enumerated() {
            #expect(link.replica.complaints.isEmpty, "client \(client)", sourceLocation: sourceLocation)
            #expect(link.replica.earlyAcks.isEmpty, "client \(client)", sourceLocation: sourceLocation)
        }
    }

    /// All these clients have the same copy.
    func expectEqual(_ clients: [Int], sourceLocation: SourceLocation = #_sourceLocation) {
        for client in clients {
            #expect(
                state(client).position == state(clients[0]).position,
                "client \(client)",
                sourceLocation: sourceLocation
            )
            #expect(
                state(client).digest == state(clients[0]).digest,
                "client \(client)",
                sourceLocation: sourceLocation
            )
        }
        expectHealthy(sourceLocation: sourceLocation)
    }
}

extension Replica {
    /// What a client resumes with.
    func resume(secret: [UInt8]? = nil) -> Resume {
        Resume(secret: secret ?? joined?.secret ?? [], position: position, digest: state.digest)
    }
}
