import Foundation

/// Finds people by what stands in their names, whatever the case and the accents.
package struct NameSearch {
    private let text: String

    package init(_ text: String) {
        self.text = Self.folded(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Those who match: names that begin with the text, then those with a word that does, then the others; each in the
    /// order given.
    package func ranked(_ participants: [Participant]) -> [Participant] {
        if text.isEmpty { return participants }
        var ranks: [[Participant]] = [[], [], []]
        for participant in participants {
            if let rank = rank(of: participant.name ?? participant.facts.uid) { ranks[rank].append(participant) }
        }
        return ranks.flatMap(\.self)
    }

    private func rank(of name: String) -> Int? {
        let name = Self.folded(name)
        if name.hasPrefix(text) { return 0 }
        var rest = name[...]
        var isFound = false
        while let range = rest.range(of: text) {
            isFound = true
            // Foundation may find at the start what is no prefix by whole characters.
            guard range.lowerBound > name.startIndex else { return 0 }
            if !name[name.index(before: range.lowerBound)].isPartOfWord { return 1 }
            rest = rest[rest.index(after: range.lowerBound)...]
        }
        return isFound ? 2 : nil
    }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}

extension Character {
    fileprivate var isPartOfWord: Bool { isLetter || isNumber }
}
