import Synchronization

/// A state that is shown, and the participants made of it once, for whoever asks how often.
final class SharedModel: Sendable {
    let model: SessionModel
    private let made = Mutex<[Participant]?>(nil)

    init(_ model: SessionModel) {
        self.model = model
    }

    /// The people, in order of joining.
    ///
    /// O(people) the first time.
    var participants: [Participant] {
        if let participants = made.withLock({ $0 }) { return participants }
        let participants = view.participants
        made.withLock { $0 = participants }
        return participants
    }

    var view: PeopleView { PeopleView(model) }
}
