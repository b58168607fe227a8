import Foundation
import RollcallProtocol
import Testing

/// The law of the splitter: however a stream is cut, the frames are the same.
struct SplitterTests {
    /// What a splitter made of a stream.
    struct Outcome: Equatable {
        var frames: [[UInt8]] = []
        var error: WireError?
    }

    /// Feeds `stream` in pieces of the sizes that `size` gives, and stops at the first error.
    private func split(
        _ stream: [UInt8],
        preface: Bool,
        maximum: Int = 65_536,
        size: () -> Int
    ) -> Outcome {
        var outcome = Outcome()
        var splitter = FrameSplitter(maximumFrameLength: maximum, expectsPreface: preface)
        var offset = 0
        while offset < stream.count {
            let piece = Array(stream[offset..<min(stream.count, offset + max(1, size()))])
            offset += piece.count
            do throws(WireError) {
                let taken = try splitter.feed(piece.span) { frame in
                    outcome.frames.append(frame.array)
                    return .proceed
                }
                #expect(taken == piece.count)
                #expect(splitter.isEmpty == (splitter.keptCount == 0))
            } catch {
                outcome.error = error
                break
            }
        }
        return outcome
    }

    @Test("R-1, R-2, R-3, R-4: whole, byte by byte and cut at random a stream gives the same frames")
    func vectors() throws {
        var random = SeededRandom(seed: SeededRandom.seed &+ 3)
        for vector in try Vectors.load("stream") {
            let stream = [UInt8](hex: vector.text("hex"))
            let expected = try #require(vector.members["frames"] as? [String]).map { [UInt8](hex: $0) }
            let sizes: [() -> Int] = [
                { max(1, stream.count) }, { 1 }, { 3 }, { Int.random(in: 1...9, using: &random) },
                { Int.random(in: 1...5_000, using: &random) },
            ]
            for size in sizes {
                let outcome = split(
                    stream,
                    preface: vector.flag("preface"),
                    maximum: vector.number("maximum"),
                    size: size
                )
                #expect(outcome.frames == expected, "\(vector.name)")
                #expect(outcome.error?.code.rawValue == vector.members["error"] as? String, "\(vector.name)")
            }
        }
    }

    @Test("R-4: glued and cut at random, random frames come out whole")
    func randomFrames() throws {
        var random = SeededRandom(seed: SeededRandom.seed &+ 4)
        var stream: [UInt8] = []
        var expected: [[UInt8]] = []
        for _ in 0..<300 {
            let frame = random.serverFrame()
            frame.encode(into: &stream)
            expected.append(frame.message)
        }
        for most in [1, 2, 7, 100, 4_096, stream.count] {
            let outcome = split(stream, preface: false, maximum: 1 << 20) { Int.random(in: 1...most, using: &random) }
            #expect(outcome.frames == expected)
            #expect(outcome.error == nil)
        }
    }

