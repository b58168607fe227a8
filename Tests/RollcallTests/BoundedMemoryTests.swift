import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// What a client holds for a relay: as much as waits, however long it goes on.
struct BoundedMemoryTests {
    @Test func `an output buffer that is never empty holds what waits and little more`() {
        var buffer = OutputBuffer()
        var next: UInt8 = 0
        var expected: UInt8 = 0
        for round in 0..<20_000 {
            buffer.append(
                (0..<100).map { _ in
                    next &+= 1
                    return next
                }
            )
            // Always a byte is left, now and then thousands.
            let count = round % 500 == 499 ? buffer.count - 1 : min(buffer.count - 1, 100)
            for byte in buffer.waiting.prefix(count) {
                expected &+= 1
                #expect(byte == expected)
            }
            buffer.take(count)
            #expect(!buffer.isEmpty && buffer.heldCount <= 2 * buffer.count + 4_200)
        }
        buffer.take(buffer.count)
        #expect(buffer.isEmpty && buffer.heldCount == 0 && buffer.waiting.isEmpty)
    }

    @Test func `a queue of frames that is never empty holds those that wait and few more`() {
        var queue = FrameQueue()
        var taken: UInt64 = 0
        queue.append(.calls(request: 1, [], more: false), size: 10)
        for request in 2...10_000 as ClosedRange<UInt64> {
            queue.append(.calls(request: request, [], more: false), size: 10)
            taken += 1
            #expect(queue.takeFirst() == .calls(request: taken, [], more: false))
            #expect(queue.count == 1 && queue.bytes == 10 && queue.heldCount <= 64)
        }
        for _ in 0..<100 { queue.append(.unknown(13), size: 1) }
        #expect(queue.takeFirst() == .calls(request: 10_000, [], more: false))
        for _ in 0..<100 { #expect(queue.takeFirst() == .unknown(13)) }
        #expect(queue.takeFirst() == nil && queue.isEmpty && queue.bytes == 0 && queue.heldCount == 0)
    }

    private static func part(attributes: Int, bytes: Int) -> SnapshotPart {
        var records = Diff()
        for number in 0..<attributes {
            let key = ByteString("k\(1_000 + number)")
            let value = FieldValue.bytes([UInt8](repeating: 1, count: bytes))
            records.fields.append(.init(number: CallField.attributes, key: key, value: value))
        }
        records.records = [.init(slot: .call, kind: .call, fields: 0..<attributes)]
        return SnapshotPart(records: records)
    }

    @Test func `a snapshot is bounded by its bytes, of whatever it is made`() {
        let head = SnapshotHead(position: Position(epoch: 1, seq: 1), reason: .join)
        let parts = [
            Self.part(attributes: 0, bytes: 0), Self.part(attributes: 50, bytes: 0),
            Self.part(attributes: 1, bytes: 60_000),
        ]
        for part in parts {
            var assembly = SnapshotAssembly(head, maximum: 200_000)
            var taken = 0
            while taken < 100_000, assembly.append(part) { taken += 1 }
            #expect(taken > 2 && taken < 100_000)
            #expect(assembly.count > 200_000 && assembly.count < 300_000)
        }
    }

    @Test func `R-63 a relay whose snapshot never ends is asked for another, then given up`() {
        let call = ScriptedCall()
        var client = CoreHarness { $0.maximumSnapshot = 100_000 }
        client.join(call)
        for round in 1...4 {
            client.receive(.snapshot(SnapshotHead(position: call.state.position, reason: .requested)))
            for _ in 0..<10 { client.receive(.part(Self.part(attributes: 20, bytes: 1_000))) }
            #expect(client.resyncs.count == min(round, 3))
            #expect(client.isDisconnected == (round == 4))
        }
    }

    @Test func `R-10 limits of 0 and limits that are absent are the defaults`() throws {
        #expect(Limits().inForce == Limits())
        var none = Limits()
        (none.frame, none.unacknowledged, none.settings) = (0, 0, 0)
        (none.attributes, none.attributeValue, none.people) = (0, 0, 0)
        #expect(none.inForce == Limits())
        var some = none
        (some.frame, some.settings) = (1_000, 3)
        #expect(some.inForce.frame == 1_000 && some.inForce.settings == 3)
        #expect(some.inForce.unacknowledged == 64 && some.inForce.people == 50_000)

        let call = ScriptedCall()
        var welcome = Welcome()
        welcome.limits = none
        var client = CoreHarness()
        client.start()
        client.connect()
        client.receive([.welcome(welcome), call.joined()] + call.snapshot())
        let token = client.command(Setting(.title("plans")))
        #expect(client.failure(of: token) == nil)
        #expect(client.commands.count == 1)
    }
}
