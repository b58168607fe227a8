import CallState
import Foundation
import RollcallProtocol
import TestSupport
import Testing

extension RelayProcessTests {
    /// What many local readers of a call are given in one turn.
    @Suite struct LocalReadersTests {
        /// The sizes of the files without a name that a process has open; nil on a system without them.
        private func memoryFiles(of pid: Int32) throws -> [(bytes: Int, blocks: Int)]? {
            #if os(Linux)
                let folder = "/proc/\(pid)/fd"
                return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
                    let path = "\(folder)/\(name)"
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                    var status = stat()
                    guard target?.hasPrefix("/memfd:") == true, stat(path, &status) == 0 else { return nil }
                    return (Int(status.st_size), Int(status.st_blocks))
                }
            #else
                return nil
            #endif
        }

        @Test func readersThatReadLateGetEveryTurnAsItWas() async throws {
            let relay = try await RelayProcess("--loops=1", "--tick=0", "--socket-buffer=1MiB")
            let readers = try (0..<12).map { _ in
                let reader = try BareSocket(relay.address)
                try reader.join("standup", "eve", mode: .observer)
                return reader
            }
            let writer = try BareSocket(relay.address)
            try writer.join("standup", "ana")
            #expect(try memoryFiles(of: relay.pid)?.isEmpty != false)
            func values(_ round: UInt64) -> [FieldValue] {
                (0..<10).map { .bytes([UInt8](repeating: UInt8(round * 16 + $0), count: 1_000)) }
            }
            for round: UInt64 in 1...12 {
                let settings = values(round).enumerated().compactMap { number, value in
                    guard case .bytes(let bytes) = value else { return nil as Setting? }
                    return Setting(.attribute(Attribute(key: ByteString("k\(number)"), value: bytes)))
                }
                writer.send(.command(Command(op: round, settings: settings)))
                while let frame = try writer.receive() {
                    if case .ack(let ack) = frame, ack.op == round {
                        #expect(ack.code == .ok)
                        break
                    }
                }
                // One has gone, which the relay finds out by writing to it.
                if round == 6 { readers[9].close() }
            }
            for (index, reader) in readers.enumerated() where index != 9 {
                var round: UInt64 = 1
                while round <= 12, let frame = try reader.receive() {
                    guard case .delta(let delta) = frame else { continue }
                    let told = delta.records.fields.filter { !$0.key.isEmpty }.compactMap(\.value)
                    guard !told.isEmpty else { continue }
                    #expect(told == values(round), "reader \(index), turn \(round)")
                    round += 1
                }
                #expect(round == 13)
            }
            // It has used pages, and holds none now.
            if let files = try memoryFiles(of: relay.pid) {
                #expect(files.count == 1)
                #expect(files.allSatisfy { $0.bytes == 0 && $0.blocks == 0 })
            }
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
        }
    }
}
