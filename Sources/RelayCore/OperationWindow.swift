import CallState
import RollcallProtocol

/// The results of an incarnation's last commands, so that a repeated one is answered and not done again.
struct OperationWindow {
    /// How many results are kept.
    static let capacity = 64

    /// What is known about an operation id.
    enum Lookup {
        /// It is above every one seen: a new command.
        case new
        /// It was answered so.
        case answered(Ack)
        /// It is at or below the last one, and its result is not known.
        case tooOld
    }

    /// The highest operation id that was answered; 0 is none.
    private(set) var last: UInt64 = 0
    /// The answers; once there are ``capacity`` of them the oldest is at ``oldest``.
    private var answers: [Ack] = []
    private var oldest = 0

    /// How many results are known.
    var count: Int { answers.count }

    /// No command was answered.
    init() {}

    /// What was kept of a window, oldest first; nil when no window is so.
    init?(last: UInt64, answers: [Ack]) {
        guard answers.count <= Self.capacity, answers.last.map({ $0.op == last }) ?? (last == 0) else { return nil }
        for (one, next) in zip(answers, answers.dropFirst()) where one.op >= next.op { return nil }
        self.last = last
        self.answers = answers
    }

    /// Calls `body` for each result, oldest first.
    func forEach(_ body: (Ack) -> Void) {
        for answer in answers[oldest...] { body(answer) }
        for answer in answers[..<oldest] { body(answer) }
    }

    /// What is known about `op`.
    ///
    /// O(window) for a repeated one, else O(1).
    func lookup(_ op: UInt64) -> Lookup {
        if op > last { return .new }
        return answers.first { $0.op == op }.map { .answered($0) } ?? .tooOld
    }

    /// Remembers the answer to a new command.
    mutating func record(_ answer: Ack) {
        last = answer.op
        if answers.count < Self.capacity {
            answers.append(answer)
        } else {
            answers[oldest] = answer
            oldest = (oldest + 1) % Self.capacity
        }
    }
}
