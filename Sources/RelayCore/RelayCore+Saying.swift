import CallState
import RollcallProtocol

// Saying something to one connection: frames of its own, and answers, of which only so many wait.
extension RelayCore {
    /// The connection has output: the turn names it to the shell, unless its last output is still on the way.
    mutating func hasOutput(_ index: Int) {
        guard !connections[index].isListed else { return }
        connections[index].isListed = true
        turn.outputs.append(index)
    }

    /// Appends a frame for one connection: after the frames of its call, if it gets any.
    ///
    /// Gives its length in bytes.
    @discardableResult
    mutating func send(_ frame: ServerFrame, on index: Int) -> Int {
        append(on: index) { frame.encode(into: &$0) }
    }

    /// Appends a frame that was encoded before, as ``send(_:on:)`` does.
    mutating func send(_ encoded: [UInt8], on index: Int) {
        _ = append(on: index) { $0 += encoded }
    }

    // Inlined with what they are given: what a closure holds is copied for it.

    @inline(__always)
    private mutating func append(on index: Int, _ encode: (inout [UInt8]) -> Void) -> Int {
        hasOutput(index)
        guard connections[index].isReader else { return connections[index].output.lead(encode) }
        let before = connections[index].output.trailing.count
        if before == 0, let spare = spareBuffers.popLast() { connections[index].output.trailing = spare }
        encode(&connections[index].output.trailing)
        return connections[index].output.trailing.count - before
    }

    /// The answer to a command: in the order of the commands, and not before what it tells is kept.
    mutating func acknowledge(_ ack: Ack, on index: Int) {
        acknowledge(on: index, tells: ack.code != .store) { ServerFrame.encode(ack, into: &$0) }
    }

    /// The answer to a command that was done.
    mutating func acknowledge(done op: UInt64, at position: Position, on index: Int) {
        acknowledge(on: index, tells: true) { ServerFrame.encodeDone(op, at: position, into: &$0) }
    }

    /// `tells`: the answer follows from the call as it is.
    @inline(__always)
    private mutating func acknowledge(on index: Int, tells: Bool, _ encode: (inout [UInt8]) -> Void) {
        let call = call(of: index)
        let needs = tells ? needs(of: call) : 0
        guard let call, needs > 0 || !connections[index].output.held.isEmpty else {
            return answer(on: index, encode)
        }
        guard connections[index].phase == .attached else { return }
        var bytes: [UInt8] = []
        encode(&bytes)
        hold(.trailing(bytes), needs: needs, of: call, on: index)
        count(answers: 1 + bytes.count / 1_024, on: index)
    }

    /// An answer to a request.
    ///
    /// A connection that lets too many wait is not read, and ended if it goes on all the same.
    mutating func answer(_ frame: ServerFrame, on index: Int) {
        answer(on: index) { frame.encode(into: &$0) }
    }

    @inline(__always)
    private mutating func answer(on index: Int, _ encode: (inout [UInt8]) -> Void) {
        guard connections[index].phase == .greeted || connections[index].phase == .attached else { return }
        // A long answer counts for several, so that the memory of a connection is bounded too.
        count(answers: 1 + append(on: index, encode) / 1_024, on: index)
    }

    /// Counts answers that wait.
    mutating func count(answers: Int, on index: Int) {
        connections[index].output.answers += answers
        let waiting = connections[index].output.answers
        if waiting >= configuration.maximumUnsentAnswers { pauseReading(index) }
        if waiting >= configuration.maximumUnsentAnswers * Self.toleratedExcess {
            let text = "\(waiting) answers are waiting to be read: at most \(configuration.maximumUnsentAnswers) may"
            fail(index, Refusal(code: .limit, text: text))
        }
    }

    /// What was read before the shell stopped reading is answered, up to so many times the limit.
    static let toleratedExcess = 8

    /// Whether an answer that costs memory can be given now.
    func canAnswer(_ index: Int) -> Bool {
        connections[index].output.answers < configuration.maximumUnsentAnswers
    }
}
