import Rollcall
import Testing

@testable import RollcallCalls

@Suite("Session settings")
struct SettingsTests {
    @Test("The defaults are those that call apps know")
    func defaults() {
        let settings = RollcallCalls.sessionSettingsBuilder.build()
        #expect(settings.title == nil && settings.displayName == nil)
        #expect(settings.sessionType == .video && !settings.startAudioMuted && !settings.startVideoPaused)
        #expect(settings.idleTimeoutPeriod == 300 && !settings.autoStartRecording)
        #expect(settings.layout == .tile && settings.audioMode == .speaker && settings.cameraFacing == .FRONT)
        #expect(!settings.autoStartTranscription && settings.captionLanguage == "en-US")
        #expect(settings.joinOptions.idle == nil, "unsaid, so the relay's own counts")
        #expect(settings == SessionSettings())
    }

    @Test("Each setting is readable after its setter")
    func setters() {
        let settings = SessionSettingsBuilder()
            .setTitle("Plans").setDisplayName("Ana").setType(.voice).startAudioMuted(true).startVideoPaused(true)
            .setIdleTimeoutPeriod(0).setLayout(.sidebar).setAudioMode(.bluetooth).setInitialCameraFacing(.BACK)
            .enableAutoStartRecording(true).enableAutoStartTranscription(true).setCaptionLanguage("de")
            .build()
        #expect(settings.title == "Plans" && settings.displayName == "Ana" && settings.sessionType == .voice)
        #expect(settings.startAudioMuted && settings.startVideoPaused && settings.idleTimeoutPeriod == 0)
        #expect(settings.layout == .sidebar && settings.audioMode == .bluetooth && settings.cameraFacing == .REAR)
        #expect(settings.autoStartRecording && settings.autoStartTranscription && settings.captionLanguage == "de")
        #expect(SessionSettingsBuilder().setSessionType(.voice).build().sessionType == .voice)
    }

    @Test("What a builder has built does not change with the builder")
    func built() {
        let builder = RollcallCalls.sessionSettingsBuilder
        builder.setTitle("one")
        let first = builder.build()
        builder.setTitle("two").hideChatButton(false)
        #expect(first.title == "one" && first.hideChatButton)
        #expect(builder.build().title == "two" && !builder.build().hideChatButton)
    }

    @Test("Each hide flag has its setter, its name and its default", arguments: HideFlag.all)
    func hideFlags(flag: HideFlag) {
        let isHidden = SessionControl.hiddenByDefault.contains(flag.control)
        #expect(SessionSettings()[keyPath: flag.value] == isHidden)
        let other = flag.setter(SessionSettingsBuilder(), !isHidden).build()
        #expect(other[keyPath: flag.value] == !isHidden && other.hides(flag.control) == !isHidden)
        for rest in HideFlag.all where rest.control != flag.control {
            #expect(other.hides(rest.control) == SessionSettings().hides(rest.control), "only \(flag.control)")
        }
        #expect(flag.setter(SessionSettingsBuilder(), isHidden).build() == SessionSettings())
    }

    @Test("Every control has a hide flag")
    func everyControl() {
        #expect(HideFlag.all.map(\.control) == SessionControl.allCases)
    }

    @Test("Settings say what the device is like from its first state on")
    func status() {
        #expect(SessionSettings().status == Status(audio: .on, video: .on))
        let muted = SessionSettingsBuilder().startAudioMuted(true).startVideoPaused(true).build()
        #expect(muted.status == Status(audio: .muted, video: .paused))
        let voice = SessionSettingsBuilder().setSessionType(.voice).startVideoPaused(false).build()
        #expect(voice.status == Status(audio: .on, video: .paused), "a voice call begins with the camera off")
    }

    @Test("A display name overrides the login's; an empty one does not")
    func displayName() {
        let ana = Identity(uid: "ana", name: "Ana", device: "laptop")
        #expect(SessionSettings().identity(of: ana) == ana)
        #expect(SessionSettingsBuilder().setDisplayName("").build().identity(of: ana) == ana)
        let chair = SessionSettingsBuilder().setDisplayName("The chair").build().identity(of: ana)
        #expect(chair.name == "The chair" && chair.uid == "ana" && chair.device == "laptop")
    }

    @Test("An idle timeout that is given goes to the relay in seconds", arguments: [0, 1, 300, 1 << 43])
    func idle(seconds: Int) {
        let settings = SessionSettingsBuilder().setIdleTimeoutPeriod(seconds).build()
        #expect(settings.joinOptions.idle == .seconds(seconds))
        #expect(throws: Never.self) { try settings.check() }
    }

    @Test("What is out of range is refused by name")
    func outOfRange() {
        let long = String(repeating: "é", count: 129)
        let wrong: [(SessionSettingsBuilder, String)] = [
            (SessionSettingsBuilder().setIdleTimeoutPeriod(-1), "setIdleTimeoutPeriod"),
            (SessionSettingsBuilder().setIdleTimeoutPeriod(.max), "setIdleTimeoutPeriod"),
            (SessionSettingsBuilder().setTitle(long), "setTitle"),
            (SessionSettingsBuilder().setDisplayName(long), "setDisplayName"),
        ]
        for (builder, setter) in wrong {
            #expect {
                try builder.build().check()
            } throws: { error in
                let error = error as? RollcallCallException
                return error?.errorCode == RollcallCallException.Code.invalidSetting
                    && error?.errorDescription.contains(setter) == true
            }
        }
        let longest = SessionSettingsBuilder().setTitle(String(repeating: "é", count: 128)).build()
        #expect(throws: Never.self) { try longest.check() }
    }

    @Test("A title and a recording are asked for only where there is none")
    func firstCommands() {
        let settings = SessionSettingsBuilder().setTitle("Plans").enableAutoStartRecording(true).build()
        #expect(settings.firstCommands(hasTitle: false, isRecorded: false) == [.setTitle("Plans"), .startRecording])
        #expect(settings.firstCommands(hasTitle: true, isRecorded: false) == [.startRecording])
        #expect(settings.firstCommands(hasTitle: false, isRecorded: true) == [.setTitle("Plans")])
        #expect(SessionSettings().firstCommands(hasTitle: false, isRecorded: false).isEmpty)
        let untitled = SessionSettingsBuilder().setTitle("").build()
        #expect(untitled.firstCommands(hasTitle: false, isRecorded: false).isEmpty)
    }
}
