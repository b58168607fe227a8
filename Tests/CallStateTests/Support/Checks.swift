@testable import CallState

/// Checkers return what is wrong, or nil; so a test can also show that they find a planted fault.
enum Check {
    /// Whether two states have the same live records and values.
    ///
    /// Versions, tombstones and floor do not count.
    static func sameContent(_ one: CallState, _ other: CallState) -> String? {
        if one.slots != other.slots { return "slots \(one.slots) and \(other.slots)" }
        for slot in one.slots {
            if one.kind(of: slot) != other.kind(of: slot) { return "kinds of slot \(slot)" }
            let mine = values(one, slot)
            let theirs = values(other, slot)
            if mine != theirs { return "slot \(slot): \(mine) and \(theirs)" }
        }
        if one.digest != other.digest { return "digests" }
        if one.people != other.people { return "people" }
        if one.call != other.call { return "call" }
        if one.policy != other.policy { return "policy" }
        if one.liveRecordCount != other.liveRecordCount { return "counts" }
        return nil
    }

    /// Whether the incremental digest is the one worked out from nothing.
    static func digest(_ state: CallState) -> String? {
        state.digest == state.recomputedDigest ? nil : "digest \(state.digest), not \(state.recomputedDigest)"
    }

    private static func values(_ state: CallState, _ slot: Slot) -> [Diff.Field] {
        guard let index = state.indexBySlot[slot] else { return [] }
        return state.store[index].fields.filter { $0.value != nil }.map {
            Diff.Field(number: $0.number, key: $0.key, value: $0.value)
        }
    }

    /// Whether every list, index and count of a state is true.
    static func structure(_ state: CallState) -> String? {
        var bySlot: [Slot] = []
        var previous = StoredRecord.none
        var index = state.lowest
        var people = 0
        var devices = 0
        var live = 0
        var tombstones = 0
        while index != StoredRecord.none {
            let record = state.store[index]
            if record.lower != previous { return "the order of slots is not linked back at \(record.slot)" }
            if let last = bySlot.last, last >= record.slot {
                return "slots \(last) and \(record.slot) are not ascending"
            }
            if state.indexBySlot[record.slot] != index { return "the index of slot \(record.slot)" }
            bySlot.append(record.slot)
            if record.isLive {
                live += 1
                tombstones += record.fields.count { $0.value == nil && !$0.key.isEmpty }
                if let newest = record.fields.map(\.version).max(), newest > record.version {
                    return "a record's version"
                }
                for (field, next) in zip(record.fields, record.fields.dropFirst())
                where (field.number, field.key) >= (next.number, next.key) {
                    return "fields of slot \(record.slot) are not ascending"
                }
            } else {
                tombstones += 1
                if !record.fields.isEmpty { return "a tombstone with fields" }
            }
            if record.isLive, record.kind == .person {
                people += 1
                if state.personSlot(uid: record.text(PersonField.uid)) != record.slot { return "the index of uids" }
                let mine = state.deviceSlots.filter { state.owner(of: $0) == record.slot }
                if mine != Array(record.devices) {
                    return "devices \(record.devices) of slot \(record.slot), not \(mine)"
                }
            }
            if record.isLive, record.kind == .device { devices += 1 }
            previous = index
            index = record.upper
        }
        if previous != state.highest { return "the highest slot" }
        if state.indexBySlot.count != bySlot.count { return "the index has \(state.indexBySlot.count) slots" }
        if state.slotByUID.count != people { return "the index of uids has \(state.slotByUID.count) entries" }

        var byVersion: [Slot] = []
        previous = StoredRecord.none
        index = state.oldest
        while index != StoredRecord.none {
            let record = state.store[index]
            if record.older != previous { return "the order of versions is not linked back at \(record.slot)" }
            if previous != StoredRecord.none, state.store[previous].version > record.version {
                return "versions go back"
            }
            byVersion.append(record.slot)
            previous = index
            index = record.newer
        }
        if previous != state.newest { return "the newest record" }
        if byVersion.sorted() != bySlot { return "the two orders hold different records" }
        let counts = [state.peopleCount, state.deviceCount, state.liveRecordCount, state.tombstoneCount]
        if counts != [people, devices, live, tombstones] { return "counts \(counts)" }
        return nil
    }

    /// Whether two states are equal to the last bit that anybody can see.
    static func identical(_ one: CallState, _ other: CallState) -> String? {
        if one.position != other.position { return "positions" }
        if one.floor != other.floor { return "floors" }
        if one.nextSlot != other.nextSlot { return "next slots" }
        if one.tombstoneCount != other.tombstoneCount { return "tombstones" }
        if one.oldestTombstone != other.oldestTombstone { return "oldest tombstones" }
        if versionOrder(one) != versionOrder(other) { return "orders of versions" }
        var mine = Diff()
        var theirs = Diff()
        for seq in [0] + Array(one.floor...one.position.seq) {
            one.diff(from: seq, into: &mine)
            other.diff(from: seq, into: &theirs)
            if mine != theirs { return "differences from \(seq)" }
        }
        return sameContent(one, other)
    }

    private static func versionOrder(_ state: CallState) -> [Slot] {
        var slots: [Slot] = []
        var index = state.oldest
        while index != StoredRecord.none {
            slots.append(state.store[index].slot)
            index = state.store[index].newer
        }
        return slots
    }
}
