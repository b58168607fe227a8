extension CallState {
    /// Drops the tombstones with versions up to `version`, oldest first, and raises the floor to the highest dropped.
    ///
    /// A relay drops what no connected cursor and no resumable device is below; a client, which makes no differences,
    /// drops all it holds when it has told its events. O(dropped).
    public mutating func dropTombstones(through version: UInt64) {
        dropTombstones(through: version) { _ in }
    }

    /// The same, and tells the slots of which nothing is known any more, for whoever keeps records elsewhere.
    public mutating func dropTombstones(through version: UInt64, _ forgotten: (Slot) -> Void) {
        precondition(!journal.isOpen, "a commit is running")
        while let tombstone = tombstones.first, tombstone.version <= version {
            tombstones.removeFirst()
            guard drop(tombstone) else { continue }
            floor = max(floor, tombstone.version)
            if tombstone.number == 0 { forgotten(tombstone.slot) }
        }
    }

    /// The version of the tombstone that would be dropped first; nil without any.
    ///
    /// An entry that was set again still counts until its turn. O(1).
    public var oldestTombstone: UInt64? { tombstones.first?.version }

    /// False when the tombstone is none any more.
    private mutating func drop(_ tombstone: TombstoneQueue.Element) -> Bool {
        guard let index = indexBySlot[tombstone.slot] else { return false }
        if tombstone.number == 0 {
            unlinkVersion(index)
            unlinkSlot(index)
            indexBySlot[tombstone.slot] = nil
            store.free(index)
        } else {
            guard store[index].isLive else { return false }
            let (place, found) = store[index].place(of: tombstone.number, key: tombstone.key)
            guard found else { return false }
            let field = store[index].fields[place]
            guard field.value == nil, field.version == tombstone.version else { return false }
            store[index].fields.remove(at: place)
        }
        totals.tombstones -= 1
        return true
    }
}
