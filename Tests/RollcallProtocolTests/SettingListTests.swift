import CallState
import Testing

@testable import RollcallProtocol

@Suite("List of settings")
struct SettingListTests {
    private static let several = [
        Setting(.handRaised(true)), Setting(target: Target(uid: "ana"), .name("Ana")), Setting(nil),
        Setting(target: Target(uid: "ben", device: "phone"), .bringIn(BringIn())),
    ]

    @Test("holds what an array holds, in its order", arguments: 0...4)
    func holdsAll(count: Int) {
        let settings = Array(Self.several[..<count])
        let list = SettingList(settings)
        #expect(list.count == count && list.isEmpty == settings.isEmpty && Array(list) == settings)
        #expect((0..<count).allSatisfy { list[$0] == settings[$0] })
        var visited: [Setting] = []
        list.visit { visited.append($0) }
        #expect(visited == settings)
    }

    @Test("lists are equal when their settings are")
    func equality() {
        let list: SettingList = [Self.several[0], Self.several[1]]
        #expect(list == SettingList(Self.several[..<2]) && list.hashValue == SettingList(Self.several[..<2]).hashValue)
        #expect(list != SettingList(Self.several[..<3]) && list != [Self.several[0]] && list != [])
        #expect(SettingList([Setting(nil)]) != SettingList())
        #expect(Command(op: 1, settings: list) == Command(op: 1, settings: Array(Self.several[..<2])))
    }

    @Test("an empty setting stands for one that can't be filled in", arguments: [0, 1, 2])
    func failedAppend(before: Int) {
        struct Trouble: Error {}
        var list = SettingList(Self.several[..<before])
        #expect(throws: Trouble.self) {
            try list.append { setting throws(Trouble) in
                setting.change = .name("half")
                throw Trouble()
            }
        }
        #expect(Array(list) == Self.several[..<before] + [Setting(nil)])
        list.append(Self.several[1])
        #expect(list.count == before + 2 && list[before + 1] == Self.several[1])
    }

    @Test("a visit ends where it fails")
    func failedVisit() {
        struct Trouble: Error {}
        var seen = 0
        #expect(throws: Trouble.self) {
            try SettingList(Self.several).visit { _ throws(Trouble) in
                seen += 1
                if seen == 2 { throw Trouble() }
            }
        }
        #expect(seen == 2)
    }
}
