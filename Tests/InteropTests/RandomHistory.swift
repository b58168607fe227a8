import CallState
import Randomness
import Rollcall
import RollcallProtocol

/// A meeting in which random things happen: people come and go and change all that can be changed.
struct RandomHistory {
    private let client: RollcallClient
    private let session: String
    private var random: SplitMix64
    private var present: [(call: Call, uid: String, device: String)] = []
    /// The position after the last change.
    private(set) var position = Position.zero
    /// What the relay has refused, which a random history does often.
    private(set) var refusals = 0

    /// Nothing has happened yet; the first who joins begins the meeting.
    init(_ client: RollcallClient, session: String, seed: UInt64) {
        self.client = client
        self.session = session
        random = SplitMix64(seed: seed)
    }

    /// Goes on until the call's position has reached `seq`.
    mutating func run(untilSeq seq: UInt64) async throws {
        while position.seq < seq {
            if present.count < 2 || (present.count < 12 && chance(1, in: 25)) {
                try await join()
            } else if present.count > 4, chance(1, in: 30) {
                let leaving = present.remove(at: Int.random(in: present.indices, using: &random))
                await leaving.call.leave()
            } else {
                try await change()
            }
        }
    }

    /// Everybody leaves.
    mutating func end() async {
        for (call, _, _) in present { await call.leave() }
        present = []
    }

    private mutating func join() async throws {
        let uid = "u\(Int.random(in: 1...16, using: &random))-é"
        let device = "d\(Int.random(in: 1...3, using: &random))"
        // A device that is in already would be taken over, and its client closed.
        for other in present where other.uid == uid && other.device == device { return }
        let status = Status(audio: chance(1, in: 2) ? .on : .muted, video: chance(1, in: 2) ? .on : .paused)
        let call = try await client.join(session, as: Identity(uid: uid, device: device), status: status)
        present.append((call, uid, device))
        position = max(position, call.position)
    }

    private mutating func change() async throws {
        let call = present[Int.random(in: present.indices, using: &random)].call
        var settings: [Setting] = []
        for _ in 0...(chance(1, in: 6) ? 2 : 0) { settings.append(setting(people: call.state.people.map(\.uid))) }
        do throws(RollcallError) {
            let reached = try await call.perform(settings)
            position = max(position, reached)
        } catch {
            guard (5_000...5_999).contains(error.code.rawValue) else { throw error }
            refusals += 1
        }
    }

    private mutating func setting(people: [String]) -> Setting {
        let on = chance(1, in: 2)
        let other = people.randomElement(using: &random) ?? "nobody"
        let text = ByteString(String(repeating: "ü", count: Int.random(in: 0...40, using: &random)))
        let key = ByteString("k\(Int.random(in: 0...9, using: &random))")
        let value: [UInt8]? = chance(1, in: 3) ? nil : (0..<Int.random(in: 0...90, using: &random)).map { UInt8($0) }
        var everyone = Target(uid: .empty)
        everyone.everyone = true
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: return Setting(.audioMuted(on))
        case 3...4: return Setting(.videoPaused(on))
        case 5: return Setting(.presenting(on))
        case 6...8: return Setting(.handRaised(on))
        case 9: return Setting(.name(text))
        case 10: return Setting(.avatar(text))
        case 11: return Setting(.attribute(Attribute(key: key, value: value)))
        case 12: return Setting(.callAttribute(Attribute(key: key, value: value)))
        case 13: return Setting(.recording(on))
        case 14: return Setting(.spotlight(people.shuffled(using: &random).prefix(3).map { ByteString($0) }))
        case 15: return Setting(.title(text))
        case 16: return Setting(target: Target(uid: ByteString(other)), .audioMuted(true))
        case 17: return Setting(target: Target(uid: ByteString(other)), .audioLocked(on))
        case 18: return chance(1, in: 4) ? Setting(.standingCameraOff(on)) : Setting(.presenters(on ? .one : .many))
        default: return Setting(target: everyone, .handRaised(false))
        }
    }

    private mutating func chance(_ part: Int, in whole: Int) -> Bool {
        Int.random(in: 0..<whole, using: &random) < part
    }
}
