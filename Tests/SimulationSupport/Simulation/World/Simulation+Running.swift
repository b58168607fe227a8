import Rollcall

// A run: steps one after the other.

extension Simulation {
    /// The step that the seed has at a number.
    package func step(_ number: Int) -> Step { table.step(number) }

    /// Runs the first `count` steps of the seed, and lets everything come to rest.
    package mutating func run(steps count: Int) {
        begin()
        for number in 0..<count where violation == nil {
            stepNumber = number
            perform(table.step(number))
        }
        end(at: count)
    }

    /// Runs some steps, each with its number.
    package mutating func run(_ steps: [(number: Int, step: Step)], of count: Int) {
        begin()
        for (number, step) in steps where violation == nil {
            stepNumber = number
            perform(step)
        }
        end(at: count)
    }

    private mutating func begin() {
        draw = Draw(seed ^ 3)
        for seat in seats.indices where draw.chance(70) { start(seat) }
    }

    private mutating func end(at count: Int) {
        guard violation == nil else { return }
        stepNumber = count
        draw = Draw(seed ^ 4)
        comeToRest()
    }

    private mutating func perform(_ step: Step) {
        draw = Draw(step.nonce)
        trace.mix(step.nonce)
        if trace.isRecorded { trace.note("\(stepNumber) at \(clock): \(step.kind)") }
        switch step.kind {
        case .toRelay: deliverSomethingToRelay()
        case .toClient: deliverSomethingToClient()
        case .wait: pass(UInt64(draw.below(60)))
        case .nextDeadline: pass(untilNextDeadline(atMost: 4_000))
        case .longWait: waitLong()
        case .start: startSomebody()
        case .command: commandSomething()
        case .churn: churn()
        case .act: act()
        case .speak: speak()
        case .resync: resyncSomebody()
        case .leave: leaveSomebody()
        case .cut: cutSomething()
        case .hold: holdSomething()
        case .slowDown: slowSomethingDown()
        case .loseFrame: loseSomeFrame()
        case .setClock: setClock()
        case .crashClient: crashSomeClient()
        case .rewindClient: rewindSomeClient()
        case .crashRelay: crashRelaySoon()
        case .stopRelay: stopRelay()
        case .startRelay: if !isRelayUp { startRelay() }
        case .storeAnswers: letStoreAnswer()
        case .storeFails: letStoreFail()
        case .stranger: actAsStranger()
        case .attack: attack()
        case .calm: calm()
        }
        if !isRelayUp, clock >= restartAt { startRelay() }
        rememberSeats()
    }
}
