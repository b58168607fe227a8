import CallState
import Rollcall
import Synchronization

/// A state that is shown, and the participants made of it once, for whoever asks how often.
final class SharedModel: Sendable {
    private struct Made {
        let participants: [Participant]
        /// Bytes, since uids that look alike are two people.
        let places: [ByteString: Int]
    }

    let model: SessionModel
    private let made = Mutex<Made?>(nil)

    init(_ model: SessionModel) {
        self.model = model
    }

    /// The people, in order of joining.
    ///
    /// O(people) the first time.
    var participants: [Participant] {
        if let made = made.withLock({ $0 }) { return made.participants }
        let participants = view.participants
        let places = participants.enumerated().map { (ByteString($1.facts.uid), $0) }
        let new = Made(participants: participants, places: Dictionary(places) { first, _ in first })
        made.withLock { $0 = new }
        return participants
    }

    /// The person with that uid; nil when it is not in the call.
    ///
    /// O(1) once ``participants`` was asked for, else O(raised hands).
    func participant(uid: String) -> Participant? {
        if let made = made.withLock({ $0 }) {
            return made.places[ByteString(uid)].map { made.participants[$0] }
        }
        return model.snapshot?.person(uid: uid).map(view.participant)
    }

    var view: PeopleView { PeopleView(model) }
}
