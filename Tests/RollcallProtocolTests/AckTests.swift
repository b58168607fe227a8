import CallState
import RollcallProtocol
import Testing

/// Answers to commands.
struct AckTests {
    @Test("The answer to a command that was done has room for the largest numbers, and leaves 0 out")
    func done() throws {
        var bytes: [UInt8] = []
        ServerFrame.encode(Ack(op: .max, position: Position(epoch: .max, seq: .max)), into: &bytes)
        // Length, two tags with lengths, and three tags with numbers of ten bytes.
        #expect(bytes.count == 4 + 2 + 2 + 3 * 11)
        let most = WireLimits.position
        let largest = Ack(op: most, position: Position(epoch: most, seq: most))
        for ack in [largest, Ack(op: 1, position: .zero), Ack(op: 127, position: Position(epoch: 0, seq: 128))] {
            bytes = []
            ServerFrame.encode(ack, into: &bytes)
            #expect(try ServerFrame.decode(bytes.span.extracting(droppingFirst: 4)) == .ack(ack))
        }
    }
}
