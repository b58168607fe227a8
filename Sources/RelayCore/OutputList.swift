/// Places of connections whose output is to be taken, in the order in which that is done.
///
/// Those that were given are not removed one by one: all of them are once the last one was.
struct OutputList {
    private var places: [Int] = []
    private var next = 0

    /// Whether there are none.
    var isEmpty: Bool { next == places.count }

    /// Adds `more`, and leaves it empty with its memory.
    mutating func take(_ more: inout [Int]) {
        if more.isEmpty { return }
        if isEmpty {
            swap(&places, &more)
            next = 0
        } else {
            places += more
        }
        more.removeAll(keepingCapacity: true)
    }

    /// The first one, which is not there any more.
    mutating func popFirst() -> Int? {
        guard next < places.count else { return nil }
        defer { next += 1 }
        return places[next]
    }
}
