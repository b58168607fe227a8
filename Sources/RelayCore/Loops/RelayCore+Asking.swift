import CallState
import RollcallProtocol

// Questions that concern all loops: the others are asked, and the connection waits for what they say.
extension RelayCore {
    /// A question of a connection on its way.
    struct Gathering {
        /// Who has asked.
        var connection: ConnectionID
        /// What the client calls it.
        var request: UInt64
        /// What has come, the own part included.
        var answers: [LoopAnswer]
        /// Loops that have not answered.
        var missing: Int
    }

    /// Takes what comes from another loop.
    mutating func take(_ input: LoopInput) {
        switch input {
        case .arrived(let connection, let traveller): arrived(connection, traveller)
        case .asked(let question, let number, let loop):
            effects.append(.loop(.answer(ownAnswer(to: question), number: number, to: loop)))
        case .answered(let answer, let number): gather(answer, number)
        }
    }

    /// Asks the loops `others`, for a connection which has asked for `request`.
    mutating func ask(_ question: LoopQuestion, _ others: [Int], own: [LoopAnswer], _ request: UInt64, on index: Int) {
        lastQuestion += 1
        gatherings[lastQuestion] = Gathering(
            connection: name(index),
            request: request,
            answers: own,
            missing: others.count
        )
        for loop in others { effects.append(.loop(.ask(question, number: lastQuestion, loop: loop))) }
        begin(.answers(lastQuestion), on: index)
    }

    private mutating func gather(_ answer: LoopAnswer, _ number: UInt64) {
        guard gatherings[number] != nil else { return }
        gatherings[number]!.answers.append(answer)
        gatherings[number]!.missing -= 1
        guard gatherings[number]!.missing == 0, let gathering = gatherings.removeValue(forKey: number),
            // Who has asked may be gone, or about to be.
            let index = index(of: gathering.connection), connections[index].errand?.aim == .answers(number),
            connections[index].phase == .greeted || connections[index].phase == .attached
        else { return }
        say(gathering, on: index)
        endErrand(of: index)
    }

    private mutating func say(_ gathering: Gathering, on index: Int) {
        let request = gathering.request
        var calls: [(entries: [CallSummary], more: Bool)] = []
        var connections: [(entries: [ConnectionInfo], more: Bool)] = []
        for answer in gathering.answers {
            switch answer {
            case .calls(let page, let more): calls.append((page, more))
            case .connections(let page, let more): connections.append((page, more))
            case .attendance(let report): return say(report, request, on: index)
            case .noAttendance(let error): return refuse(Self.refusal(of: error), request, on: index)
            }
        }
        if connections.isEmpty {
            let page = PageMerge(calls, room: Self.pageSize, key: \.session, weight: Self.weight)
            answer(.calls(request: request, page.entries, more: page.hasMore), on: index)
        } else {
            let page = PageMerge(connections, room: Self.pageSize, key: \.number, weight: Self.weight)
            answer(.connections(request: request, page.entries, more: page.hasMore), on: index)
        }
    }

    private mutating func ownAnswer(to question: LoopQuestion) -> LoopAnswer {
        switch question {
        case .calls(let after): ownCalls(after: after)
        case .connections(let after): ownConnections(after: after)
        case .attendance(let query): ownAttendance(query)
        }
    }
}
