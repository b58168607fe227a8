import RollcallProtocol

/// A stream that is cut and stopped as the input's first bytes say, against a splitter that has the whole of it.
enum SplitterProgram {
    static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        var verdict = Verdict()
        var choices = ChoiceReader(bytes)
        let expectsPreface = choices.flag()
        let maximum = choices.pick([1, 16, 1_000, 65_536])
        let (step, stops) = (Int(choices.byte()), choices.byte())
        let stream = choices.take(.max)
        let expected = split(stream, expectsPreface, maximum)

        var splitter = FrameSplitter(maximumFrameLength: maximum, expectsPreface: expectsPreface)
        var frames: [[UInt8]] = []
        var offset = 0
        var turn = 0
        var failure: WireError?
        while offset < stream.count, failure == nil {
            let size = step == 0 ? stream.count : 1 + (turn &* 7 &+ step) % step
            let end = min(stream.count, offset + size)
            turn += 1
            do throws(WireError) {
                let taken = try splitter.feed(stream.span.extracting(offset..<end)) { frame in
                    frames.append(Array(copying: frame))
                    return frames.count & Int(stops) == 1 ? .stop : .proceed
                }
                verdict.require((0...end - offset).contains(taken), "\(taken) bytes taken of \(end - offset)")
                verdict.require(taken > 0, "nothing taken of \(end - offset) bytes")
                if verdict.finding != nil { break }
                offset += taken
            } catch {
                failure = error
            }
            verdict.require(splitter.isEmpty == (splitter.keptCount == 0), "isEmpty of \(splitter.keptCount)")
            verdict.require(
                splitter.keptCapacity <= max(256, 2 * splitter.keptCount + splitter.keptCount / 2),
                "room for \(splitter.keptCapacity) bytes, where \(splitter.keptCount) came"
            )
        }
        verdict.require(frames == expected.frames, "frames \(frames), not \(expected.frames)")
        verdict.require(failure?.code == expected.error, "\(failure as Any), not \(expected.error as Any)")
        if failure != nil {
            let again = (try? splitter.feed([0, 0, 0, 1, 7].span) { _ in .proceed }) != nil
            verdict.require(!again, "a lost stream goes on")
        }
        try verdict.end()
    }

    /// The same by a few lines that have all of the stream.
    private static func split(
        _ stream: [UInt8],
        _ expectsPreface: Bool,
        _ maximum: Int
    ) -> (frames: [[UInt8]], error: WireError.Code?) {
        var frames: [[UInt8]] = []
        var rest = stream[...]
        if expectsPreface {
            let begin = rest.prefix(4)
            if !FrameSplitter.preface.starts(with: begin) { return ([], .badPreface) }
            rest = rest.dropFirst(4)
        }
        while rest.count >= 4 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            if length == 0 || length > maximum { return (frames, .frameLength) }
            guard rest.count >= 4 + length else { break }
            frames.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return (frames, nil)
    }
}

extension [UInt8] {
    /// The bytes of `span`.
    init(copying span: Span<UInt8>) {
        self = span.indices.map { span[$0] }
    }
}
