import Options
import ToolSupport

extension Probe {
    static func decode(_ context: ProbeContext) throws {
        let path = context.settings[ProbeOptions.file]
        let input = try readInput(path)
        let bytes = try bytes(of: input, context.settings[ProbeOptions.format], path)
        let capture = Capture(bytes, sender: context.settings[ProbeOptions.from])
        let hasColors = context.output.terminal.hasColors
        for frame in capture.frames {
            if context.isJSON {
                try context.output.json(frame.json)
            } else {
                try context.output.lines(frame.lines(colors: hasColors))
            }
        }
        if let wrong = capture.frames.first(where: { $0.problem != nil }) {
            let count = capture.frames.count { $0.problem != nil }
            let which = count == 1 ? "a frame is" : "\(count) frames are"
            throw ToolError(.dataError, "\(which) wrong; the first begins at byte \(wrong.offset)")
        }
    }

    private static func bytes(of input: [UInt8], _ format: InputFormat, _ path: String) throws -> [UInt8] {
        switch format {
        case .binary: return input
        case .auto: return bytesOfHex(input) ?? input
        case .hex:
            guard let bytes = bytesOfHex(input) else {
                throw ToolError(.dataError, "\(safeText(path)) is not hexadecimal", advice: "Try --format binary.")
            }
            return bytes
        }
    }
}
