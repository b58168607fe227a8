import Foundation
import Testing
import Traces

/// The recorded meetings beside the checkout, or where `ROLLCALL_DATA` says.
enum TraceData {
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["ROLLCALL_DATA"] { return URL(fileURLWithPath: path) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/data")
    }()

    /// Every trace, in order of its path; empty without the data.
    static let paths: [String] = {
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    static let isThere = !paths.isEmpty

    static func load(_ path: String) throws -> Trace {
        try Trace.load(path: folder.appendingPathComponent(path).path)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, and says so, where the recorded meetings are not there.
    static var needsTraceData: Self {
        .enabled(if: TraceData.isThere, "the recorded meetings are not at ROLLCALL_DATA or ../shared/data")
    }
}

/// A short trace in the same format, written as text.
func trace(_ lines: [String], presentAtStart: String = "[]") throws -> Trace {
    let meta = #"{"t":0.0,"session":"s","uid":"","device":"","event":"meta","present_at_start":"# + presentAtStart + "}"
    return try Trace.parse(Array(([meta] + lines).joined(separator: "\n").utf8), file: "test")
}

/// One line of such a trace.
func line(_ t: Double, _ uid: String, _ device: String, _ event: String, _ extra: String = "") -> String {
    let more = extra.isEmpty ? "" : "," + extra
    return #"{"t":\#(t),"session":"s","uid":"\#(uid)","device":"\#(device)","event":"\#(event)"\#(more)}"#
}

/// Plays a whole plan and gives the model.
func played(_ plan: TracePlan) throws -> ReferenceModel {
    var model = ReferenceModel(electsDominantSpeaker: plan.electsDominantSpeaker)
    for step in plan.steps { try model.apply(step.action) }
    return model
}

/// The seed of a random test: printed, and taken back from `TRACE_SEED`.
func traceSeed() -> UInt64 {
    let given = ProcessInfo.processInfo.environment["TRACE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64.max)
    print("TRACE_SEED=\(seed)")
    return seed
}
