import CallState
import RollcallProtocol
import Testing
import ToolSupport

struct SettingWordsTests {
    @Test func `Plain words become one command, in order`() throws {
        let settings = try SettingWords.parse([
            "mic=muted", "cam=on", "hand=up", "share=on", "name=Ana = Maria", "title=", "recording=on", "mute=ben",
            "lower=everyone", "spotlight=ben,ana", "spotlight=nobody", "call=locked", "grace=20s", "idle=0",
            "attribute=k=v=w", "attribute=k", "speaker=nobody", "presenters=one", "moderator=ben", "readmit=ben",
        ])
        #expect(
            settings == [
                Setting(.audioMuted(true)), Setting(.videoPaused(false)), Setting(.handRaised(true)),
                Setting(.presenting(true)), Setting(.name("Ana = Maria")), Setting(.title("")),
                Setting(.recording(true)),
                Setting(target: Target(uid: "ben"), .audioMuted(true)),
                Setting(target: .everyone, .handRaised(false)),
                Setting(.spotlight(["ben", "ana"])), Setting(.spotlight([])), Setting(.callLocked(true)),
                Setting(.grace(20_000)), Setting(.idle(0)),
                Setting(.attribute(Attribute(key: "k", value: Array("v=w".utf8)))),
                Setting(.attribute(Attribute(key: "k", value: nil))), Setting(.dominantSpeaker("")),
                Setting(.presenters(.one)), Setting(target: Target(uid: "ben"), .role(.moderator)),
                Setting(target: Target(uid: "ben"), .removed(false)),
            ]
        )
    }

    @Test(arguments: [
        "mic", "mic=", "mic=loud", "mute=", "moderator=", "grace=20", "grace=20x", "grace=-1s", "attribute==v", "=", "",
        "unmute-request=yes", "lock-mic=",
    ])
    func `What is no setting is refused, with what may stand there`(word: String) {
        #expect(throws: ToolError.self) { try SettingWords.parse(["hand=up", word]) }
    }

    @Test func `An unknown word names near ones`() throws {
        let error = try #require(throws: ToolError.self) { try SettingWords.parse(["mutee=ben"]) }
        #expect(error.code == .usage)
        #expect(error.message.contains("did you mean mute"))
    }

    @Test func `Every word of the help is read`() {
        #expect(SettingWords.help.count == SettingWords.all.count)
        for word in SettingWords.all {
            let value = word.values.split(separator: "|")[0]
            let sample = value == "DURATION" ? "5s" : String(value)
            #expect(throws: Never.self, "\(word.name)") { try SettingWords.parse(["\(word.name)=\(sample)"]) }
        }
    }
}
