/// Something that takes any bytes, with an oracle that judges what becomes of them.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The splitter of frames: however a stream is cut, it does what a splitter of a few lines does.
    case splitter
    /// The decoder of frames from clients.
    case clientFrame = "client-frame"
    /// The decoder of frames from relays.
    case serverFrame = "server-frame"
    /// The state of a call, by a program of operations.
    case state
    /// What a store gives back of a call.
    case kept
    /// The file of a store.
    case storeFile = "store-file"
    /// The relay's rules, by a program of inputs on several connections.
    case relay
    /// The client's rules, by a program of frames and of what an app does.
    case client
    /// The reader of traces.
    case trace

    /// Gives `bytes` to the target.
    ///
    /// Returns whatever the bytes are, as long as the target did what it has to.
    package func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        switch self {
        case .splitter: try SplitterProgram.run(bytes)
        case .clientFrame: try FrameOracle.checkClientFrame(bytes)
        case .serverFrame: try FrameOracle.checkServerFrame(bytes)
        case .state: try StateProgram.run(bytes)
        case .kept: try KeptProgram.run(bytes)
        case .storeFile: try StoreFileProgram.run(bytes)
        case .relay: try RelayProgram.run(bytes)
        case .client: try ClientProgram.run(bytes)
        case .trace: try TraceOracle.run(bytes)
        }
    }
}
