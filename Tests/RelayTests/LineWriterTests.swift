import Foundation
import Rollcall
import TestSupport
import Testing

@testable import Relay

/// The log must not hold up the relay, whatever its reader does.
@Suite struct LineWriterTests {
    private let reading: Int32
    private let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    /// Reads to the end, after the other side has been closed.
    private func lines() -> [Substring] {
        let data = FileHandle(fileDescriptor: reading, closeOnDealloc: true).readDataToEndOfFile()
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func everyLineIsWrittenInOrderBeforeTheClose() {
        let writer = LineWriter(writing) { "lost \($0)\n" }
        let texts = (0..<100).map { "line \($0)" }
        for text in texts { writer.write(text + "\n") }
        writer.close(within: 60_000)
        close(writing)
        #expect(lines() == texts.map { Substring($0) } + [""])
    }

    /// The reader comes only after the last line: what did not fit is lost in whole lines, counted, and told.
    @Test func whatAReaderIsTooSlowForIsLostCountedAndTold() async {
        let writer = LineWriter(writing, capacity: 4_096) { "lost \($0)\n" }
        let sent = 20_000
        for number in 0..<sent { writer.write("line \(number) \(String(repeating: "x", count: 40))\n") }
        // A thread of its own: those that tasks share may all be waiting, as this one does while it closes.
        let read = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [reading] in
                let file = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
                continuation.resume(returning: file.readDataToEndOfFile())
            }
            writer.close(within: 60_000)
            close(writing)
        }
        let lines = String(decoding: read, as: UTF8.self).split(separator: "\n")
        let whole = lines.filter { $0.hasPrefix("line ") && $0.utf8.suffix(40).allSatisfy { $0 == UInt8(ascii: "x") } }
        let losses = lines.filter { $0.hasPrefix("lost ") }.compactMap { Int($0.dropFirst(5)) }
        #expect(whole.count + losses.count == lines.count)
        #expect(whole.count + losses.reduce(0, +) == sent)
        #expect(!losses.isEmpty && whole.count < sent)
    }

    /// The time-out is the only way to get past this one.
    @Test func aReaderThatNeverComesDoesNotHoldUpTheClose() {
        let writer = LineWriter(writing) { "lost \($0)\n" }
        for _ in 0..<1_000 { writer.write(String(repeating: "x", count: 1_000) + "\n") }
        writer.close(within: 10)
        writer.write("too late\n")
        // The end of the pipe frees the writer's thread.
        close(reading)
    }
}

extension RelayProcessTests {
    /// A relay whose log nobody reads.
    @Suite struct UnreadLogTests {
        @Test func aRelayServesAlthoughNobodyReadsItsLog() async throws {
            let scratch = try Scratch()
            let socket = scratch.path + "/relay.sock"
            try #require(mkfifo(scratch.path + "/log", 0o600) == 0)
            // Opened for reading too, so that the pipe is there without a reader.
            let relay = try ChildProcess(
                "/bin/sh",
                [
                    "-c", #"exec "$0" --listen="unix:$1" --log-level=debug 2<>"$2""#,
                    Places.program("rollcall-relay"), socket, scratch.path + "/log",
                ]
            )
            #expect(await relay.output.next(with: "rollcall-relay: ready") != nil)
            // Two lines each, in all several times what a pipe holds.
            for _ in 0..<2_000 {
                let client = try BareSocket(.unix(socket))
                client.greet()
                try client.welcome()
                client.close()
            }
            let call = try await RollcallClient(.unix(socket)).join("standup", as: Identity(uid: "ana", device: "d"))
            try await call.raiseHand()
            #expect(call.state.people.first?.hand != nil)
            await call.leave()
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }
}
