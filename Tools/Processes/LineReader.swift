import Foundation
import Synchronization

/// The lines that a program writes, as they come.
package final class LineReader: Sendable {
    private let lines: AsyncStream<String>
    private let seen = Mutex<[String]>([])

    /// Reads to the end on a thread of its own: reading blocks, and the pool of tasks is small.
    init(_ handle: FileHandle) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            func take(_ line: ArraySlice<UInt8>) {
                let text = String(decoding: line, as: UTF8.self)
                seen.withLock { $0.append(text) }
                continuation.yield(text)
            }
            // Gives what is there; read(upToCount:) would wait for all of it.
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    take(rest[..<end])
                    rest.removeSubrange(...end)
                }
            }
            if !rest.isEmpty { take(rest[...]) }
            continuation.finish()
        }
    }

    /// Every line that has come, also those that were asked for.
    package var all: [String] { seen.withLock { $0 } }

    /// The next line; nil at the end.
    ///
    /// One task may wait at a time.
    package func next() async -> String? {
        for await line in lines { return line }
        return nil
    }

    /// Waits for the next line with `text` in it, past all others; nil when the program ends without it.
    package func next(with text: String) async -> String? {
        for await line in lines where line.contains(text) { return line }
        return nil
    }

    /// Waits for the end, and gives every line that has come.
    package func toTheEnd() async -> [String] {
        for await _ in lines {}
        return all
    }

    /// Waits for the end, and gives the lines that were not asked for before, each with its newline.
    package func rest() async -> String {
        await lines.reduce(into: "") { $0 += $1 + "\n" }
    }
}
