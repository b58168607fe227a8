import CallState
import RollcallProtocol
import Testing

/// Snapshots, encoded from a state and read again.
struct SnapshotTests {
    /// A call of `people` persons with one device each; every `attributes`th person has 32 large attributes.
    private func call(people: Int, attributes: Int = .max) -> CallState {
        var state = CallState()
        state.beginEpoch(7)
        state.beginCommit()
        state.set(CallField.meetingID, of: .call, to: .bytes(Array("m-1".utf8)))
        for index in 0..<people {
            let person = state.append(.person)
            state.set(PersonField.uid, of: person, to: .bytes(Array("uid-\(index)".utf8)))
            let device = state.append(.device)
            state.set(DeviceField.person, of: device, to: .number(UInt64(person)))
            state.set(DeviceField.device, of: device, to: .bytes(Array("d".utf8)))
            state.set(DeviceField.audioMuted, of: device, to: .number(1))
            guard index % attributes == 0, attributes != .max else { continue }
            for key in 0..<32 {
                let value = [UInt8](repeating: UInt8(key), count: 1_024)
                state.setEntry(PersonField.attributes, key: ByteString("k\(key)"), of: person, to: value)
            }
        }
        _ = state.endCommit()
        return state
    }

    /// The parts of a snapshot, cut by the splitter and decoded.
    private func parts(of snapshot: EncodedSnapshot) throws -> [SnapshotPart] {
        var parts: [SnapshotPart] = []
        var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        try splitter.feed(snapshot.bytes.span) { frame in
            if case .part(let part) = try? ServerFrame.decode(frame) { parts.append(part) }
            return .proceed
        }
        #expect(splitter.isEmpty)
        #expect(parts.count == snapshot.partRanges.count)
        #expect(snapshot.partRanges.first?.lowerBound == 0)
        #expect(snapshot.partRanges.last?.upperBound == snapshot.bytes.count)
        for (range, next) in zip(snapshot.partRanges, snapshot.partRanges.dropFirst()) {
            #expect(range.upperBound == next.lowerBound)
        }
        return parts
    }

    /// All records of the parts in one difference.
    private func whole(_ parts: [SnapshotPart]) -> Diff {
        var diff = Diff()
        for part in parts {
            let shift = diff.fields.count
            diff.fields += part.records.fields
            for record in part.records.records {
                var record = record
                record.fields = record.fields.lowerBound + shift..<record.fields.upperBound + shift
                diff.records.append(record)
            }
        }
        return diff
    }

    @Test(
        "R-51, R-52: parts are whole frames of whole records up to 64 KiB, and the last one ends the snapshot",
        arguments: [(0, Int.max), (1, 1), (3, 1), (100, 7), (2_000, Int.max)]
    )
    func largeCalls(people: Int, attributes: Int) throws {
        let state = call(people: people, attributes: attributes)
        let encoder = SnapshotEncoder()
        let snapshot = encoder.encode(state)
        #expect(snapshot.position == state.position)
        #expect(snapshot.partRanges.allSatisfy { $0.count <= 65_536 })
        let parts = try parts(of: snapshot)
        #expect(parts.dropLast().allSatisfy { $0.end == nil && !$0.records.isEmpty })
        #expect(parts.last?.end == SnapshotEnd(liveRecords: UInt64(2 + 2 * people), digest: state.digest))
        let diff = whole(parts)
        #expect(diff.records.map(\.slot) == (0..<UInt32(2 + 2 * people)).map { $0 })
        var copy = CallState()
        try copy.replace(with: diff, at: snapshot.position)
        #expect(copy.digest == state.digest)
        #expect(copy.liveRecordCount == state.liveRecordCount)
        // The encoder is used again, with the same result.
        #expect(encoder.encode(state).bytes == snapshot.bytes)
    }

    @Test("R-51: parts are filled: two neighbours never fit into one")
    func partsAreFilled() throws {
        for limit in [200, 1_000, 5_000] {
            let encoder = SnapshotEncoder(maximumPartLength: limit)
            let snapshot = encoder.encode(call(people: 400))
            #expect(snapshot.partRanges.count > 1)
            #expect(snapshot.partRanges.allSatisfy { $0.count <= limit })
            for range in snapshot.partRanges.dropLast() { #expect(range.count > limit - 100) }
        }
    }

    @Test func aRecordThatIsLongerThanAPartHasAPartForItself() throws {
        let encoder = SnapshotEncoder(maximumPartLength: 2_000)
        let state = call(people: 2, attributes: 2)
        let parts = try parts(of: encoder.encode(state))
        #expect(parts.count == 3)
        #expect(parts[1].records.records.map(\.slot) == [2])
    }

    @Test("R-52, R-56: tombstones are held in a snapshot and do not count")
    func tombstones() throws {
        var state = call(people: 3)
        state.beginCommit()
        let person = try #require(state.personSlot(uid: "uid-1"))
        for device in state.deviceSlots(of: person) { state.remove(device, at: 9, reason: .lost) }
        state.remove(person, at: 9, reason: .lost)
        _ = state.endCommit()
        let encoder = SnapshotEncoder()
        let parts = try parts(of: encoder.encode(state))
        #expect(parts.last?.end == SnapshotEnd(liveRecords: 6, digest: state.digest))
        let removed = whole(parts).records.filter { $0.removal != nil }
        #expect(removed.map(\.removal) == [.init(at: 9, reason: .lost), .init(at: 9, reason: .lost)])
    }

    @Test("R-51: the head is for one receiver, with position, reason and request")
    func head() throws {
        let head = SnapshotHead(position: Position(epoch: 7, seq: 8), reason: .lagged, request: 9)
        var bytes: [UInt8] = []
        SnapshotEncoder.encodeHead(head, into: &bytes)
        #expect(try ServerFrame.decode(bytes.span.extracting(droppingFirst: 4)) == .snapshot(head))
    }
}
