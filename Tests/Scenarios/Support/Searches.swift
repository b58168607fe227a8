import Dispatch
import Testing

/// Where the searches of every order run: on a thread of their own, one after the other.
///
/// Each computes for long and waits for nothing. On the pool that all tasks share it would keep the tests that wait for
/// sockets from going on, and so would many threads beside it; a single one leaves them the rest of the machine.
private final class SearchThread: TaskExecutor {
    static let only = SearchThread()
    private static let key = DispatchSpecificKey<Bool>()
    private let queue: DispatchQueue

    private init() {
        queue = DispatchQueue(label: "searches of every order")
        queue.setSpecific(key: Self.key, value: true)
    }

    /// Whether the caller runs there.
    static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs the tests of a suite where searches belong.
struct SearchTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    /// Whether the caller runs in a test of a suite with this trait.
    static var isInForce: Bool { SearchThread.isHere }

    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(SearchThread.only) { try await function() }
    }
}

extension Trait where Self == SearchTrait {
    /// The suite searches through every order: see ``ScriptedWorld/everyOrder(sourceLocation:_:)``.
    static var searches: Self { Self() }
}
