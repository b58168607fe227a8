public import RollcallCalls

/// The participant list of a call screen, without the screen: what its table would show, and what its buttons do.
///
/// It keeps no flags of its own. A ``Participant`` brings its status along, and whoever opens the list in the middle of
/// a call is told all that is in effect. Use it on the session's callback queue, which is the main queue in an app.
public final class ParticipantListApp: ParticipantEventListener {
    /// One line of the table.
    public struct Row: Hashable, Sendable {
        /// Whose line it is.
        public var uid: String
        /// The display name, or the uid of somebody who gave none.
        public var name: String
        /// What the line shows beside the name, in the order of ``Badge``.
        public var badges: [Badge]
        /// Whether it is the line of this client's own person.
        public var isLocal: Bool
    }

    /// What a line can show beside the name.
    public enum Badge: CaseIterable, Hashable, Sendable {
        /// The microphone is muted.
        case muted
        /// The camera is off.
        case cameraOff
        /// The screen is shared.
        case presenting
        /// The hand is up.
        case handRaised
        /// This client has pinned the person.
        case pinned
        /// The link is lost, and may come back.
        case reconnecting
    }

    /// The lines that the table shows: those that ``searchText`` finds.
    public private(set) var rows: [Row] = []
    /// The heading of the table: everybody counts, found or not.
    public private(set) var title = "Participants"
    /// Is called when the table is to be drawn anew.
    public var onChange: () -> Void = {}
    /// What is typed into the search field.
    public var searchText = "" {
        didSet { reload() }
    }

    let session: CallSession

    /// The list of a session, joined already or not yet.
    public init(session: CallSession = .shared) {
        self.session = session
        session.addParticipantEventListener(self)
    }

    private func reload() {
        rows = session.search(searchText).map { Row($0) }
        onChange()
    }

    // MARK: What the session tells

    /// People came or went, or have other names.
    public func onParticipantListChanged(participants: [Participant]) {
        title = "Participants (\(participants.count))"
        reload()
    }

    /// One line shows something else.
    public func onParticipantStatusChanged(participant: Participant, old: ParticipantStatus, new: ParticipantStatus) {
        guard let line = rows.firstIndex(where: { $0.uid == participant.uid }) else { return }
        rows[line] = Row(participant)
        onChange()
    }

    // MARK: What the buttons of a line do

    /// Mutes the person of the line; who is muted is asked to unmute, since nobody can unmute another.
    public func tapMute(_ row: Row) {
        switch (row.isLocal, row.badges.contains(.muted)) {
        case (true, true): session.unmuteAudio()
        case (true, false): session.muteAudio()
        case (false, true): session.requestUnmute(participantId: row.uid)
        case (false, false): session.muteParticipant(participantId: row.uid)
        }
    }

    /// Pins the person of the line for this client, or pins nobody any more.
    public func tapPin(_ row: Row) {
        if row.badges.contains(.pinned) {
            session.unpinParticipant()
        } else {
            session.pinParticipant(participantId: row.uid, type: "pin")
        }
    }
}

extension ParticipantListApp.Row {
    /// The line of a participant.
    init(_ participant: Participant) {
        uid = participant.uid ?? ""
        name = participant.name ?? uid
        badges = ParticipantListApp.Badge.allCases.filter { $0.applies(to: participant.status) }
        isLocal = participant.isLocal
    }
}

extension ParticipantListApp.Badge {
    fileprivate func applies(to status: ParticipantStatus) -> Bool {
        switch self {
        case .muted: status.isAudioMuted
        case .cameraOff: status.isVideoPaused
        case .presenting: status.isPresenting
        case .handRaised: status.isHandRaised
        case .pinned: status.isPinned
        case .reconnecting: status.isReconnecting
        }
    }
}
