/// The election of the dominant speaker over a whole ``SpeechPlan``, written for plainness: at every moment that can
/// matter it looks at everybody.
public struct ReferenceElection {
    /// How long somebody must have been speaking to take over, in milliseconds.
    public static let qualifyingTime = 500
    /// How many changes there may be in any second.
    public static let changesPerSecond = 4

    /// When each person who speaks began, in milliseconds.
    private var began: [Int: Int] = [:]
    private var dominant: Int?
    private var changes: [SpeechPlan.Change] = []

    /// Runs the election and gives its changes in order of time.
    ///
    /// - Complexity: O(reports * people).
    public static func changes(of plan: SpeechPlan) -> [SpeechPlan.Change] {
        var election = ReferenceElection()
        var next = 0
        while true {
            let reportTime = next < plan.reports.count ? plan.reports[next].time : nil
            guard let now = [reportTime, election.dueTime].compactMap(\.self).min() else { return election.changes }
            while next < plan.reports.count, plan.reports[next].time == now {
                election.take(plan.reports[next])
                next += 1
            }
            election.evaluate(at: now)
        }
    }

    private mutating func take(_ report: SpeechPlan.Report) {
        if !report.speaks {
            began[report.person] = nil
        } else if began[report.person] == nil {
            began[report.person] = report.time
        }
    }

    /// Those who wait for the place while nobody with the place speaks; the first is the one who gets it.
    private var waiting: [(began: Int, person: Int)] {
        if let dominant, began[dominant] != nil { return [] }
        return began.map { (began: $0.value, person: $0.key) }.sorted { ($0.began, $0.person) < ($1.began, $1.person) }
    }

    /// The moment from which the limit of changes lets another one through.
    private var earliestChange: Int {
        changes.count < Self.changesPerSecond ? 0 : changes[changes.count - Self.changesPerSecond].time + 1000
    }

    private var dueTime: Int? {
        waiting.first.map { max($0.began + Self.qualifyingTime, earliestChange) }
    }

    private mutating func evaluate(at now: Int) {
        guard let dueTime, dueTime <= now, let first = waiting.first else { return }
        dominant = first.person
        changes.append(SpeechPlan.Change(time: now, person: first.person))
    }
}
