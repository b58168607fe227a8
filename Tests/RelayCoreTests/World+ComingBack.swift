import CallState
import RollcallProtocol

extension World {
    /// The program of a client comes back on a connection of its own, with the copy and the secret that it has.
    mutating func comeBack(
        _ client: Int,
        as uid: String,
        attempt: UInt64,
        instance: String,
        _ change: (inout Join) -> Void = { _ in }
    ) -> Int {
        let new = greet(instance: instance)
        links[new].replica = Replica(copy: state(client))
        var join = Join(session: "standup", uid: ByteString(uid), device: "laptop")
        join.attempt = attempt
        join.resume = replica(client).resume()
        change(&join)
        send(new, .join(join))
        turn()
        return new
    }
}
