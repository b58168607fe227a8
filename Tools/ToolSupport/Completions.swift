package import Options

/// Scripts that let a shell complete the commands, options and sessions of a program.
package enum Completions {
    /// The shells there are scripts for.
    package enum Shell: String, CaseIterable, Sendable {
        /// GNU Bash, from 3.2.
        case bash
        /// Z shell.
        case zsh
        /// Fish.
        case fish
    }

    /// Whether a name that anybody may have chosen can be offered to a shell.
    ///
    /// Bash expands what it completes, so that a name such as `$(...)` would be run.
    package static func isHarmless(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        } && !name.isEmpty && !name.hasPrefix("-")
    }

    /// The script for `shell`.
    ///
    /// - Parameters:
    ///   - words: What a command takes besides options, for those that take fixed words, by command.
    ///   - sessions: The commands whose first argument is a session.
    package static func script(
        for program: Program,
        shell: Shell,
        words: [String: [String]],
        sessions: [String]
    ) -> String {
        let source = Source(program: program, words: words, sessions: sessions)
        return switch shell {
        case .bash: source.bash
        case .zsh: source.zsh
        case .fish: source.fish
        }
    }
}

/// What the scripts are made from.
private struct Source {
    let program: Program
    let words: [String: [String]]
    let sessions: [String]

    private var function: String { "_" + String(program.name.map { $0 == "-" ? "_" : $0 }) }

    private func options(_ command: Command) -> [String] {
        (program.groups + command.groups).flatMap { $0.options.map { "--" + $0.definition.name } } + ["--help"]
    }

    var bash: String {
        var lines = [
            "# Completion of \(program.name) for Bash: source it, or put it where bash-completion looks.",
            "\(function)() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} choices=",
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
            "        choices='\(program.commands.map(\.name).joined(separator: " ")) --help --version'",
            "    else",
            "        case $command in",
        ]
        for command in program.commands {
            let fixed = (words[command.name] ?? []) + options(command)
            lines.append("            \(command.name)) choices='\(fixed.joined(separator: " "))' ;;")
        }
        lines += [
            "        esac",
            "        case $command:$COMP_CWORD in",
            "            \(sessions.map { "\($0):2" }.joined(separator: "|")))",
            "                choices=\"$choices $(\(program.name) completions sessions 2>/dev/null)\" ;;",
            "        esac",
            "    fi",
            "    COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))",
            "    case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac",
            "}",
            "complete -F \(function) \(program.name)",
        ]
        return lines.joined(separator: "\n")
    }

    var zsh: String {
        var lines = [
            "#compdef \(program.name)",
            "# Completion of \(program.name) for the Z shell: save it as \(function) in a folder of fpath.",
            "\(function)() {",
            "    local -a choices sessions",
            "    if (( CURRENT == 2 )); then",
            "        choices=(",
        ]
        lines += program.commands.map { "            \(quoted("\($0.name):\($0.summary)"))" }
        lines += [
            "        )",
            "        _describe command choices",
            "        return",
            "    fi",
            "    case $words[2] in",
        ]
        for command in program.commands {
            let fixed = (words[command.name] ?? []) + options(command)
            lines.append("        \(command.name)) choices=(\(fixed.map(quoted).joined(separator: " "))) ;;")
        }
        lines += [
            "    esac",
            "    case $words[2]:$CURRENT in",
            "        \(sessions.map { "\($0):3" }.joined(separator: "|")))",
            "            sessions=(${(f)\"$(\(program.name) completions sessions 2>/dev/null)\"})",
            "            compadd -a sessions ;;",
            "    esac",
            "    compadd -a choices",
            "}",
            "compdef \(function) \(program.name)",
        ]
        return lines.joined(separator: "\n")
    }

    var fish: String {
        let name = program.name
        var lines = [
            "# Completion of \(name) for fish: save it as ~/.config/fish/completions/\(name).fish.",
            "complete -c \(name) -f",
        ]
        for command in program.commands {
            lines.append(
                "complete -c \(name) -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))"
            )
            let isThis = "-n '__fish_seen_subcommand_from \(command.name)'"
            for group in program.groups + command.groups {
                for option in group.options {
                    let definition = option.definition
                    let takes = definition.arity == .flag ? "" : " -x"
                    lines.append(
                        "complete -c \(name) \(isThis) -l \(definition.name)\(takes) -d \(quoted(definition.help))"
                    )
                }
            }
            if let fixed = words[command.name], !fixed.isEmpty {
                lines.append("complete -c \(name) \(isThis) -a \(quoted(fixed.joined(separator: " ")))")
            }
        }
        let all = sessions.joined(separator: " ")
        lines.append(
            "complete -c \(name) -n '__fish_seen_subcommand_from \(all)' -a '(\(name) completions sessions 2>/dev/null)'"
        )
        return lines.joined(separator: "\n")
    }

    /// The text in single quotes for a shell.
    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
