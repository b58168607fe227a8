package import CallState
package import RollcallProtocol
import Text

/// Compares a copy of a call, worked out anew, with every digest that the relay gives, and in between with the digest
/// that the copy itself keeps up to date.
package struct DigestVerification: Sendable {
    /// Where a digest of the relay came from.
    package enum Source: String, Hashable, Sendable {
        /// The end of a snapshot.
        case snapshot
        /// A delta. One without a digest is compared with the copy's own running digest.
        case update
        /// A ping at the copy's position.
        case ping
        /// A snapshot beside the call.
        case peek
    }

    /// One comparison.
    package struct Check: Hashable, Sendable {
        /// Where.
        package var position: Position
        /// Where the relay's digest came from.
        package var source: Source
        /// The copy's, from nothing.
        package var digest: UInt64
        /// The relay's; nil when it gave none.
        package var relayDigest: UInt64?
        /// The one that the copy keeps up to date, change by change.
        package var runningDigest: UInt64

        /// Whether they agree.
        package var isEqual: Bool { digest == relayDigest ?? runningDigest }
    }

    private var position = Position.zero
    /// The positions where the copy was equal to the relay, each once.
    private var equal = PositionList()
    private var snapshots = 0
    /// Deltas with a digest of the relay.
    private var updates = 0
    /// Deltas without one.
    private var ownUpdates = 0
    private var pings = 0
    private var firstFailure: Check?

    /// Nothing compared yet.
    package init() {}

    /// Takes a frame and what it did to the copy; nil when there is nothing to compare.
    package mutating func take(_ frame: ServerFrame, before: CallState, after: CallState) -> Check? {
        switch frame {
        case .part(let part):
            guard let end = part.end else { return nil }
            snapshots += 1
            return compare(after, with: end.digest, source: .snapshot)
        case .delta(let delta):
            // One that was ignored, or that asked for a snapshot instead.
            if after.position == before.position { return nil }
            if delta.digest == nil { ownUpdates += 1 } else { updates += 1 }
            return compare(after, with: delta.digest, source: .update)
        case .ping(let ping):
            guard let digest = ping.digest, ping.position == before.position else { return nil }
            pings += 1
            return compare(before, with: digest, source: .ping)
        default:
            return nil
        }
    }

    /// Compares the copy with a digest of the relay for the same position, or without one with its own running digest.
    package mutating func compare(_ state: CallState, with digest: UInt64?, source: Source) -> Check {
        position = state.position
        let check = Check(
            position: state.position,
            source: source,
            digest: state.recomputedDigest,
            relayDigest: digest,
            runningDigest: state.digest
        )
        if check.isEqual {
            if digest != nil { equal.append(check.position) }
        } else if firstFailure == nil {
            firstFailure = check
        }
        return check
    }

    /// What is wrong, in a sentence; nil when every comparison agreed.
    package var failure: String? {
        if let check = firstFailure {
            let own = hexText(check.digest, digits: 16)
            let theirs = hexText(check.relayDigest ?? check.runningDigest, digits: 16)
            let who = check.relayDigest == nil ? "its running digest is" : "the relay"
            return
                "digest differs at \(check.position) (\(check.source.rawValue)): the copy has \(own), \(who) \(theirs)"
        }
        return equal.count == 0 ? "nothing was compared" : nil
    }

    /// `digest equal at 1.43, 1.44, 1.47 (3 updates, 2 pings)`, and how many updates the relay gave no digest for.
    package var summary: String {
        let places = equal.count == 0 ? "nowhere" : "at \(equal.text)"
        let own = ownUpdates == 0 ? "" : "; \(counted(ownUpdates, "update")) without the relay's digest"
        return "digest equal \(places) (\(counted(updates, "update")), \(counted(pings, "ping"))\(own))"
    }

    /// The verdict for programs; ``JSONKeys`` says what each key means.
    package func json(session: String) -> JSONValue {
        .members([
            "session": .string(session),
            "equal": .bool(failure == nil),
            "position": position.json,
            "snapshots": .number(UInt64(snapshots)),
            "updates": .number(UInt64(updates + ownUpdates)),
            "pings": .number(UInt64(pings)),
            "updatesWithoutDigest": .number(UInt64(ownUpdates)),
        ])
    }
}

extension DigestVerification.Check {
    /// The comparison for programs; ``JSONKeys`` says what each key means.
    package func json(time: UInt64) -> JSONValue {
        .members([
            "time": .string(Timestamp(millisecondsSince1970: time).text),
            "position": position.json,
            "source": .string(source.rawValue),
            "digest": .string(hexText(digest, digits: 16)),
            "relayDigest": .optional(relayDigest.map { hexText($0, digits: 16) }),
            "equal": .bool(isEqual),
        ])
    }
}

/// Rising positions, of which the first few, the last few and the number are kept, however many they are.
private struct PositionList: Sendable {
    private(set) var count = 0
    private var first: [Position] = []
    private var last: [Position] = []

    /// Adds a position, unless it is the last one again.
    mutating func append(_ position: Position) {
        if (last.last ?? first.last) == position { return }
        count += 1
        if first.count < 3 { return first.append(position) }
        if last.count == 5 { last.removeFirst() }
        last.append(position)
    }

    /// All of up to eight; of more the first three and the last three.
    var text: String {
        let shown =
            count <= 8
            ? (first + last).map(\.description)
            : first.map(\.description) + ["..."] + last.suffix(3).map(\.description)
        return shown.joined(separator: ", ")
    }
}
