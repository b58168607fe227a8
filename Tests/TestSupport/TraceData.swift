package import Foundation
package import Testing
package import Traces

/// The recorded meetings beside the checkout, or where `ROLLCALL_DATA` says.
package enum TraceData {
    /// The folder of the meetings, whether it is there or not.
    package static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["ROLLCALL_DATA"] { return URL(fileURLWithPath: path) }
        return Places.repository.deletingLastPathComponent().appendingPathComponent("shared/data")
    }()

    /// Every trace, in order of its path; empty without the data.
    package static let paths: [String] = {
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    /// Those that tell who spoke when, and who was the dominant speaker.
    package static let speeches: [String] = paths.filter { path in
        ["ami/", "earnings21/", "voxconverse/"].contains { path.hasPrefix($0) }
    }

    /// Whether there is any.
    package static let isThere = !paths.isEmpty

    /// Reads one.
    package static func load(_ path: String) throws -> Trace {
        try Trace.load(path: folder.appendingPathComponent(path).path)
    }

    /// A trace in the same format, as text.
    package static func text(_ lines: [String], presentAtStart: String = "[]") -> String {
        let meta =
            #"{"t":0.0,"session":"s","uid":"","device":"","event":"meta","present_at_start":"# + presentAtStart + "}"
        return ([meta] + lines).joined(separator: "\n") + "\n"
    }

    /// One line of such a trace.
    package static func line(
        _ t: Double,
        _ uid: String,
        _ device: String,
        _ event: String,
        _ extra: String = ""
    ) -> String {
        let more = extra.isEmpty ? "" : "," + extra
        return #"{"t":\#(t),"session":"s","uid":"\#(uid)","device":"\#(device)","event":"\#(event)"\#(more)}"#
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, and says so, where the recorded meetings are not there.
    package static var needsTraceData: Self {
        .enabled(if: TraceData.isThere, "the recorded meetings are not at ROLLCALL_DATA or ../shared/data")
    }
}
