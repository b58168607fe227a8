import Foundation

/// The seed of random tests: from the environment, else a new one.
///
/// It is printed, so that a run can be repeated.
enum Seed {
    static let value: UInt64 = {
        let given = ProcessInfo.processInfo.environment["ROLLCALL_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("ROLLCALL_SEED=\(seed)")
        return seed
    }()
}
