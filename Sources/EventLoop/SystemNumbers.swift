import CLibuv

/// Random numbers of the operating system, fit for secrets: one system call for 32 of them.
///
/// A relay draws one for each that joins, at the moment when somebody waits for the answer. A copy gives what was drawn
/// before it once more, so that secrets come from one of them only.
public struct SystemNumbers: RandomNumberGenerator, Sendable {
    /// What was drawn and not given yet.
    private var drawn: [UInt64] = []

    /// Numbers are drawn when they are first asked for.
    public init() {}

    /// The next number.
    public mutating func next() -> UInt64 {
        if drawn.isEmpty { draw() }
        return drawn.removeLast()
    }

    private mutating func draw() {
        drawn = Array(repeating: 0, count: 32)
        let result = drawn.withUnsafeMutableBytes { uv_random(nil, nil, $0.baseAddress, $0.count, 0, nil) }
        guard result < 0 else { return }
        // The runtime knows other ways, and ends the program where there is none.
        var system = SystemRandomNumberGenerator()
        for place in drawn.indices { drawn[place] = system.next() }
    }
}
