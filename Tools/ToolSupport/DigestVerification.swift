package import CallState
package import RollcallProtocol

/// Compares a copy of a call, worked out anew, with every digest that the relay gives.
package struct DigestVerification: Sendable {
    /// Where a digest of the relay came from.
    package enum Source: String, Hashable, Sendable {
        /// The end of a snapshot.
        case snapshot
        /// A delta; one without a digest is compared with the copy's own running digest.
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
        /// The relay's.
        package var expected: UInt64

        /// Whether they agree.
        package var isEqual: Bool { digest == expected }
    }

    private var position = Position.zero
    /// The positions where all was equal, each once; only the first few and the last are shown.
    private var equal: [Position] = []
    private var snapshots = 0
    private var updates = 0
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
            updates += 1
            return compare(after, with: delta.digest ?? after.digest, source: .update)
        case .ping(let ping):
            guard let digest = ping.digest, ping.position == before.position else { return nil }
            pings += 1
            return compare(before, with: digest, source: .ping)
        default:
            return nil
        }
    }

    /// Compares the copy with a digest of the relay for the same position.
    package mutating func compare(_ state: CallState, with digest: UInt64, source: Source) -> Check {
        position = state.position
        let check = Check(
            position: state.position,
            source: source,
            digest: state.recomputedDigest,
            expected: digest
        )
        if check.isEqual {
            if equal.last != check.position { equal.append(check.position) }
        } else if firstFailure == nil {
            firstFailure = check
        }
        return check
    }

    /// What is wrong, in a sentence; nil when every comparison agreed.
    package var failure: String? {
        if let check = firstFailure {
            let own = hexText(check.digest, digits: 16)
            let theirs = hexText(check.expected, digits: 16)
            return
                "digest differs at \(check.position) (\(check.source.rawValue)): the copy has \(own), the relay \(theirs)"
        }
        return equal.isEmpty ? "nothing was compared" : nil
    }

    /// `digest equal at 1.43, 1.44, 1.47 (3 updates, 2 pings)`.
    package var summary: String {
        let shown =
            equal.count <= 8
            ? equal.map(\.description)
            : equal.prefix(3).map(\.description) + ["..."]
                + equal.suffix(3).map(\.description)
        let places = shown.isEmpty ? "nowhere" : "at \(shown.joined(separator: ", "))"
        return "digest equal \(places) (\(counted(updates, "update")), \(counted(pings, "ping")))"
    }

    /// The verdict for programs; ``JSONKeys`` says what each key means.
    package func json(session: String) -> JSONValue {
        .members([
            "session": .string(session),
            "equal": .bool(failure == nil),
            "position": position.json,
            "snapshots": .number(UInt64(snapshots)),
            "updates": .number(UInt64(updates)),
            "pings": .number(UInt64(pings)),
        ])
    }
}

extension DigestVerification.Check {
    /// The comparison for programs; ``JSONKeys`` says what each key means.
    package func json(time: UInt64) -> JSONValue {
        .members([
            "time": .string(TimeText.iso(time)),
            "position": position.json,
            "source": .string(source.rawValue),
            "digest": .string(hexText(digest, digits: 16)),
            "relayDigest": .string(hexText(expected, digits: 16)),
            "equal": .bool(isEqual),
        ])
    }
}
