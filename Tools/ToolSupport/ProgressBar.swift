/// Shows how far a long work has come: one living line on a terminal, a plain line now and then elsewhere.
package final class ProgressBar {
    private let output: TextOutput
    private let title: String
    private let total: Int
    private var shownAt = -Double.infinity

    /// A bar for `total` steps; it writes to stderr unless told otherwise.
    package init(_ title: String, total: Int, output: TextOutput = TextOutput(2)) {
        self.title = title
        self.total = total
        self.output = output
    }

    /// Shows that `done` steps are done; cheap enough to call at each step.
    ///
    /// - Parameters:
    ///   - done: Steps, 0...total.
    ///   - note: What else there is to say.
    ///   - now: Milliseconds of a clock that never goes back.
    package func update(_ done: Int, note: String = "", now: Double = TimeText.monotonic) {
        let interval: Double = output.terminal.isTerminal ? 100 : 5000
        if now - shownAt < interval { return }
        shownAt = now
        show(done, note)
    }

    /// Ends the bar; the last state stays on a terminal.
    package func finish(_ done: Int, note: String = "") {
        show(done, note)
        if output.terminal.isTerminal { try? output.write("\n") }
    }

    /// The line for `done` steps, `width` cells wide at most.
    package func text(_ done: Int, note: String, width: Int) -> String {
        let part = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let head = "\(title) \(Int(part * 100))% \(done)/\(total)\(note.isEmpty ? "" : " \(note)")"
        let room = min(30, width - head.displayWidth - 3)
        if room < 5 { return head.cut(to: width) }
        let full = Int(part * Double(room))
        return "[\(String(repeating: "#", count: full))\(String(repeating: ".", count: room - full))] \(head)"
    }

    // Progress is an extra: a terminal that has gone must not end the work.
    private func show(_ done: Int, _ note: String) {
        if output.terminal.isTerminal {
            try? output.write("\r\u{1B}[K" + text(done, note: note, width: (output.terminal.width ?? 80) - 1))
        } else {
            try? output.line("\(title): \(done) of \(total)\(note.isEmpty ? "" : ", \(note)")")
        }
    }
}
