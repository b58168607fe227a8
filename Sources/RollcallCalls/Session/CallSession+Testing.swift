package import Rollcall
import Synchronization

// For tests, which look where an app has no need to.

extension CallSession {
    /// Called on the callback queue after the callbacks of each update, which is then shown as inside one of them.
    package var onTold: (@Sendable () -> Void)? {
        get { state.withLock { $0.onTold } }
        set { state.withLock { $0.onTold = newValue } }
    }

    /// The call that is attended; nil in none.
    package var call: Call? { state.withLock { $0.call } }

    /// Whether something shows that is asked for and not answered yet; inside a callback, in its state.
    package var isAsking: Bool { shown.model.snapshot?.isAsking ?? false }
}
