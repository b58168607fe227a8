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
            // A match may begin inside a character, such as an emoji of several people, also inside the first.
            guard range.lowerBound > name.startIndex else { return 0 }
            let scalars = name.unicodeScalars
            if !scalars[scalars.index(before: range.lowerBound)].isPartOfWord { return 1 }
            rest = rest[rest.index(after: range.lowerBound)...]
        }
        return isFound ? 2 : nil
    }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}

extension Unicode.Scalar {
    fileprivate var isPartOfWord: Bool { properties.isAlphabetic || properties.numericType != nil }
}
