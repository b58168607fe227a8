/// A walk over pages that only lead forwards: it remembers where each page began, to go back to it.
///
/// A page counts once it has arrived. Until then, and after a failure, the walk stands where it was.
struct PageWalk<Cursor: Sendable>: Sendable {
    enum Direction: Sendable {
        case next
        case previous
    }

    /// A page to fetch: its number, and where it begins; nil is the very beginning.
    struct Page: Sendable {
        let number: Int
        let start: Cursor?
    }

    /// Where the pages begin that are known.
    private var starts: [Cursor?] = [nil]
    /// The number of the page that arrived last; -1 is none yet.
    private var current = -1

    init() {}

    /// The page in that direction; nil when there is none.
    func page(_ direction: Direction) -> Page? {
        let number = direction == .next ? current + 1 : current - 1
        return starts.indices.contains(number) ? Page(number: number, start: starts[number]) : nil
    }

    /// A page has arrived; `next` is where the one after it begins, nil when it is the last.
    mutating func arrived(_ page: Page, next: Cursor?) {
        current = page.number
        starts.removeSubrange((page.number + 1)...)
        if let next { starts.append(next) }
    }
}
