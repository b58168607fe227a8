/// One step of a run: what kind of thing happens, and a number from which the rest of it is drawn.
///
/// It depends on the seed and on its own number alone, and means something in every world: a run with some of its steps
/// left out is still a run.
package struct Step: Hashable, Sendable {
    /// What can happen.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Bytes, or the news that no more will come, reach the relay on some links; its turn ends.
        case toRelay
        /// The same for one client.
        case toClient
        /// A little time passes.
        case wait
        /// Time passes up to the next deadline of anybody.
        case nextDeadline
        /// Much time passes; the relay may have stood still.
        case longWait
        /// Somebody who is out joins.
        case start
        /// Somebody gives a command.
        case command
        /// Somebody gives a command that makes or removes many attributes.
        case churn
        /// Somebody who may act for others brings somebody in or out, or states the dominant speaker.
        case act
        /// Somebody begins or stops to speak.
        case speak
        /// Somebody asks for the whole state.
        case resync
        /// Somebody leaves.
        case leave
        /// A link fails; its ends learn it by themselves, or not at all.
        case cut
        /// A link stands still for a time.
        case hold
        /// A client reads slowly, or fast again.
        case slowDown
        /// A frame on its way to a client is lost, as no network does.
        case loseFrame
        /// The wall clock is set.
        case setClock
        /// A client's program dies.
        case crashClient
        /// A client's program is put back to what it was a while ago.
        case rewindClient
        /// The relay dies, at once or after some more effects.
        case crashRelay
        /// The relay is asked to stop and to come again.
        case stopRelay
        /// The relay is started, if it is down.
        case startRelay
        /// The store answers.
        case storeAnswers
        /// The store fails for a time, or works again.
        case storeFails
        /// A strict reader with a copy of its own does something.
        case stranger
        /// Somebody sends what no client should.
        case attack
        /// All faults rest for a heartbeat.
        case calm
    }

    package var kind: Kind
    package var nonce: UInt64

    /// The step as it is written in a file: `kind.nonce`.
    package var text: String { "\(kind).\(String(nonce, radix: 16))" }

    /// A step.
    init(kind: Kind, nonce: UInt64) {
        self.kind = kind
        self.nonce = nonce
    }

    /// The step that a text stands for.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: ".")
        guard parts.count == 2, let kind = Kind.allCases.first(where: { "\($0)" == parts[0] }),
            let nonce = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(kind: kind, nonce: nonce)
    }
}

/// The kinds of steps by how often they come.
struct StepTable {
    private var kinds: [Step.Kind] = []
    private let seed: UInt64

    init(_ weights: [Step.Kind: Int], seed: UInt64) {
        self.seed = seed
        for kind in Step.Kind.allCases { kinds += [Step.Kind](repeating: kind, count: weights[kind] ?? 0) }
    }

    /// The step with a number.
    func step(_ number: Int) -> Step {
        var draw = Draw(seed ^ (UInt64(number) &+ 1) &* 0xD6E8_FEB8_6659_FD93)
        return Step(kind: kinds[draw.below(kinds.count)], nonce: draw.next())
    }
}
