import CallState
import Options
package import RollcallProtocol

/// The plain words of `set`: `mic=muted`, `hand=up`, `mute=ben`.
package enum SettingWords {
    /// A word before the `=`.
    package struct Word: Sendable {
        /// The word.
        package var name: String
        /// What may stand after the `=`, for people.
        package var values: String
        /// One sentence.
        package var help: String
        let read: @Sendable (String) -> [Setting]?
    }

    /// Every word, in the order of the help.
    package static let all: [Word] = own + others + call + policy

    private static let own: [Word] = [
        choice("mic", ["on", "muted"], "The microphone of this device.") { .audioMuted($0 == "muted") },
        choice("cam", ["on", "off"], "The camera of this device.") { .videoPaused($0 == "off") },
        choice("share", ["on", "off"], "The screen share of this device.") { .presenting($0 == "on") },
        choice("hand", ["up", "down"], "The hand of this person.") { .handRaised($0 == "up") },
        text("name", "The name of this person.") { .name(ByteString($0)) },
        text("avatar", "The address of this person's picture.") { .avatar(ByteString($0)) },
        attribute("attribute", "An attribute of this person; without VALUE it is removed.") { .attribute($0) },
        choice("unmute-request", ["declined"], "Declines a request to unmute.") { _ in .unmuteRequest(0) },
    ]

    private static let others: [Word] = [
        person("mute", "Mutes all microphones of a person.", .audioMuted(true), everyone: true),
        person("camera-off", "Turns all cameras of a person off.", .videoPaused(true), everyone: true),
        person("stop-share", "Ends the screen share of a person.", .presenting(false), everyone: true),
        person("lower", "Lowers the hand of a person.", .handRaised(false), everyone: true),
        person("ask-unmute", "Asks a person to unmute, for 30 s.", .unmuteRequest(30_000)),
        person("lock-mic", "Mutes a person until it is unlocked.", .audioLocked(true)),
        person("unlock-mic", "Lets a person unmute again.", .audioLocked(false)),
        person("lock-cam", "Keeps a person's cameras off until they are unlocked.", .videoLocked(true)),
        person("unlock-cam", "Lets a person turn a camera on again.", .videoLocked(false)),
        person("moderator", "Makes a person a moderator.", .role(.moderator)),
        person("participant", "Makes a person a participant without special rights.", .role(.participant)),
        person("remove", "Removes a person until the meeting ends.", .removed(true)),
        person("readmit", "Lets a removed person in again.", .removed(false)),
    ]

    private static let call: [Word] = [
        choice("recording", ["on", "off"], "The recording of the call.") { .recording($0 == "on") },
        text("title", "The title of the call.") { .title(ByteString($0)) },
        Word(name: "spotlight", values: "UID,UID...|nobody", help: "The people in the spotlight, in order.") { text in
            let uids = text == "nobody" ? [] : text.split(separator: ",").map { ByteString(String($0)) }
            return text.isEmpty ? nil : [Setting(.spotlight(uids))]
        },
        choice("call", ["locked", "open"], "Whether new people are kept out.") { .callLocked($0 == "locked") },
        attribute("call-attribute", "An attribute of the call; without VALUE it is removed.") { .callAttribute($0) },
        Word(name: "speaker", values: "UID|nobody", help: "States the dominant speaker; for who may act for others.") {
            $0.isEmpty ? nil : [Setting(.dominantSpeaker($0 == "nobody" ? .empty : ByteString($0)))]
        },
    ]

    private static let policy: [Word] = [
        choice("moderation", ["everyone", "moderators"], "Who may moderate.") {
            .moderation($0 == "everyone" ? .everyone : .moderators)
        },
        choice("standing-mute", ["on", "off"], "Whether everybody is, and joins, muted.") { .standingMute($0 == "on") },
        choice("standing-camera-off", ["on", "off"], "Whether everybody's camera is off.") {
            .standingCameraOff($0 == "on")
        },
        choice("hands", ["on", "off"], "Whether hands may be raised.") { .handsEnabled($0 == "on") },
        choice("presenters", ["one", "many"], "How many may share at once.") {
            .presenters($0 == "one" ? .one : .many)
        },
        duration("grace", "How long a lost device may come back, at most 2m.") { .grace($0) },
        duration("idle", "How long a call of at most one person lives; 0 is for ever.") { .idle($0) },
    ]

    /// Reads the words of a command line into the settings of one command.
    ///
    /// - Throws: An error that names the word, what may stand there, and near words.
    package static func parse(_ words: [String]) throws(ToolError) -> [Setting] {
        var settings: [Setting] = []
        for text in words {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let word = all.first(where: { $0.name == name }) else {
                let near = nearNames(to: name, in: all.map(\.name))
                let guess = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
                throw ToolError(
                    .usage,
                    "there is no setting \"\(safeText(name))\"\(guess)",
                    advice: "rollcall-probe set --help lists the settings."
                )
            }
            guard parts.count == 2, let read = word.read(String(parts[1])) else {
                throw ToolError(.usage, "\"\(safeText(text))\" is no setting: write \(word.name)=\(word.values)")
            }
            settings += read
        }
        return settings
    }

    /// The words as lines of help.
    package static var help: [String] {
        let width = all.map { $0.name.count + $0.values.count + 1 }.filter { $0 <= 32 }.max() ?? 0
        return all.map { "  " + padded("\($0.name)=\($0.values)", width) + "  " + $0.help }
    }

    // MARK: Kinds of words

    private static func choice(
        _ name: String,
        _ values: [String],
        _ help: String,
        _ change: @escaping @Sendable (String) -> Setting.Change
    ) -> Word {
        Word(name: name, values: values.joined(separator: "|"), help: help) {
            values.contains($0) ? [Setting(change($0))] : nil
        }
    }

    private static func text(
        _ name: String,
        _ help: String,
        _ change: @escaping @Sendable (String) -> Setting.Change
    ) -> Word {
        Word(name: name, values: "TEXT", help: help) { [Setting(change($0))] }
    }

    private static func duration(
        _ name: String,
        _ help: String,
        _ change: @escaping @Sendable (UInt64) -> Setting.Change
    ) -> Word {
        Word(name: name, values: "DURATION", help: help) { text in milliseconds(text).map { [Setting(change($0))] } }
    }

    private static func attribute(
        _ name: String,
        _ help: String,
        _ change: @escaping @Sendable (Attribute) -> Setting.Change
    ) -> Word {
        Word(name: name, values: "KEY[=VALUE]", help: help) { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts[0].isEmpty { return nil }
            let value = parts.count == 2 ? Array(parts[1].utf8) : nil
            return [Setting(change(Attribute(key: ByteString(String(parts[0])), value: value)))]
        }
    }

    private static func person(
        _ name: String,
        _ help: String,
        _ change: Setting.Change,
        everyone: Bool = false
    ) -> Word {
        Word(name: name, values: everyone ? "UID|everyone" : "UID", help: help) { uid in
            if uid.isEmpty { return nil }
            let isEveryone = everyone && uid == "everyone"
            return [Setting(target: isEveryone ? .everyone : Target(uid: ByteString(uid)), change)]
        }
    }

    /// Milliseconds of `15s`, `250ms`, `2m`, `1h` or `0`.
    private static func milliseconds(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = UInt64(digits), number <= 1_000_000_000 else { return nil }
        return switch text[digits.endIndex...] {
        case "" where number == 0: 0
        case "ms": number
        case "s": number * 1000
        case "m": number * 60_000
        case "h": number * 3_600_000
        default: nil
        }
    }
}
