import CallState
import Testing

@testable import rollcall_load

/// The measuring of lags.
struct LagBoardTests {
    private let start = ContinuousClock.now

    private func position(_ seq: Int) -> Position { Position(epoch: 1, seq: UInt64(seq)) }

    @Test func theLongestWayIsTheWorst() {
        let board = LagBoard()
        board.acknowledged(position(1), sentAt: start)
        board.arrived(position(1), at: start + .milliseconds(3))
        board.arrived(position(1), at: start + .milliseconds(2))
        // The answer may be later than the change itself.
        board.arrived(position(2), at: start + .milliseconds(9))
        board.acknowledged(position(2), sentAt: start + .milliseconds(4))
        #expect(board.worst == .milliseconds(5))
    }

    @Test func memoryIsBoundedInALongRun() {
        let board = LagBoard()
        for seq in 0..<20_000 {
            board.acknowledged(position(seq), sentAt: start)
            board.arrived(position(20_000 + seq), at: start)
        }
        #expect(board.keptCount == 2 * LagBoard.memory)
        // The newest are still known.
        board.arrived(position(19_999), at: start + .milliseconds(7))
        #expect(board.worst == .milliseconds(7))
    }
}
