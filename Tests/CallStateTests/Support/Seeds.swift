import Foundation

/// The seeds of this run: one from ROLLCALL_SEED, or as many as asked for, from a printed random number.
enum Seeds {
    private static let given = ProcessInfo.processInfo.environment["ROLLCALL_SEED"].flatMap { UInt64($0) }

    private static let base: UInt64 = {
        let base = UInt64.random(in: 0..<1_000_000_000)
        print("random histories with seeds from \(base); repeat one with ROLLCALL_SEED=<seed>")
        return base
    }()

    static func take(_ count: Int) -> [UInt64] {
        if let given { return [given] }
        return (0..<count).map { base + UInt64($0) }
    }
}
