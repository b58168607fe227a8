import RollcallProtocol
import Testing

struct UnknownSettingTests {
    @Test(
        "R-74: a setting with something unknown beside its change has no change, so that the command is refused whole"
    )
    func unknownBesideKnown() throws {
        // Command 1 with one setting: audio_muted (2) is true, and a field 60 that a later version may have.
        let bytes: [UInt8] = [0x1A, 0x09, 0x08, 0x01, 0x12, 0x05, 0x10, 0x01, 0xE0, 0x03, 0x01]
        guard case .command(let command) = try ClientFrame.decode(bytes.span) else {
            Issue.record("no command")
            return
        }
        #expect(command.op == 1)
        #expect(command.settings.count == 1)
        #expect(command.settings.first?.change == nil)
        #expect(command.fault == nil)
    }
}
