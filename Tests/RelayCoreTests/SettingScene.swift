import CallState
import RollcallProtocol

/// Ana, who is no moderator once only moderators may moderate, ben, who is one, and chloe with two devices.
struct SettingScene {
    var world = World()
    let ana: Int
    let ben: Int
    let chloe: Int

    init(moderatorsOnly: Bool = false) {
        ana = world.join("ana")
        ben = world.join("ben") { $0.role = .moderator }
        chloe = world.join("chloe")
        _ = world.join("chloe", "phone")
        if moderatorsOnly { world.set(ben, Setting(.moderation(.moderators))) }
    }

    var state: CallState { world.state(ben) }

    func device(_ uid: String, _ device: String = "laptop") -> Device? { world.device(uid, device, as: ben) }

    func person(_ uid: String) -> Person? { world.person(uid, as: ben) }
}
