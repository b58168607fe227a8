import Rollcall

let client = RollcallClient(.unix("/tmp/rollcall.sock"))
let call = try await client.join(
    "standup",
    as: Identity(uid: "dan", name: "Dan"),
    status: Status(audio: .muted, video: .paused)
)

// Complete, now: join returns when everything that is in effect has come.
for person in call.state.people {
    print(person.name, person.audio, person.video, person.hand.map { "hand \($0)" } ?? "")
}

// Each update has the events and the state after them. The first describes all that is there.
let watching = Task {
    for await update in call.updates {
        for event in update.events {
            switch event {
            case .joined(let person): print("+", person.name)
            case .left(let person, _): print("-", person.name)
            case .audio(let person, let audio): print(person.name, "is", audio)
            case .hand(let person, .raised(let place)): print(person.name, "raises a hand, place", place)
            case .hand(let person, .lowered): print(person.name, "lowers the hand")
            default: break
            }
        }
    }
}

try await call.raiseHand()  // returns when the relay has it
try await call.setAudio(.on)
await call.leave()
await watching.value
