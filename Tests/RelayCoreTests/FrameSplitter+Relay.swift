import RollcallProtocol
import Testing

extension FrameSplitter {
    /// The frames of some bytes that a relay has sent, which must be legal.
    mutating func framesOfRelay(in bytes: [UInt8]) -> [ServerFrame] {
        var frames: [ServerFrame] = []
        do {
            try feed(bytes.span) { frame in
                do {
                    frames.append(try ServerFrame.decode(frame))
                } catch {
                    Issue.record("an illegal frame from the relay: \(error)")
                }
                return .proceed
            }
        } catch {
            Issue.record("a broken stream from the relay: \(error)")
        }
        return frames
    }
}