    @Test("R-3: a frame that claims 4 GiB is refused with its four bytes, which names claim and limit")
    func hugeClaim() throws {
        var splitter = FrameSplitter(maximumFrameLength: 65_536)
        let claim: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        try splitter.feed(claim.span.extracting(first: 3)) { _ in .proceed }
        let error = #expect(throws: WireError.self) {
            try splitter.feed(claim.span.extracting(first: 1)) { _ in .proceed }
        }
        #expect(error?.code == .frameLength)
        #expect(error?.description == "length at byte 0: a frame of 4294967295 bytes, where the limit is 65536")
        #expect(splitter.keptCount == 4)
        #expect(splitter.keptCapacity < 256)
        // The stream is lost: what comes after is not taken for a frame.
        let good: [UInt8] = [0, 0, 0, 1, 0]
        #expect(throws: WireError.self) { try splitter.feed(good.span) { _ in .proceed } }
    }

    @Test("R-1: a wrong preface is refused at its first wrong byte and stays refused")
    func wrongPreface() throws {
        var splitter = FrameSplitter(maximumFrameLength: 10, expectsPreface: true)
        let get = Array("GET".utf8)
        let error = #expect(throws: WireError.self) { try splitter.feed(get.span) { _ in .proceed } }
        #expect(error?.code == .badPreface)
        #expect(error?.detail.contains("47 45 54") == true)
        #expect(error?.closeCode == .badPreface)
        let right = FrameSplitter.preface
        #expect(throws: WireError.self) { try splitter.feed(right.span) { _ in .proceed } }
    }

    @Test(
        "R-3: a stream that claims a forbidden length in one piece stays lost",
        arguments: [[0, 0, 0, 0], [0, 0, 0, 9]]
    )
    func lostInOnePiece(length: [UInt8]) throws {
        var splitter = FrameSplitter(maximumFrameLength: 8)
        let first: [UInt8] = [0, 0, 0, 1, 7] + length + [1, 2, 3]
        var frames: [[UInt8]] = []
        let good: [UInt8] = [0, 0, 0, 1, 7]
        for chunk in [first, good, good] {
            let error = #expect(throws: WireError.self) {
                try splitter.feed(chunk.span) { frame in
                    frames.append(frame.array)
                    return .proceed
                }
            }
            #expect(error?.code == .frameLength)
        }
        #expect(frames == [[7]])
        #expect(splitter.keptCount == 4)
    }

    @Test func theReceiverCanStopInTheMiddle() throws {
        let stream: [UInt8] = [0, 0, 0, 1, 7, 0, 0, 0, 1, 8, 0, 0, 0, 2, 9]
        var splitter = FrameSplitter(maximumFrameLength: 10)
        var frames: [[UInt8]] = []
        let first = try splitter.feed(stream.span) { frame in
            frames.append(frame.array)
            return .stop
        }
        #expect(first == 5)
        #expect(splitter.isEmpty)
        // Cut inside the second frame, then stopped by it.
        let cut = Array(stream[first..<first + 2])
        #expect(try splitter.feed(cut.span) { _ in .stop } == 2)
        let rest = Array(stream[(first + 2)...])
        let second = try splitter.feed(rest.span) { frame in
            frames.append(frame.array)
            return .stop
        }
        #expect(second == 3)
        #expect(frames == [[7], [8]])
        #expect(splitter.isEmpty)
    }

    @Test(
        "R-3, R-4: a frame that comes in drips moves its bytes a few times, and room follows what came",
        arguments: [1, 3, 64]
    )
    func drips(size: Int) throws {
        let claim = 1 << 19
        let frame: [UInt8] = [0, 8, 0, 0] + [UInt8](repeating: 5, count: claim)
        var splitter = FrameSplitter(maximumFrameLength: 1 << 20)
        var capacities: Set<Int> = []
        var whole = 0
        var offset = 0
        while offset < frame.count {
            let end = min(frame.count, offset + size)
            try splitter.feed(frame.span.extracting(offset..<end)) { frame in
                whole = frame.count
                return .proceed
            }
            offset = end
            capacities.insert(splitter.keptCapacity)
            // An array rounds its room up, small ones to its least.
            #expect(splitter.keptCapacity <= max(256, 2 * splitter.keptCount + splitter.keptCount / 2))
        }
        #expect(whole == claim && splitter.keptCapacity == 0)
        #expect(capacities.count < 40)
    }

    @Test func theRestIsKeptAndGivenBack() throws {
        let frame: [UInt8] = [0, 0, 0x40, 0] + [UInt8](repeating: 5, count: 0x4000)
        var splitter = FrameSplitter(maximumFrameLength: 0x4000)
        var count = 0
        try splitter.feed(frame.span.extracting(first: 0x4000)) { _ in
            count += 1
            return .proceed
        }
        #expect(splitter.keptCount == 0x4000)
        try splitter.feed(frame.span.extracting(last: 4)) { whole in
            count += whole.count
            return .proceed
        }
        #expect(count == 0x4000)
        #expect(splitter.isEmpty)
        #expect(splitter.keptCapacity == 0)
    }
}

extension Span<UInt8> {
    /// The bytes as an array.
    var array: [UInt8] { indices.map { self[$0] } }
}
