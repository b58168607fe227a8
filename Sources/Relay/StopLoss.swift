/// What a relay that has stopped by plan could not keep.
public enum StopLoss: Hashable, Sendable {
    /// Of so many calls the store does not have everything.
    case calls(Int)
    /// The store had everything and has not closed in so many ms.
    case slow(UInt64)
}

/// The end of a relay that could not keep everything.
struct UnkeptError: Error, CustomStringConvertible {
    let loss: StopLoss
    /// The file of the store.
    let path: String

    /// What is missing, where, and what follows from it.
    var description: String {
        switch loss {
        case .calls(let count):
            let calls = count == 1 ? "1 call is" : "\(count) calls are"
            return """
                stopped, but \(calls) not kept in \(path) as \(count == 1 ? "it was" : "they were").
                  The log tells why (store-unavailable, not-kept); the next relay goes on with what is kept.
                """
        case .slow(let time):
            return
                "stopped, but the store in \(path) has not closed in \(time) ms: what was told last may not be on the disk"
        }
    }
}
