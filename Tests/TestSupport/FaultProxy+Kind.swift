package import Faults
import Processes
package import Rollcall

extension FaultProxy {
    /// What a proxy of a test stands between.
    package enum Kind: Sendable {
        /// Clients connect to a UNIX socket.
        case unix
        /// Clients connect to TCP on the loopback interface.
        case tcp
    }

    /// Begins to listen on a socket of its own, in front of the relay at `relay`.
    package convenience init(to relay: Address, _ kind: Kind = .unix) throws {
        let address: Address =
            switch kind {
            case .unix: .unix(Scratch.freshPath() + ".sock")
            case .tcp: .tcp("127.0.0.1", 0)
            }
        try self.init(listeningAt: address, to: relay)
    }
}
