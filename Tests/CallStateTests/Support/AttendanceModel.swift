import CallState

/// Attendance worked out in the plainest way: every stretch between two states is put down, and a length of time is
/// the number of milliseconds that some stretch covers, found by looking at each piece between two ends.
struct AttendanceModel {
    /// A device was there from `from` to `to`.
    struct Stretch {
        var meeting: ByteString
        var uid: ByteString
        var device: ByteString
        var from: UInt64
        var to: UInt64
        var camera: Bool
    }

    private(set) var stretches: [Stretch] = []

    /// What is true of these states, each of which holds until the next; the last one until `now`.
    init(_ states: some Collection<CallState>, _ times: some Collection<UInt64>, now: UInt64) {
        let times = Array(times) + [now]
        var losses: [Slot: UInt64] = [:]
        for (index, state) in states.enumerated() {
            guard let meeting = state.call.meetingID else { continue }
            for person in state.people {
                for device in person.devices {
                    var stretch = Stretch(
                        meeting: meeting,
                        uid: person.uid,
                        device: device.id,
                        from: times[index],
                        to: times[index + 1],
                        camera: !device.isVideoPaused
                    )
                    guard device.link == .active else {
                        losses[device.slot] = losses[device.slot] ?? times[index]
                        // It has come: a stretch of no time.
                        stretch.to = stretch.from
                        if losses[device.slot] == stretch.from { stretches.append(stretch) }
                        continue
                    }
                    // Back: the gap is a stretch like the one that follows.
                    if let loss = losses.removeValue(forKey: device.slot) { stretch.from = loss }
                    stretches.append(stretch)
                }
            }
        }
    }

    /// The stretches of a meeting, of a person of it, of a device of theirs.
    func of(_ meeting: ByteString, _ uid: ByteString? = nil, _ device: ByteString? = nil) -> [Stretch] {
        stretches.filter {
            $0.meeting == meeting && (uid == nil || $0.uid == uid) && (device == nil || $0.device == device)
        }
    }

    /// The time that some stretch covers.
    static func length(_ stretches: [Stretch]) -> UInt64 {
        let ends = Set(stretches.flatMap { [$0.from, $0.to] }).sorted()
        var length: UInt64 = 0
        for (begin, end) in zip(ends, ends.dropFirst())
        where stretches.contains(where: { $0.from <= begin && end <= $0.to }) {
            length += end - begin
        }
        return length
    }
}
