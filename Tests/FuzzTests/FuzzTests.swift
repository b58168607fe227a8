import Foundation
import FuzzTargets
import Randomness
import Testing

/// The fuzz targets in the ordinary tests: the vectors, inputs drawn at random, and what has found something.
///
/// Tools/fuzz looks for more.
struct FuzzTests {
    /// A frame or a stream of `Protocol/vectors`.
    private struct Vector {
        var direction: String
        var bytes: [UInt8]
    }

    private func vectors() throws -> [Vector] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Protocol/vectors")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        return try files.sorted().flatMap { file -> [Vector] in
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appendingPathComponent(file)))
            let array = json as? [[String: Any]] ?? []
            return array.compactMap { member in
                guard let hex = member["hex"] as? String else { return nil }
                return Vector(direction: member["direction"] as? String ?? "", bytes: [UInt8](hex: hex))
            }
        }
    }

    @Test("R-5: every vector, whole or with a byte changed, passes the oracle of its decoder and of the splitter")
    func vectorsPass() throws {
        var random = SplitMix64(seed: 1)
        let vectors = try vectors()
        try #require(vectors.count > 100)
        for vector in vectors where vector.bytes.count < 3_000 {
            let target = vector.direction == "client" ? FuzzTarget.clientFrame : .serverFrame
            var message = Array(vector.bytes.dropFirst(4))
            try target.run(message)
            for _ in 0..<4 where !message.isEmpty {
                message[random.below(message.count)] ^= 1 << UInt8(random.below(8))
                try target.run(message)
            }
            let plan = (0..<4).map { _ in UInt8(random.below(256)) }
            try FuzzTarget.splitter.run(plan + vector.bytes)
        }
    }

    @Test("inputs drawn at random pass", arguments: FuzzTarget.allCases)
    func randomInputsPass(target: FuzzTarget) throws {
        var random = SplitMix64(seed: 2)
        for _ in 0..<60 {
            let bytes = (0..<random.below(400)).map { _ in UInt8(random.below(256)) }
            try pass(bytes, target)
        }
    }

    @Test("what once found something passes", arguments: Regression.all)
    func regressionsPass(regression: Regression) throws {
        try pass([UInt8](hex: regression.hex), regression.target)
    }

    private func pass(_ bytes: [UInt8], _ target: FuzzTarget) throws {
        do {
            try target.run(bytes)
        } catch {
            let hex = bytes.map { String(format: "%02x", $0) }.joined()
            Issue.record("\(target.rawValue) by \(hex): \(error)")
        }
    }
}

extension [UInt8] {
    /// The bytes that hexadecimal digits say.
    init(hex: String) {
        let digits = Array<UInt8>(hex.utf8).map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
