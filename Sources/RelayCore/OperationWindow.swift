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

    /// What nearly every answer is: without what only refusals say, so that it is cheap to keep.
    private struct Answer {
        var op: UInt64
        var code: Code
        var position: Position
    }

    /// What an answer says besides.
    private struct Reason {
        var text: String
        var after: UInt64
    }

    /// The highest operation id that was answered; 0 is none.
    private(set) var last: UInt64 = 0
    /// The answers; once there are ``capacity`` of them the oldest is at ``oldest``.
    private var answers: [Answer] = []
    /// What those of them say that say more, by operation id.
    private var reasons: [UInt64: Reason] = [:]
    private var oldest = 0

    /// How many results are known.
    var count: Int { answers.count }

    /// No command was answered.
    init() {}

    /// What was kept of a window, oldest first; nil when no window is so.
    init?(last: UInt64, answers: [Ack]) {
        guard answers.count <= Self.capacity, answers.last.map({ $0.op == last }) ?? (last == 0) else { return nil }
        for (one, next) in zip(answers, answers.dropFirst()) where one.op >= next.op { return nil }
        for answer in answers { record(answer) }
        self.last = last
    }

    /// Calls `body` for each result, oldest first.
    func forEach(_ body: (Ack) -> Void) {
        for answer in answers[oldest...] { body(whole(answer)) }
        for answer in answers[..<oldest] { body(whole(answer)) }
    }

    /// What is known about `op`.
    ///
    /// O(window) for a repeated one, else O(1).
    func lookup(_ op: UInt64) -> Lookup {
        if op > last { return .new }
        return answers.first { $0.op == op }.map { .answered(whole($0)) } ?? .tooOld
    }

    /// Remembers the answer to a new command.
    mutating func record(_ answer: Ack) {
        record(answer.op, answer.code, at: answer.position)
        if !answer.text.isEmpty || answer.after > 0 {
            reasons[answer.op] = Reason(text: answer.text, after: answer.after)
        }
    }

    /// Remembers that a new command was done.
    mutating func record(done op: UInt64, at position: Position) {
        record(op, .ok, at: position)
    }

    private mutating func record(_ op: UInt64, _ code: Code, at position: Position) {
        let answer = Answer(op: op, code: code, position: position)
        last = op
        if answers.count < Self.capacity {
            answers.append(answer)
        } else {
            if !reasons.isEmpty { reasons[answers[oldest].op] = nil }
            answers[oldest] = answer
            oldest = (oldest + 1) % Self.capacity
        }
    }

    private func whole(_ answer: Answer) -> Ack {
        var ack = Ack(op: answer.op, code: answer.code, position: answer.position)
        if let reason = reasons[answer.op] { (ack.text, ack.after) = (reason.text, reason.after) }
        return ack
    }
}
