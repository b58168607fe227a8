
/// The relay's rules as a value: inputs in, effects out; time and randomness are parameters.
///
/// Contract:
/// 1. Deterministic: equal state, equal input, equal time give equal effects in equal order.
/// 2. Total: every input is legal at any time; an impossible one is ignored or refused, never a trap.
/// 3. Every change of a call's state raises its position by exactly one.
/// 4. Effects describe what is already so.
/// 5. The work is proportional to the parties touched, never to all calls.
/// 6. Time never goes back: an earlier `now` counts as the latest one seen.
///
/// The owner's loop: `apply` for each input of a turn, then `endTurn`, then `takeOutput` for every connection that an
/// `output` effect named, then sleep until `nextDeadline`.
public struct RelayCore {
    /// Rules with `configuration`, drawing secrets and jitter from `random`.
    public init(configuration: RelayConfiguration, random: any RandomNumberGenerator) { fatalError("pending") }

    /// Takes one input of the running turn.
    public mutating func apply(_ input: Input, at now: Now, into effects: inout [Effect]) { fatalError("pending") }

    /// Ends the turn: elects dominant speakers, fires what is due, encodes what changed once for all receivers, and
    /// names the connections that have output.
    public mutating func endTurn(at now: Now, into effects: inout [Effect]) { fatalError("pending") }

    /// When `endTurn` must be called next even if nothing happens, on the monotonic clock; nil is never.
    public var nextDeadline: UInt64? { fatalError("pending") }

    /// Hands the connection's waiting bytes over, one contiguous piece at a time, until none are left or the taker is full.
    ///
    /// `take` must keep what it can't send at once, and returns how many bytes it had to keep; above 0 nothing more is
    /// handed over until ``Input/drained(_:)``.
    public mutating func takeOutput(
        of connection: ConnectionID,
        at now: Now,
        into effects: inout [Effect],
        _ take: (Span<UInt8>) -> Int
    ) { fatalError("pending") }
}
