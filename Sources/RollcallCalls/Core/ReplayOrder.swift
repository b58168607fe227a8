import CallState
import Rollcall

/// What is in effect in a state, as events.
enum ReplayOrder {
    /// The people in order of joining, each followed by their events; the hands in the order of the queue; the rest.
    ///
    /// From nothing to a state the client library tells what the relay has said, and then what this client has asked
    /// for on top of it. Whoever hears it all at once is told only what the two come to.
    static func events(of snapshot: CallSnapshot) -> [CallUpdate.Event] {
        let events = CallUpdate.events(from: nil, to: snapshot)
        if !snapshot.isAsking { return events }
        let placed = events.filter(\.isInEffect).enumerated().map { (place: $1.place, index: $0, event: $1) }
        return placed.sorted { ($0.place.0, $0.place.1, $0.index) < ($1.place.0, $1.place.1, $1.index) }.map(\.event)
    }
}

extension CallUpdate.Event {
    /// Whether the person of the event is as the event says, and that is not at rest.
    fileprivate var isInEffect: Bool {
        switch self {
        case .audio(let person, let audio): audio == .muted && person.audio == .muted
        case .video(let person, let video): video == .paused && person.video == .paused
        case .presenting(let person, let isOn): isOn && person.isPresenting
        case .hand(let person, .raised): person.hand != nil
        case .hand(_, .lowered): false
        default: true
        }
    }

    /// Where the event belongs: with a person, in the queue, or after both.
    fileprivate var place: (Int, Slot) {
        switch self {
        case .joined(let person), .audio(let person, _), .video(let person, _), .presenting(let person, _),
            .reconnecting(let person, _), .name(let person, _), .avatar(let person, _), .role(let person, _),
            .attribute(let person, _, _), .audioLock(let person, _), .videoLock(let person, _),
            .unmuteRequest(let person, _), .deviceJoined(let person, _), .deviceLeft(let person, _, _),
            .deviceChanged(let person, _), .left(let person, _):
            (0, person.slot)
        case .hand(let person, _): (1, Slot(clamping: person.hand ?? 0))
        case .meeting, .recording, .dominantSpeaker, .spotlight, .title, .callLocked, .callAttribute, .policy: (2, 0)
        }
    }
}
