import RollcallProtocol

extension FrameSplitter {
    /// Reads the frames of some bytes as `decode` understands them, up to the first fault.
    mutating func read<Frame>(
        _ bytes: Span<UInt8>,
        _ decode: (Span<UInt8>) throws(WireError) -> Frame
    ) -> (frames: [Frame], fault: WireError?) {
        var frames: [Frame] = []
        var fault: WireError?
        do throws(WireError) {
            try feed(bytes) { message in
                do throws(WireError) {
                    frames.append(try decode(message))
                    return .proceed
                } catch {
                    fault = error
                    return .stop
                }
            }
        } catch {
            fault = error
        }
        return (frames, fault)
    }
}
