import Examples
import Randomness
import RollcallCalls
import Traces

// What happens beside the recorded meeting, by chance and the same for the same seed.
extension Meeting {
    /// Maybe does something that makes it harder to show the same.
    func disturb() async {
        let client = clients[random.below(clients.count)]
        let other = clients[random.below(clients.count)]
        // Whoever is away shows nothing for half a second, which is long here: a few times in a meeting.
        if random.below(plan.steps.count) < 3 {
            count("cut")
            client.cutLink()
        }
        switch random.below(120) {
        case 0..<8:
            count("tap")
            await tap(client)
        case 8..<12:
            count("moderation")
            moderate(client, other)
        case 12..<18:
            count("pin")
            await client.tapPin(random.below(1_000))
        case 20..<28:
            if let busy = clients.first(where: { $0.name == AppClient.busy }) {
                busy.isStalled.toggle()
                if busy.isStalled { count("stall") }
            }
        default: break
        }
    }

    private func tap(_ client: AppClient) async {
        switch random.below(7) {
        case 0: await client.tap { $0.tapAudio() }
        case 1: await client.tap { $0.tapVideo() }
        case 2: await client.tap { $0.tapScreen() }
        case 3: await client.tap { $0.tapRecording() }
        case 4: await client.tap { $0.tapHand() }
        case 5: await client.tap { $0.tapSwitchCamera() }
        default: await client.tap { $0.choose($0.audioMode == .speaker ? .earpiece : .speaker) }
        }
    }

    private func moderate(_ client: AppClient, _ other: AppClient) {
        switch random.below(5) {
        case 0: client.session.muteParticipant(participantId: other.uid)
        case 1: client.session.pauseParticipantVideo(participantId: other.uid)
        case 2: client.session.lowerHand(participantId: other.uid)
        case 3: client.session.lowerAllHands()
        default: client.session.spotlight(participantId: other.uid)
        }
    }
}
