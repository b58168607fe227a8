import Addresses
import CallState
import EventLoop
import Options
import RelayCore
import RollcallProtocol
import Testing

@testable import Relay

@Suite struct RelaySettingsTests {
    private func settings(_ arguments: String...) throws -> RelaySettings {
        guard case .run(let options) = try RelayOptions.program.parse(arguments: arguments) else {
            throw OptionError.unexpectedText
        }
        return try RelaySettings(options)
    }

    @Test func theDefaultsAreThoseOfTheRules() throws {
        let settings = try settings()
        var rules = RelayConfiguration()
        rules.relayID = settings.rules.relayID
        #expect(settings.rules == rules)
        #expect(settings.addresses == [.standard(runtimeDirectory: ProcessEnvironment.variables()["XDG_RUNTIME_DIR"])])
        #expect(!settings.hasOwnConnectionLimit)
        #expect(!settings.isOpenToNetwork)
    }

    @Test func everyLimitAndTimeIsAnOptionWithAUnit() throws {
        let settings = try settings(
            "--hello-timeout=1s",
            "--ping-interval=200ms",
            "--dead-after=500ms",
            "--grace=0",
            "--idle=2m",
            "--stall-timeout=3s",
            "--close-timeout=100ms",
            "--resume-after=5s",
            "--max-connections=7",
            "--max-calls=8",
            "--max-people=9",
            "--max-observers=10",
            "--max-devices=11",
            "--max-attributes=12",
            "--max-tombstones=13",
            "--max-frame=2KiB",
            "--max-delta=8KiB",
            "--ring-size=16KiB",
            "--tick=0",
            "--socket-buffer=5KiB",
            "--command-rate=15:16",
            "--call-command-rate=17",
            "--frame-rate=0",
            "--join-rate=18:19",
            "--attendance-meetings=14",
            "--attendance-rows=15",
            "--attendance-size=1MiB",
            "--open-admin",
            "--relay-id=a",
            "--socket-mode=0660",
            "--socket-user=u",
            "--socket-group=g",
            "--log-format=json",
            "--log-level=debug",
            "--listen=unix:/a",
            "--listen=tcp:127.0.0.1:0"
        )
        #expect(settings.rules.helloTimeout == 1_000)
        #expect(settings.rules.pingInterval == 200)
        #expect(settings.rules.deadAfter == 500)
        #expect(settings.rules.grace == 0)
        #expect(settings.rules.idle == 120_000)
        #expect(settings.rules.stallTimeout == 3_000)
        #expect(settings.rules.closeTimeout == 100)
        #expect(settings.resumeAfter == 5_000)
        #expect(settings.rules.maximumConnections == 7)
        #expect(settings.hasOwnConnectionLimit)
        #expect(settings.rules.maximumCalls == 8)
        #expect(settings.rules.limits.people == 9)
        #expect(settings.rules.maximumObservers == 10)
        #expect(settings.rules.maximumDevicesPerPerson == 11)
        #expect(settings.rules.limits.attributes == 12)
        #expect(settings.rules.maximumTombstones == 13)
        #expect(settings.rules.limits.frame == 2_048)
        #expect(settings.rules.maximumDelta == 8_192)
        #expect(settings.rules.ringBytes == 16_384)
        #expect(settings.rules.tick == 0)
        #expect(settings.socketBuffer == 5_120)
        #expect(settings.rules.commandRate == Rate(perSecond: 15, burst: 16))
        #expect(settings.rules.callCommandRate == Rate(perSecond: 17, burst: 17))
        #expect(!settings.rules.frameRate.isLimited)
        #expect(settings.rules.joinRate == Rate(perSecond: 18, burst: 19))
        #expect(settings.rules.attendance == AttendanceLog.Limits(meetings: 14, rows: 15, bytes: 1 << 20))
        #expect(settings.rules.isAdminOpen)
        #expect(settings.rules.relayID == "a")
        #expect(settings.access == SocketFileAccess(mode: 0o660, user: "u", group: "g"))
        #expect(settings.logFormat == .json)
        #expect(settings.logLevel == .debug)
        #expect(settings.addresses == [.unix(path: "/a"), .tcp(host: "127.0.0.1", port: 0)])
    }

