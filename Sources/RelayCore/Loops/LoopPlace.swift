public import CallState

/// The rule that gives each call to one of a relay's loops.
///
/// Nobody who does not know the key can choose session ids that all come to the same loop. Nothing depends on where a
/// call was before a restart.
public struct CallHomes: Hashable, Sendable {
    /// How many loops there are, at least 1.
    public let count: Int
    private let first: UInt64
    private let second: UInt64

    /// Homes in `count` loops, by a secret of two words.
    public init(count: Int, key first: UInt64, _ second: UInt64) {
        self.count = max(1, count)
        self.first = first
        self.second = second
    }

    /// The loop of a call, from 0.
    public func home(of session: ByteString) -> Int {
        if count == 1 { return 0 }
        return Int(KeyedHash.hash(session.bytes.span, key: first, second) % UInt64(count))
    }
}

/// Which of a relay's loops some rules are for.
public struct LoopPlace: Hashable, Sendable {
    /// Where each call is.
    public let homes: CallHomes
    /// The own loop, from 0.
    ///
    /// The first keeps the call logs of all.
    public let index: Int

    /// Loop `index` of those that share the calls by `homes`.
    public init(_ homes: CallHomes, index: Int) {
        self.homes = homes
        self.index = index
    }

    /// The only loop of a relay.
    public static let alone = LoopPlace(CallHomes(count: 1, key: 0, 0), index: 0)

    /// How many loops there are.
    var count: Int { homes.count }

    /// The other loops.
    var others: [Int] { (0..<count).filter { $0 != index } }

    /// What one loop may do of what all together may: of joins each sees its share, since connections are spread.
    func share(of rate: Rate) -> Rate {
        guard count > 1 else { return rate }
        return Rate(perSecond: (rate.perSecond + count - 1) / count, burst: (rate.burst + count - 1) / count)
    }
}
