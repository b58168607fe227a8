import Foundation
import Synchronization

/// The lines that a program writes, as they come.
final class LineReader: Sendable {
    private let lines: AsyncStream<String>
    private let seen = Mutex<[String]>([])

    /// Reads to the end on a thread of its own: reading blocks, and the pool of tasks is small.
    init(_ handle: FileHandle) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    seen.withLock { $0.append(line) }
                    continuation.yield(line)
                    rest.removeSubrange(...end)
                }
            }
            continuation.finish()
        }
    }

    /// Every line that has come, also those that were asked for.
    var all: [String] { seen.withLock { $0 } }

    /// Waits for the next line with `text` in it, past all others; nil when the program ends without it.
    ///
    /// One task may wait at a time.
    func next(with text: String) async -> String? {
        for await line in lines where line.contains(text) { return line }
        return nil
    }

    /// Waits for the end, and gives every line that has come.
    func toTheEnd() async -> [String] {
        for await _ in lines {}
        return all
    }
}
