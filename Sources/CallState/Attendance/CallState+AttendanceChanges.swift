extension CallState {
    /// Whether the last commit changed something that call logs show: who is in, a link, a camera, a name or picture,
    /// the recording, the title, the meeting.
    ///
    /// O(1), so that all other commits cost nothing more.
    @inlinable
    public var lastCommitChangesAttendance: Bool { totals.attendanceChange == position.seq && position.seq > 0 }

    /// Appends what the last commit changed of what call logs show: who left, the meeting's begin, then the rest in
    /// order of joining.
    ///
    /// O(records that the commit changed).
    public func appendAttendanceChanges(to changes: inout [AttendanceChange]) {
        var slots: [Slot] = []
        var index = newest
        while index != StoredRecord.none, store[index].version == position.seq {
            slots.append(store[index].slot)
            index = store[index].older
        }
        slots.sort()
        for slot in slots where removal(of: slot) != nil { changes.append(.left(slot)) }
        let call = self.call
        let isCallNew = slots.first == .call
        if isCallNew, let meeting = call.meetingID, has(CallField.meetingID, of: .call) {
            changes.append(.began(meeting: meeting, at: call.startedAt))
        }
        for slot in slots { appendChange(of: slot, to: &changes) }
        guard isCallNew else { return }
        if has(CallField.title, of: .call), !call.title.isEmpty { changes.append(.title(call.title)) }
        if has(CallField.recording, of: .call) { changes.append(.recording(call.recording)) }
        if call.meetingID == nil { changes.append(.ended) }
    }

    /// What a record of a person or device shows; the profile goes behind the device that brings the person in.
    private func appendChange(of slot: Slot, to changes: inout [AttendanceChange]) {
        switch kind(of: slot) {
        case .person:
            // A person who is new is told with the first device.
            guard !has(PersonField.uid, of: slot) else { return }
            guard has(PersonField.name, of: slot) || has(PersonField.avatar, of: slot) else { return }
            changes.append(profile(of: slot))
        case .device:
            guard let person = owner(of: slot) else { return }
            let link = number(DeviceField.connection, of: slot) ?? 0
            let isNew = has(DeviceField.person, of: slot)
            guard isNew || has(DeviceField.connection, of: slot) || has(DeviceField.videoPaused, of: slot) else {
                return
            }
            changes.append(
                .device(
                    .init(
                        slot: slot,
                        uid: text(PersonField.uid, of: person),
                        device: text(DeviceField.device, of: slot),
                        isLinked: link == UInt64(LinkState.active.rawValue),
                        isVideoPaused: flag(DeviceField.videoPaused, of: slot)
                    )
                )
            )
            if isNew { changes.append(profile(of: person)) }
        default: break
        }
    }

    private func profile(of person: Slot) -> AttendanceChange {
        .profile(
            uid: text(PersonField.uid, of: person),
            name: text(PersonField.name, of: person),
            avatar: text(PersonField.avatar, of: person)
        )
    }

    /// Whether the last commit wrote a field.
    private func has(_ field: UInt32, of slot: Slot) -> Bool {
        guard let index = liveIndex(slot) else { return false }
        let (place, found) = store.place(of: field, key: .empty, at: index)
        return found && store[index].fields[place].version == position.seq
    }
}

/// Whether a field is one that call logs show.
func showsInAttendance(_ kind: RecordKind, _ field: UInt32) -> Bool {
    switch kind {
    case .device:
        field == DeviceField.person || field == DeviceField.connection || field == DeviceField.videoPaused
    case .person: field == PersonField.name || field == PersonField.avatar
    case .call: field == CallField.meetingID || field == CallField.title || field == CallField.recording
    default: false
    }
}
