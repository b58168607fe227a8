import Dispatch

/// The closures that an app hands over to be answered: one of them is called, once, on the callback queue.
///
/// They may hold what only that queue may touch, so they are not `Sendable`. The contract makes it sound: nothing but
/// this calls them, on the queue that the app has chosen for its callbacks.
struct AppAnswer<Value: Sendable>: @unchecked Sendable {
    private let onSuccess: (Value) -> Void
    private let onError: (RollcallCallException?) -> Void

    init(_ onSuccess: @escaping (Value) -> Void, _ onError: @escaping (RollcallCallException?) -> Void) {
        self.onSuccess = onSuccess
        self.onError = onError
    }

    /// Answers.
    func give(_ answer: Result<Value, RollcallCallException>) {
        CallSession.shared.callbackQueue.async { call(answer) }
    }

    /// Answers at once; on the callback queue.
    func call(_ answer: Result<Value, RollcallCallException>) {
        switch answer {
        case .success(let value): onSuccess(value)
        case .failure(let error): onError(error)
        }
    }
}
