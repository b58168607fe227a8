import CallState
import Testing

@Suite("Byte strings")
struct ByteStringTests {
    /// A key of two texts, as a device of a person is.
    private struct Pair: Hashable {
        var first: ByteString
        var second: ByteString
    }

    @Test("two texts hash otherwise than the same bytes parted elsewhere")
    func parted() {
        let bytes = Array("abcdefgh".utf8)
        let pairs = (0...bytes.count).map { place in
            Pair(first: ByteString(Array(bytes[..<place])), second: ByteString(Array(bytes[place...])))
        }
        #expect(Set(pairs.map(\.hashValue)).count == pairs.count)
    }
}
