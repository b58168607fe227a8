/// A listener of one kind that is not held.
///
/// Sendable although the listener need not be: it is only called on the callback queue, which is its owner's to choose.
/// It is called by the conformance that it was added with, never by one that is looked up: a conformance that belongs
/// to the main actor can't be found elsewhere.
struct WeakListener: @unchecked Sendable {
    let kind: ListenerKind
    /// Names the listener as long as it lives.
    let id: ObjectIdentifier
    private weak var object: AnyObject?
    private let deliver: (Callback) -> Void

    init(_ listener: any SessionStatusListener) {
        self.init(.session, listener) { [weak listener] in listener?.call($0) }
    }

    init(_ listener: any ParticipantEventListener) {
        self.init(.participants, listener) { [weak listener] in listener?.call($0) }
    }

    init(_ listener: any MediaEventsListener) {
        self.init(.media, listener) { [weak listener] in listener?.call($0) }
    }

    init(_ listener: any ButtonClickListener) {
        self.init(.buttons, listener) { [weak listener] in listener?.call($0) }
    }

    init(_ listener: any LayoutListener) {
        self.init(.layout, listener) { [weak listener] in listener?.call($0) }
    }

    private init(_ kind: ListenerKind, _ object: AnyObject, _ deliver: @escaping (Callback) -> Void) {
        self.kind = kind
        self.object = object
        self.deliver = deliver
        id = ObjectIdentifier(object)
    }

    /// Whether the listener is not there any more.
    var isGone: Bool { object == nil }

    /// Calls the listener, if it is still there.
    func call(_ callback: Callback) {
        deliver(callback)
    }
}
