import CallState
import Foundation
import Rollcall
import RollcallCalls
import RollcallProtocol
import Testing

/// What listeners are told at the join, and when they come late.
@Suite("Rules of joining")
struct JoiningRuleTests {
    /// A call in which everything is in effect.
    private func busyCall() -> CoreScript {
        var script = CoreScript(own: "dan", "ana", "ben", "chloe", "dan")
        script.commit { state in
            state.setAudioMuted(true, of: state.device("ana"))
            state.setPresenting(true, of: state.device("ana"))
            state.setVideoPaused(true, of: state.device("ben"))
            state.loseLink(of: state.device("ben"), until: 2_000_000)
            state.raiseHand(of: state.person("chloe"), at: 1_001_000)
            state.startRecording(by: state.person("ana"), at: 1_002_000)
            state.setDominantSpeaker(state.person("ben"))
        }
        script.commit { $0.raiseHand(of: $0.person("ana"), at: 1_003_000) }
        return script
    }

    @Test("L-1 L-2: who joins late is told all that is in effect, in order")
    func replay() {
        var script = busyCall()
        #expect(
            script.join() == [
                "session joined", "list ana,ben,chloe,dan",
                "joined ana", "muted ana", "shares ana",
                "joined ben", "paused ben", "reconnecting ben",
                "joined chloe", "joined dan",
                "raised chloe", "raised ana", "records ana", "dominant ben", "hands chloe,ana",
            ]
        )
        #expect(script.turn().isEmpty, "once")
    }

    @Test("L-3: who listens late is told the same as who was there, with the state as it is then")
    func lateListener() {
        var early = busyCall()
        _ = early.join()
        early.commit { $0.setAudioMuted(false, of: $0.device("ana")) }
        _ = early.turn()
        var late = busyCall()
        late.commit { $0.setAudioMuted(false, of: $0.device("ana")) }
        #expect(early.core.replay.map(\.short) == late.join())
    }

    @Test("L-2 L-15: who listens while something is asked for is told what shows, in order")
    func replayWhileAsking() {
        var script = CoreScript(own: "ben", "ana", "ben", "chloe")
        script.commit { state in
            state.setAudioMuted(true, of: state.device("ben"))
            state.raiseHand(of: state.person("chloe"), at: 1)
            state.startRecording(by: state.person("ana"), at: 1)
        }
        _ = script.join()
        script.ask(.audioMuted(false))
        script.ask(.videoPaused(true))
        script.ask(.handRaised(true))
        _ = script.turn()
        #expect(
            script.core.replay.map(\.short) == [
                "session joined", "list ana,ben,chloe", "joined ana", "joined ben", "paused ben", "joined chloe",
                "raised chloe", "raised ben", "records ana", "hands chloe,ben",
            ]
        )
    }

    @Test("L-2: what is not at rest of the own device comes too; a control panel starts right")
    func mediaReplay() {
        var script = CoreScript(own: "ana", "ana")
        script.commit { state in
            state.setAudioMuted(true, of: state.device("ana"))
            state.setPresenting(true, of: state.device("ana"))
            state.startRecording(by: state.person("ana"), at: 1)
        }
        var local = LocalState()
        local.audioMode = .earpiece
        local.layout = .sidebar
        _ = script.join(local)
        #expect(
            MediaState().changes(to: script.core.shown.media).map(\.short) == [
                "own muted", "own shares", "recording", "audio mode earpiece",
            ]
        )
        #expect(LayoutState().changes(to: script.core.shown.layout).map(\.short) == ["layout sidebar"])
    }

    @Test("L-2: at rest nothing is told of the own device")
    func restIsSilent() {
        var script = CoreScript(own: "ana", "ana")
        #expect(script.join() == ["session joined", "list ana", "joined ana"])
        #expect(MediaState().changes(to: script.core.shown.media).isEmpty)
        #expect(LayoutState().changes(to: script.core.shown.layout).isEmpty)
    }

    @Test("L-17: who stays from one session to the next is told what is another than it knows")
    func secondSession() {
        var first = CoreScript(own: "ana", "ana")
        first.commit { $0.setAudioMuted(true, of: $0.device("ana")) }
        _ = first.join()
        let known = first.core.shown.media
        var second = CoreScript(own: "ana", "ana")
        second.commit { $0.setVideoPaused(true, of: $0.device("ana")) }
        _ = second.join()
        #expect(known.changes(to: second.core.shown.media).map(\.short) == ["own unmuted", "own paused"])
    }

    @Test("L-2: the replayed participants carry the whole state")
    func wholeParticipants() {
        var script = busyCall()
        _ = script.join()
        for case .participantJoined(let who) in script.core.replay {
            switch who.uid {
            case "ana":
                #expect(who.status.isAudioMuted && who.status.isPresenting && who.status.isHandRaised)
                #expect(who.raisedHandTimestamp == 1_003 && who.joinedAt == 1_000 && who.mid == "m-1")
            case "ben":
                #expect(who.status.isVideoPaused && who.status.isReconnecting && who.status.isDominantSpeaker)
            case "chloe": #expect(who.status.handRaisedAt?.timeIntervalSince1970 == 1_001)
            default: #expect(who.status == ParticipantStatus() && who.isLocal && who.deviceID == "laptop")
            }
        }
    }

    @Test("L-5: before the join nobody is shown, and nothing is told")
    func beforeJoin() {
        var script = busyCall()
        #expect(script.core.replay.isEmpty && script.turn().isEmpty)
        #expect(script.core.latest(script.reading).snapshot == nil)
    }

    @Test("L-20: nothing is said about minutes in a live call")
    func minutes() {
        var script = busyCall()
        _ = script.join()
        for case .participantJoined(let who) in script.core.replay {
            #expect(who.minutes == nil && who.totalDurationInMinutes == 0)
        }
    }
}