    @Test(arguments: ["", "x", "-1", "1:", ":1", "1:0", "0:5", "1:2:3", "1.5", "2000000000", "1:2000000000"])
    func aRateThatIsNoneIsRefused(text: String) {
        #expect {
            try settings("--command-rate=\(text)")
        } throws: {
            "\($0)".contains("--command-rate") && "\($0)".contains("such as 100 or 100:500; 0 alone is no limit")
        }
    }

    @Test(arguments: [
        ("0:5", "0 is no limit, so that there is nothing to come at once"),
        ("5:0", "with a burst of 0 nothing would ever be let through"),
    ]) func aRateOfNothingSaysWhy(text: String, reason: String) {
        #expect {
            try settings("--command-rate=\(text)")
        } throws: {
            "\($0)".contains("cannot be \"\(text)\": \(reason); accepted is ")
        }
    }

    @Test func aDurabilityThatThereIsNotIsRefusedWithWhatItNeeds() {
        #expect {
            try settings("--durability=foo")
        } throws: {
            "\($0)".contains("accepted is sync or async, both together with --store FILE, or none")
        }
    }

    @Test func aPrintedRateIsReadBack() throws {
        for text in ["0", "100:500", "7:7"] {
            let parsed = try RelayOptions.program.parse(arguments: ["--join-rate", text, "--print-config"])
            guard case .printText(let config) = parsed else { throw OptionError.unexpectedText }
            #expect(config.split(separator: "\n").contains { $0.hasPrefix("join-rate = \(text) ") })
        }
    }

    @Test func aStoreIsForSyncUnlessToldOtherwise() throws {
        #expect(try settings().store == nil)
        #expect(try settings("--durability=none").rules.durability == .none)
        let kept = try settings("--store=/calls.db")
        #expect(kept.store == "/calls.db")
        #expect(kept.rules.durability == .sync)
        #expect(try settings("--store=/calls.db", "--durability=async").rules.durability == .async)
        #expect(try settings("--store=/calls.db", "--durability=sync").rules.durability == .sync)
    }

    @Test(arguments: ["async", "sync"]) func nothingCanBeKeptWithoutAStore(durability: String) {
        #expect {
            try settings("--durability=\(durability)")
        } throws: {
            "\($0)".contains("--durability") && "\($0)".contains("\(durability) together with --store FILE, or none")
        }
    }

    @Test func aStoreInWhichNothingWouldBeKeptIsRefused() {
        #expect {
            try settings("--store=/calls.db", "--durability=none")
        } throws: {
            "\($0)".contains("nothing would be kept in /calls.db")
        }
    }

    @Test func aPingIntervalThatMakesEverybodySeemLostIsRefused() {
        #expect {
            try settings("--ping-interval=10s", "--dead-after=15s")
        } throws: {
            "\($0)".contains("--dead-after") && "\($0)".contains("at least twice --ping-interval")
        }
    }

    @Test(arguments: ["unix:/a", "tcp:127.0.0.1:0", "tcp:[::1]:0", "tcp:localhost:0"])
    func anOpenRelayMayListenOnThisMachine(address: String) throws {
        try settings("--listen", address).checkReach()
    }

    @Test(arguments: ["tcp:0.0.0.0:0", "tcp:[::]:0", "tcp:192.0.2.1:80"])
    func anOpenRelayMustBeToldToListenToTheNetwork(address: String) throws {
        let refused = try settings("--listen", address)
        #expect {
            try refused.checkReach()
        } throws: {
            "\($0)".contains(address) && "\($0)".contains("--open-to-network")
        }
        try settings("--listen", address, "--open-to-network").checkReach()
    }

    @Test func theHelpFitsAScreenInWidth() throws {
        guard case .printText(let help) = try RelayOptions.program.parse(arguments: ["--help"]) else {
            throw OptionError.unexpectedText
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        for name in ["--listen", "--grace", "--max-people", "--config", "--print-config"] {
            #expect(help.contains(name))
        }
    }
}

extension OptionError {
    /// The command line asked for a text where settings were expected.
    fileprivate static var unexpectedText: any Error { UnexpectedText() }
    private struct UnexpectedText: Error {}
}
