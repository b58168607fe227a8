package import CallState
package import RollcallProtocol
import Text

/// Who caused a change, as far as the frame tells.
package enum ChangeCause: Hashable, Sendable {
    /// The person themselves.
    case itself
    /// Somebody else: the device in this slot.
    case other(uid: String, label: String)
    /// The relay, or a client outside the roster such as a bot.
    case relay
    /// Several commits came as one; each may have a cause of its own.
    case merged
    /// The copy was made anew.
    case snapshot

    /// The cause that a frame tells, of what it did to the copy; nil for a frame that changes no copy.
    package static func of(_ frame: ServerFrame, before: CallState, after: CallState) -> ChangeCause? {
        switch frame {
        case .delta(let delta):
            if delta.fromEpoch != nil || delta.fromSeq.map({ $0 + 1 != delta.toSeq }) ?? false { return .merged }
            guard let actor = delta.actor else { return .itself }
            if actor == 0 { return .relay }
            // The device may have gone in this very commit.
            guard let device = after.device(actor) ?? before.device(actor),
                let person = after.person(device.person) ?? before.person(device.person)
            else { return .relay }
            return .other(uid: person.uid.string, label: personLabel(uid: person.uid, name: person.name))
        case .part: return .snapshot
        default: return nil
        }
    }

    /// The word in JSON.
    var word: String {
        switch self {
        case .itself: "self"
        case .other: "other"
        case .relay: "relay"
        case .merged: "merged"
        case .snapshot: "snapshot"
        }
    }
}

/// A change with when, where and by whom: a line of `watch`.
package struct ChangeLine: Hashable, Sendable {
    /// When it was seen, ms since 1970.
    package var time: UInt64
    /// The position that it led to.
    package var position: Position
    /// What changed.
    package var change: Change
    /// Who caused it.
    package var cause: ChangeCause

    /// A line.
    ///
    /// A person who changes their own state from one of their devices is its own cause.
    package init(time: UInt64, position: Position, change: Change, cause: ChangeCause) {
        self.time = time
        self.position = position
        self.change = change
        if case .other(let uid, _) = cause, uid == change.uid?.string {
            self.cause = .itself
        } else {
            self.cause = cause
        }
    }

    /// Who caused it, where it was somebody else than the person.
    private var causeText: String {
        switch cause {
        case .itself, .merged: ""
        case .other(_, let label): "(by \(label))"
        case .relay: "(by the relay)"
        case .snapshot: "(seen after a snapshot)"
        }
    }

    /// The line for people, such as `14:04:22.871  1.43  chloe   hand   2nd -> down           (by ana)`.
    package func text(width: Int?, colors: Bool, columns: inout Columns) -> String {
        let who = safeText(change.device.map { "\(change.who)/\($0)" } ?? change.who).cut(to: 32)
        let what = (change.key.map { "\($0): " } ?? "") + "\(change.old) -> \(change.new)"
        let head = "\(TimeText.clockWithMilliseconds(time))  \(position)"
        let cause = causeText
        var line = columns.who.pad(who) + "  " + columns.field.pad(change.field.rawValue) + "  "
        line += cause.isEmpty ? safeText(what) : columns.what.pad(safeText(what)) + "  " + safeText(cause)
        let room = width.map { max(0, $0 - head.count - 2) } ?? .max
        return TextStyle.faint.apply(head, colors: colors) + "  " + line.cut(to: room)
    }

    /// The widths of the columns so far: lines come one by one, so that a column can only grow.
    package struct Columns: Sendable {
        /// A column that is as wide as its widest text so far.
        struct Column: Sendable {
            var width: Int

            mutating func pad(_ text: String) -> String {
                width = max(width, min(text.displayWidth, 40))
                return padded(text, width)
            }
        }

        var who = Column(width: 8)
        var field = Column(width: 8)
        var what = Column(width: 16)

        /// Columns before the first line.
        package init() {}
    }

    /// The line for programs; ``JSONKeys`` says what each key means.
    package var json: JSONValue {
        var by: String?
        if case .other(let uid, _) = cause { by = uid }
        return .members([
            "time": .string(Timestamp(millisecondsSince1970: time).text),
            "position": position.json,
            "uid": .optional(change.uid?.string),
            "device": .optional(change.device?.string),
            "field": .string(change.field.rawValue),
            "key": .optional(change.key),
            "old": .string(change.old),
            "new": .string(change.new),
            "cause": .string(cause.word),
            "by": .optional(by),
        ])
    }
}

/// The text with spaces up to `width` cells.
func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.displayWidth))
}
