import RollcallProtocol

/// Bytes of a connection taken apart into frames.
package struct Capture: Sendable {
    /// Who sent.
    package enum Sender: String, CaseIterable, Sendable {
        /// A client.
        case client
        /// The relay.
        case relay
    }

    /// A frame, or what is wrong where one belongs.
    package struct Frame: Sendable {
        /// Where it begins in the input, in bytes: at its length.
        package var offset: Int
        /// The bytes of its message.
        package var length: Int
        /// Who sent it.
        package var sender: Sender
        /// The kind of frame, as in `rollcall.proto`; `preface` for the four bytes before the first.
        package var kind: String
        /// What is wrong; nil when it is right.
        package var problem: String?
        let body: WireTree
    }

    /// The frames, in order.
    package private(set) var frames: [Frame] = []

    private let bytes: [UInt8]
    private let isSenderKnown: Bool
    private var sender: Sender

    /// Takes `bytes` apart.
    ///
    /// Without a `sender` it is found out: the client's stream has a preface; elsewhere each frame is taken for one of
    /// the same side as the one before, unless only the other side can have sent it.
    package init(_ bytes: [UInt8], sender: Sender? = nil) {
        self.bytes = bytes
        isSenderKnown = sender != nil
        self.sender = sender ?? .relay
        read()
    }

    /// Whether some frame is wrong.
    package var hasProblems: Bool { frames.contains { $0.problem != nil } }

    private mutating func read() {
        var offset = 0
        while offset < bytes.count {
            // As a length the preface would be 1.4 GB, far above the limit, so it can't be mistaken for one.
            if bytes[offset...].starts(with: FrameSplitter.preface) {
                if !isSenderKnown { sender = .client }
                add("preface", at: offset, length: FrameSplitter.preface.count)
                offset += FrameSplitter.preface.count
                continue
            }
            guard bytes.count - offset >= 4 else {
                add(
                    "length",
                    at: offset,
                    length: bytes.count - offset,
                    problem: "the input ends inside a frame's length"
                )
                return
            }
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if length == 0 || length > WireLimits.serverFrame {
                let limit = "it must be from 1 to \(WireLimits.serverFrame)"
                add("length", at: offset, length: 4, problem: "the length says \(length) bytes: \(limit)")
                return
            }
            let begin = offset + 4
            if bytes.count - begin < length {
                let text = "the input ends inside the frame: \(bytes.count - begin) of \(length) bytes are there"
                add("incomplete", at: offset, length: bytes.count - begin, problem: text)
                return
            }
            takeFrame(at: offset, message: bytes[begin..<begin + length])
            offset = begin + length
        }
    }

    private mutating func takeFrame(at offset: Int, message: ArraySlice<UInt8>) {
        var problem = Self.problem(message, from: sender)
        if problem != nil, !isSenderKnown {
            let other: Sender = sender == .client ? .relay : .client
            if Self.problem(message, from: other) == nil {
                sender = other
                problem = nil
            }
        }
        var kind = "unreadable"
        var body = WireTree.message([])
        if case .message(let members) = WireTree.read(message, as: sender == .client ? "ClientFrame" : "ServerFrame"),
            let member = members.first
        {
            (kind, body) = (member.name, member.value)
        }
        let text = problem.map { "byte \(offset + 4 + $0.offset), \($0.field): \($0.detail)" }
        frames.append(
            Frame(offset: offset, length: message.count, sender: sender, kind: kind, problem: text, body: body)
        )
    }

    private mutating func add(_ kind: String, at offset: Int, length: Int, problem: String? = nil) {
        frames.append(
            Frame(offset: offset, length: length, sender: sender, kind: kind, problem: problem, body: .message([]))
        )
    }

    /// What the codec finds wrong with a message; nil for a legal one.
    private static func problem(_ message: ArraySlice<UInt8>, from sender: Sender) -> WireError? {
        do throws(WireError) {
            switch sender {
            case .client: _ = try ClientFrame.decode(message.span)
            case .relay:
                // A client ignores a frame that it does not know; here it is worth a word only.
                _ = try ServerFrame.decode(message.span)
            }
            return nil
        } catch {
            return error
        }
    }
}

extension Capture.Frame {
    /// The frame for people: a line, and more for the records, settings or lists in it.
    package func lines(colors: Bool) -> [String] {
        let head = TextStyle.faint.apply(padded(String(offset), 8), colors: colors) + padded(sender.rawValue, 8)
        let name = TextStyle.cyan.apply(kind, colors: colors)
        let content = body.lines
        var lines = [head + name + TextStyle.faint.apply(" (\(counted(length, "byte")))", colors: colors)]
        if let first = content.first, !first.isEmpty { lines[0] += "  " + safeText(first) }
        lines += content.dropFirst().map { String(repeating: " ", count: 16) + safeText($0) }
        if let problem {
            lines.append(
                String(repeating: " ", count: 16) + TextStyle.red.apply("error: \(safeText(problem))", colors: colors)
            )
        }
        return lines
    }

    /// The frame for programs; ``JSONKeys`` says what each key means.
    package var json: JSONValue {
        .members([
            "offset": .number(UInt64(offset)),
            "length": .number(UInt64(length)),
            "from": .string(sender.rawValue),
            "frame": .string(kind),
            "message": body.json,
            "error": .optional(problem),
        ])
    }
}

/// The bytes that a text in hexadecimal stands for: digits in pairs, with any white space between and lines of comment
/// from `#`; nil when it is no such text.
package func bytesOfHex(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    var isComment = false
    for character in text {
        if isComment {
            isComment = character != UInt8(ascii: "\n")
            continue
        }
        let digit: UInt8
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
        case 0x20, 0x09, 0x0A, 0x0D: continue
        case UInt8(ascii: "#"):
            isComment = true
            continue
        default: return nil
        }
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return high == nil && !bytes.isEmpty ? bytes : nil
}
