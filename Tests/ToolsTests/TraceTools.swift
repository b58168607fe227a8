import Foundation
import TestSupport
import Traces

/// A short trace in the format of the recorded meetings, written as text.
func trace(_ lines: [String], presentAtStart: String = "[]") throws -> Trace {
    try Trace.parse(Array(TraceData.text(lines, presentAtStart: presentAtStart).utf8), file: "test")
}

/// One line of such a trace.
func line(_ t: Double, _ uid: String, _ device: String, _ event: String, _ extra: String = "") -> String {
    TraceData.line(t, uid, device, event, extra)
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
