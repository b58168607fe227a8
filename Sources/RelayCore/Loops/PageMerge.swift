/// Makes one page of the pages of several loops.
struct PageMerge<Entry> {
    /// The entries in order, each with what it weighs in bytes.
    private(set) var entries: [Entry] = []
    /// Whether entries follow that are not in it.
    private(set) var hasMore = false

    /// Merges pages, each of which is in the order of `key` and says whether entries follow on its loop.
    ///
    /// Ends where the first of the loops has more to tell, or at `room` bytes with the last entry; the next page goes
    /// on behind its last entry.
    init<Key: Comparable>(
        _ pages: [(entries: [Entry], more: Bool)],
        room: Int,
        key: (Entry) -> Key,
        weight: (Entry) -> Int
    ) {
        // Behind the last entry of a page that is not the last, that loop has some that nobody has seen.
        let end = pages.compactMap { $0.more ? $0.entries.last.map(key) : nil }.min()
        var size = 0
        let all = pages.flatMap(\.entries).sorted { key($0) < key($1) }
        for entry in all {
            if size >= room { break }
            if let end, key(entry) > end { break }
            size += weight(entry)
            entries.append(entry)
        }
        hasMore = entries.count < all.count || pages.contains { $0.more }
    }
}
