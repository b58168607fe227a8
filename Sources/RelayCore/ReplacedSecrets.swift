/// The secrets of incarnations that were replaced, by which program, and what came in their place: the last ones of a
/// meeting.
///
/// They outlive the device: who was replaced must not come back by itself when the other one has left. What a
/// program replaced itself is remembered too: when another program has replaced its newer incarnation, the older one
/// has lost its place as well.
struct ReplacedSecrets {
    /// How many are remembered.
    static let maximum = 1_024

    private struct Replacement {
        /// The program that came in.
        var instance: [UInt8]
        /// The secret of the incarnation that came in.
        var next: [UInt8]
    }

    private var replacements: [[UInt8]: Replacement] = [:]
    /// The secrets in order of being replaced; from `first` on they are still known.
    private var order: [[UInt8]] = []
    private var first = 0

    /// Remembers that the program `instance` has replaced the incarnation of `secret` by that of `next`.
    mutating func insert(_ secret: [UInt8], by instance: [UInt8], with next: [UInt8]) {
        let replacement = Replacement(instance: instance, next: next)
        guard !secret.isEmpty, replacements.updateValue(replacement, forKey: secret) == nil else { return }
        order.append(secret)
        guard replacements.count > Self.maximum else { return }
        replacements[order[first]] = nil
        first += 1
        if first > Self.maximum {
            order.removeFirst(first)
            first = 0
        }
    }

    /// Whether another program than `instance` has replaced the incarnation of `secret`, or one that followed it.
    ///
    /// O(incarnations that followed it).
    func contains(_ secret: [UInt8], byOtherThan instance: [UInt8]) -> Bool {
        var secret = secret
        // Secrets are random, so there is no way round in a circle; nobody's randomness is trusted with that.
        for _ in 0..<Self.maximum {
            guard let replacement = replacements[secret] else { return false }
            if replacement.instance != instance { return true }
            secret = replacement.next
        }
        return false
    }

    /// Whether there are none.
    var isEmpty: Bool { replacements.isEmpty }

    /// Nothing was replaced.
    init() {}

    /// Calls `body` for each secret, the program that replaced its incarnation and the secret that came in its place,
    /// oldest first.
    func forEach(_ body: (_ secret: [UInt8], _ instance: [UInt8], _ next: [UInt8]) -> Void) {
        for secret in order[first...] {
            if let replacement = replacements[secret] { body(secret, replacement.instance, replacement.next) }
        }
    }

    /// Forgets all of them: the meeting has ended.
    mutating func removeAll() {
        self = ReplacedSecrets()
    }
}
