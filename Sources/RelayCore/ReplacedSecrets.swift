/// The secrets of incarnations that another program has replaced, and which program did: the last ones of a call.
///
/// They outlive the device: who was replaced must not come back by itself when the other one has left.
struct ReplacedSecrets {
    /// How many are remembered.
    static let maximum = 1_024

    private var instances: [[UInt8]: [UInt8]] = [:]
    /// The secrets in order of being replaced; from `first` on they are still known.
    private var order: [[UInt8]] = []
    private var first = 0

    /// Remembers that the program `instance` has replaced the incarnation of `secret`.
    mutating func insert(_ secret: [UInt8], by instance: [UInt8]) {
        guard !secret.isEmpty, instances.updateValue(instance, forKey: secret) == nil else { return }
        order.append(secret)
        guard instances.count > Self.maximum else { return }
        instances[order[first]] = nil
        first += 1
        if first > Self.maximum {
            order.removeFirst(first)
            first = 0
        }
    }

    /// Whether another program than `instance` has replaced the incarnation of `secret`.
    func contains(_ secret: [UInt8], byOtherThan instance: [UInt8]) -> Bool {
        guard let other = instances[secret] else { return false }
        return other != instance
    }

    /// Whether there are none.
    var isEmpty: Bool { instances.isEmpty }

    /// Nothing was replaced.
    init() {}

    /// Calls `body` for each secret and the program that replaced its incarnation, oldest first.
    func forEach(_ body: (_ secret: [UInt8], _ instance: [UInt8]) -> Void) {
        for secret in order[first...] {
            if let instance = instances[secret] { body(secret, instance) }
        }
    }

    /// Forgets all of them: the meeting has ended.
    mutating func removeAll() {
        self = ReplacedSecrets()
    }
}
