/// The names that `name` may have meant: those few edits away, and those it is the beginning of.
///
/// At most three, the nearest first.
///
/// An edit is a letter more, less, another one, or two exchanged. Takes O(n * m) per candidate.
public func nearNames(to name: String, in candidates: [String]) -> [String] {
    let wanted = Array(name.utf8)
    let limit = max(1, wanted.count / 3)
    let near = candidates.enumerated().compactMap { index, candidate -> (distance: Int, index: Int, name: String)? in
        let other = Array(candidate.utf8)
        let isBeginning = wanted.count >= 2 && other.starts(with: wanted)
        let distance = isBeginning ? 1 : editDistance(wanted, other)
        return distance <= limit ? (distance, index, candidate) : nil
    }
    return near.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }.prefix(3).map(\.name)
}

private func editDistance(_ from: [UInt8], _ to: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...to.count)
    for row in 0..<from.count {
        var current = [row + 1]
        for column in 0..<to.count {
            var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (from[row] == to[column] ? 0 : 1))
            if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        (beforeLast, last) = (last, current)
    }
    return last[to.count]
}
