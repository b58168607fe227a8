import Synchronization
import ToolSupport

/// A progress bar that many tasks move.
final class ReplayProgress: Sendable {
    private final class Counter: Sendable {
        let done = Atomic<Int>(0)
    }

    private let counter = Counter()
    private let drawing: Task<Void, Never>

    /// A bar for `total` steps.
    init(_ title: String, total: Int, isShown: Bool) {
        let counter = counter
        drawing = Task.detached {
            guard isShown else { return }
            let bar = ProgressBar(title, total: total)
            while !Task.isCancelled {
                bar.update(counter.done.load(ordering: .relaxed))
                try? await Task.sleep(for: .milliseconds(100))
            }
            bar.finish(counter.done.load(ordering: .relaxed))
        }
    }

    deinit { drawing.cancel() }

    /// One step more is done.
    func step() { counter.done.add(1, ordering: .relaxed) }

    /// Ends the bar.
    func finish() async {
        drawing.cancel()
        await drawing.value
    }
}
