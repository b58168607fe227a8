import RollcallCalls
import Testing

@Suite("Searching for people")
struct NameSearchTests {
    private func participants(_ names: String...) -> [Participant] {
        names.map { name in
            var facts = Participant.Facts(uid: "uid-" + name.lowercased())
            facts.name = name
            return Participant(facts)
        }
    }

    @Test("Names that begin with the text come first, then words, then the rest; case and accents do not count")
    func ranks() {
        let people = participants("Banana", "José Álvarez", "Ana", "Dr. Anna-Lena Weiß", "Zoë")
        #expect(NameSearch("AN").ranked(people).map(\.name) == ["Ana", "Dr. Anna-Lena Weiß", "Banana"])
        #expect(NameSearch("alv").ranked(people).map(\.name) == ["José Álvarez"])
        #expect(NameSearch(" ZOE ").ranked(people).map(\.name) == ["Zoë"])
        #expect(NameSearch("").ranked(people).count == 5 && NameSearch("x").ranked(people).isEmpty)
    }

    @Test("What begins inside a character is found, and ends nothing", arguments: ["👨‍👩‍👧 Fam", "🇩🇪🇫🇷", "aः b", "\r\nx"])
    func insideACharacter(name: String) {
        let people = participants(name)
        #expect(NameSearch(name).ranked(people).count == 1)
        for first in name.unicodeScalars.indices {
            for last in name.unicodeScalars.indices where first <= last {
                let text = String(name.unicodeScalars[first...last])
                #expect(NameSearch(text).ranked(people).count <= 1)
            }
        }
        #expect(NameSearch("👨").ranked(participants("👨‍👩‍👧 Fam")).count == 1)
    }

    @Test("Of somebody without a name the uid is looked at")
    func withoutName() {
        let nameless = [Participant(Participant.Facts(uid: "ana"))]
        #expect(NameSearch("an").ranked(nameless).count == 1)
    }
}
