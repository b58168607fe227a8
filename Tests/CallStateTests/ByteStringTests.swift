import CallState
import Randomness
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

    /// Texts of every length around what is kept in place, many of them beginnings of others, with zeros and high
    /// bytes.
    private static let texts: [[UInt8]] = {
        var random = SplitMix64(seed: 7)
        var texts: [[UInt8]] = [[]]
        for length in 1...40 {
            texts.append([UInt8](repeating: 0, count: length))
            texts.append([UInt8](repeating: 0xFF, count: length))
            texts.append((0..<length).map { UInt8($0) })
            for _ in 0..<4 { texts.append((0..<length).map { _ in [0, 1, 0x7F, 0x80, 0xFF][random.below(5)] }) }
        }
        return texts
    }()

    @Test("whatever its length, a text has the bytes that it was made of")
    func bytes() {
        for text in Self.texts {
            let made = ByteString(text)
            #expect(made.bytes == text)
            #expect(made.count == text.count)
            #expect(made.isEmpty == text.isEmpty)
            #expect(ByteString(text.span) == made)
            var sink: [UInt8] = [1]
            sink.append(contentsOf: made)
            #expect(sink == [1] + text)
            var field: [UInt8] = []
            field.appendField(3, text: made)
            var expected: [UInt8] = []
            expected.appendField(3, bytes: text)
            #expect(field == expected)
        }
        #expect(ByteString("").isEmpty)
        #expect(ByteString.empty == ByteString([]))
        #expect(ByteString("Zo\u{EB}").string == "Zo\u{EB}")
        #expect(ByteString("a text that is longer than that").string == "a text that is longer than that")
    }

    @Test("texts compare, equal and hash as their bytes do, however they are kept")
    func order() {
        for left in Self.texts {
            for right in Self.texts {
                let (one, other) = (ByteString(left), ByteString(right))
                #expect((one == other) == (left == right))
                #expect((one < other) == left.lexicographicallyPrecedes(right))
                if left == right { #expect(one.hashValue == other.hashValue) }
            }
        }
        #expect(Set(Self.texts.map { ByteString($0) }).count == Set(Self.texts).count)
    }
}
