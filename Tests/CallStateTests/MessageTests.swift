import Randomness
import Testing

@testable import CallState

@Suite struct MessageTests {
    @Test("R-6: varints are written in the fewest bytes")
    func varints() {
        let cases: [(UInt64, [UInt8])] = [
            (0, [0]), (1, [1]), (127, [127]), (128, [0x80, 1]), (300, [0xac, 2]),
            (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ]
        for (value, bytes) in cases {
            var buffer: [UInt8] = []
            buffer.appendVarint(value)
            #expect(buffer == bytes && varintLength(value) == bytes.count)
        }
        for shift in 0..<64 {
            for value in [UInt64(1) << shift, UInt64(1) << shift - 1] {
                var buffer: [UInt8] = []
                buffer.appendVarint(value)
                #expect(varintLength(value) == buffer.count)
            }
        }
    }

    @Test("R-6: fields are written with tag and payload, whatever their value")
    func fields() {
        var buffer: [UInt8] = []
        buffer.appendField(1, varint: 0)
        buffer.appendField(2, bytes: [7, 8])
        buffer.appendField(3, fixed64: 0x0102_0304_0506_0708)
        #expect(buffer == [8, 0, 18, 2, 7, 8, 25, 8, 7, 6, 5, 4, 3, 2, 1])
        buffer = []
        buffer.appendCanonical(.number(300))
        buffer.appendCanonical(.bytes([5]))
        #expect(buffer == [0xac, 2, 5])
    }

    @Test("R-65: messages in fields come back as they went, and zero is left out")
    func messages() {
        #expect(Hand(version: 3, at: 1000).encoded == [8, 3, 16, 0xe8, 7])
        #expect(Hand(version: 0, at: 0).encoded == [] && Hand(encoded: []) == Hand(version: 0, at: 0))
        #expect(Hand(encoded: Hand(version: .max, at: 5).encoded) == Hand(version: .max, at: 5))
        let recording = Recording(byUID: "ana", byName: "Ana", since: 9)
        #expect(Recording(encoded: recording.encoded) == recording)
        #expect(Recording(byUID: "", byName: "", since: 0).encoded == [])
        let request = UnmuteRequest(byUID: "ben", until: 9)
        #expect(UnmuteRequest(encoded: request.encoded) == request)
        #expect(UnmuteRequest(byUID: "", until: 0).encoded == [])
        #expect(SlotList([2, 300]).encoded == [10, 3, 2, 0xac, 2] && SlotList([]).encoded == [])
        #expect(SlotList(encoded: [10, 3, 2, 0xac, 2])?.slots == [2, 300])
        #expect(SlotList(encoded: [8, 2, 8, 3])?.slots == [2, 3], "unpacked")
    }

    @Test("R-7 R-109: fields that a later version may add are passed over")
    func laterFields() {
        let more: [UInt8] = [0x58, 1, 0x62, 1, 0, 0x69, 1, 2, 3, 4, 5, 6, 7, 8, 0x75, 1, 2, 3, 4]
        #expect(Hand(encoded: [8, 3] + more) == Hand(version: 3, at: 0))
        #expect(Recording(encoded: more)?.since == 0)
        #expect(UnmuteRequest(encoded: more)?.until == 0)
        #expect(SlotList(encoded: more)?.slots == [])
    }

    @Test("R-5: broken bytes are none of these messages, and no length is believed")
    func broken() {
        let broken: [[UInt8]] = [
            [8], [8, 0x80], [0x80], [0, 1], [0x3b], [0x3c], [10, 5, 1], [0x39, 1, 2], [0x3d, 1, 2],
            [10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            [8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
            [8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
        ]
        for bytes in broken {
            #expect(Hand(encoded: bytes) == nil, "\(bytes)")
            #expect(Recording(encoded: bytes) == nil, "\(bytes)")
            #expect(UnmuteRequest(encoded: bytes) == nil, "\(bytes)")
            #expect(SlotList(encoded: bytes) == nil, "\(bytes)")
        }
        #expect(
            Hand(encoded: [10, 0]) == nil && Recording(encoded: [8, 1]) == nil && UnmuteRequest(encoded: [8, 1]) == nil
        )
        #expect(
            SlotList(encoded: [10, 1, 0x80]) == nil && SlotList(encoded: [8, 0x80, 0x80, 0x80, 0x80, 0x10]) == nil
        )
        #expect(SlotList(encoded: [10, 5, 0x80, 0x80, 0x80, 0x80, 0x10]) == nil)
    }

    @Test("random bytes never stop the program", arguments: Seeds.take(4))
    func randomBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<3000 {
            let bytes = (0..<random.below(24)).map { _ in UInt8(random.below(256)) }
            var reader = MessageReader(bytes)
            var count = 0
            while reader.next() != nil { count += 1 }
            #expect(count <= bytes.count)
            _ = [Hand(encoded: bytes) == nil, Recording(encoded: bytes) == nil, SlotList(encoded: bytes) == nil]
        }
    }
}
