import Foundation

/// Writes whole lines to a descriptor; a closed pipe ends the writing with ``OutputEnd/closed``.
package final class TextOutput {
    /// Why no more can be written.
    package enum OutputEnd: Error, Hashable {
        /// The reader has gone; nothing is wrong.
        case closed
        /// The system refused.
        case failed(errno: Int32)
    }

    /// What the descriptor is connected to.
    package let terminal: Terminal
    private let descriptor: Int32

    /// An output, such as descriptor 1.
    package init(_ descriptor: Int32, colors: ColorChoice = .auto) {
        self.descriptor = descriptor
        terminal = Terminal.detect(descriptor, colors: colors)
    }

    /// Writes a line.
    package func line(_ text: String) throws(OutputEnd) {
        try write(text + "\n")
    }

    /// Writes lines at once.
    package func lines(_ lines: [String]) throws(OutputEnd) {
        if lines.isEmpty { return }
        try write(lines.joined(separator: "\n") + "\n")
    }

    /// Writes a value on one line.
    package func json(_ value: JSONValue) throws(OutputEnd) {
        try line(value.text)
    }

    /// Writes a text as it is.
    package func write(_ text: String) throws(OutputEnd) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EPIPE {
                throw .closed
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Foundation.poll(&poll, 1, -1)
            } else if errno != EINTR {
                throw .failed(errno: errno)
            }
        }
    }
}
