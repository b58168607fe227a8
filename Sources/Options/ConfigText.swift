/// A line `name = value` of a config file.
struct ConfigLine {
    let name: String
    let value: String
    let number: Int
}

/// Reads the text of a config file.
///
/// A line is empty, a comment from `#` on, or `name = value`. A `#` within a value starts a comment only after a space.
/// A value in double quotes is taken as it stands between them; a backslash there makes the next character ordinary.
func readConfig(_ text: String, file: String) throws(OptionError) -> [ConfigLine] {
    var lines: [ConfigLine] = []
    // Unix and DOS line ends; a carriage return and a line feed are one character of a String.
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
        let content = trimmed(line)
        if content.isEmpty || content.first == "#" { continue }
        func malformed(_ reason: String) -> OptionError {
            OptionError(
                .malformedLine,
                "",
                origin: .config(file: file, line: index + 1),
                value: String(content),
                reason: reason,
                accepted: "name = value"
            )
        }
        guard let equals = content.firstIndex(of: "=") else { throw malformed("it has no =") }
        let name = trimmed(content[..<equals])
        if name.isEmpty { throw malformed("it has no name") }
        let rest = trimmed(content[content.index(after: equals)...])
        var value = String(withoutComment(rest))
        if rest.first == "\"" {
            guard let quote = readQuoted(rest) else { throw malformed("the closing quote is missing") }
            let after = trimmed(quote.rest)
            guard after.isEmpty || after.first == "#" else { throw malformed("there is more after the closing quote") }
            value = quote.value
        }
        lines.append(ConfigLine(name: String(name), value: value, number: index + 1))
    }
    return lines
}

/// The value in quotes at the start of `text`, and what follows it; nil without a closing quote.
private func readQuoted(_ text: Substring) -> (value: String, rest: Substring)? {
    var value = ""
    var isEscaped = false
    for index in text.indices.dropFirst() {
        let character = text[index]
        if isEscaped || character != "\"" && character != "\\" {
            value.append(character)
            isEscaped = false
        } else if character == "\\" {
            isEscaped = true
        } else {
            return (value, text[text.index(after: index)...])
        }
    }
    return nil
}

private func withoutComment(_ value: Substring) -> Substring {
    var previous: Character = " "
    for index in value.indices {
        if value[index] == "#", previous.isWhitespace { return trimmed(value[..<index]) }
        previous = value[index]
    }
    return value
}

func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
}
