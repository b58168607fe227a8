import Randomness
import Testing

@testable import CallState

@Suite("Table of uids")
struct UIDTableTests {
    @Test("holds what a dictionary holds, whatever is added and removed", arguments: 0..<20)
    func agreesWithADictionary(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var table = UIDTable()
        var dictionary: [ByteString: Slot] = [:]
        // Few different uids, so that they meet; short ones, long ones, and such as begin alike.
        let prefix = ["", "u-", "somebody-with-a-long-name-", "123456789012345"][seed % 4]
        for step in 0..<4_000 {
            let uid = ByteString(prefix + String(random.next() % 300))
            if random.next() % 3 == 0 {
                table[uid] = nil
                dictionary[uid] = nil
            } else {
                table[uid] = Slot(step + 2)
                dictionary[uid] = Slot(step + 2)
            }
            #expect(table.count == dictionary.count)
            #expect(table[uid] == dictionary[uid])
        }
        for uid in (0..<300).map({ ByteString(prefix + String($0)) }) {
            #expect(table[uid] == dictionary[uid], "\(uid)")
        }
    }

    @Test("an empty one has nobody, not even the empty uid; removing nobody changes nothing")
    func extremes() {
        var table = UIDTable()
        #expect(table[""] == nil && table["ana"] == nil)
        table["ana"] = nil
        #expect(table.count == 0 && table.longestProbe == 0)
        table["ana"] = 2
        table["ben"] = nil
        table[""] = nil
        #expect(table["ana"] == 2 && table[""] == nil && table.count == 1)
        table[""] = 3
        #expect(table[""] == 3 && table["ana"] == 2)
        table["ana"] = 7
        #expect(table["ana"] == 7 && table.count == 2)
    }

    @Test("a copy keeps what is taken out of the other, and an empty table can be filled again")
    func copies() {
        var one = UIDTable()
        for number in 0..<100 { one[ByteString("u\(number)")] = Slot(number + 2) }
        var other = one
        for number in 0..<100 { other[ByteString("u\(number)")] = nil }
        #expect(other.count == 0 && other["u7"] == nil && other.longestProbe == 0)
        #expect(one.count == 100 && (0..<100).allSatisfy { one[ByteString("u\($0)")] == Slot($0 + 2) })
        other["u7"] = 5
        #expect(other["u7"] == 5 && other.count == 1 && one["u7"] == 9)
    }

    @Test("uids that are alike need few probes")
    func alikeUIDs() {
        let counted = (0..<3_000).map { ByteString("u-\($0)") }
        let padded = (0..<3_000).map { ByteString(String(repeating: "0", count: 30 - String($0).count) + String($0)) }
        let ended = (0..<3_000).map { ByteString(String($0) + "@example.com/phone") }
        for uids in [counted, padded, ended] {
            // With a key of the test's own, so that it finds the same each time.
            var table = UIDTable(key: (0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93))
            for uid in uids { table[uid] = 2 }
            // Uids at random need about 40.
            #expect(table.count == uids.count && (1..<200).contains(table.longestProbe), "\(table.longestProbe) probes")
        }
    }

    @Test("the hash depends on every byte, on the length and on both parts of the key")
    func hash() {
        let texts = ["", "\0", "\0\0", "a", "b", "aa", String(repeating: "a", count: 15)]
        let long =
            (16..<40).map { String(repeating: "a", count: $0) }
            + (16..<40).map { String(repeating: "a", count: $0) + "b" }
        let all = (texts + long).map { ByteString($0) }
        #expect(Set(all.map { $0.keyedHash(3, 5) }).count == all.count)
        for text in all {
            #expect(text.keyedHash(3, 5) != text.keyedHash(7, 5) && text.keyedHash(3, 5) != text.keyedHash(3, 7))
        }
    }
}
