import CallState
import EventLoop
import RelayCore
import RollcallProtocol

// One of several loops: what comes from the others, and what goes to them.
extension RelayServer {
    /// Takes in what other loops have posted.
    func received(_ messages: [LoopMessage]) {
        for message in messages {
            switch message {
            case .came(let stream, let address): came(stream, at: address)
            case .moved(let parcel): arrived(parcel)
            case .rules(let input): apply(.loop(input))
            case .attendance(let session, let changes): apply(.store(.attendance(session: session, changes)))
            case .store(let answer): apply(.store(answer))
            case .stop: stop()
            case .count(let number): links?.post(.counted(number, counts), to: 0)
            case .counted(let number, let counts): counted(counts, number)
            case .finished(let unkept, let counters): finished(unkept: unkept, counters)
            case .end: end()
            }
            goOn()
        }
    }

    func perform(_ effect: LoopEffect) {
        switch effect {
        case .suspend(let id):
            guard connections.stream(of: id) != nil else { return }
            connections[Int(id.index)].isReadable = false
            suspended[id.index] = []
        case .proceed(let id):
            // Later: what is decoded in the middle of the effects would not see what they do.
            proceeding.append(id)
        case .move(let id, let loop, let traveller): move(id, to: loop, traveller)
        case .ask(let question, let number, let loop):
            guard let links else { return }
            links.post(.rules(.asked(question, number: number, from: links.place.index)), to: loop)
        case .answer(let answer, let number, let loop):
            links?.post(.rules(.answered(answer, number: number)), to: loop)
        case .attended(let session, let changes): links?.post(.attendance(session, changes), to: 0)
        }
    }

    /// Gives the rules what suspended connections have sent meanwhile, where they may go on.
    private func goOn() {
        while !proceeding.isEmpty {
            let id = proceeding.removeFirst()
            guard connections.stream(of: id) != nil, let rest = suspended.removeValue(forKey: id.index) else {
                continue
            }
            connections[Int(id.index)].isReadable = true
            rest.withUnsafeBytes { decode($0, at: Int(id.index)) }
        }
    }

    // MARK: Connections

    /// Takes every connection that comes to a listener of this loop to the next loop in turn; true when that is
    /// another.
    func divert(_ stream: LooseStream, from address: String) -> Bool {
        guard let links else { return false }
        nextLoop = (nextLoop + 1) % links.count
        return nextLoop != links.place.index && links.post(.came(stream, address: address), to: nextLoop)
    }

    private func came(_ stream: LooseStream, at address: String) {
        do throws(UVError) {
            welcome(try Stream(loop: loop, stream), at: address)
        } catch {
            counters.refused += 1
            log.line(.warning, "accept-failed", [("address", .text(address)), ("cause", .text("\(error)"))])
        }
    }

    /// Hands a connection over that the rules have forgotten here.
    private func move(_ id: ConnectionID, to loop: Int, _ traveller: Traveller) {
        let rest = suspended.removeValue(forKey: id.index) ?? []
        guard let stream = connections.stream(of: id), let links else { return }
        do throws(UVError) {
            let loose = try stream.release()
            let splitter = connections.takeSplitter(at: Int(id.index))
            _ = connections.remove(at: Int(id.index))
            let parcel = Parcel(
                stream: loose,
                number: id.number,
                traveller: traveller,
                splitter: splitter,
                rest: rest
            )
            if !links.post(.moved(parcel), to: loop) { census?.connectionWent() }
        } catch {
            // Its end, of which the rules need not hear.
            census?.connectionWent()
            if !stream.isClosing {
                log.line(
                    .warning,
                    "move-failed",
                    [("connection", .number(id.number)), ("cause", .text("\(error)"))]
                )
            }
            stream.close()
        }
    }

    private func arrived(_ parcel: Parcel) {
        do throws(UVError) {
            let stream = try Stream(loop: loop, parcel.stream)
            let id = connections.insert(stream, parcel.splitter)
            stream.start(delegate: self, tag: Int(id.index))
            log.line(.debug, "moved", [("connection", .number(id.number)), ("from", .number(parcel.number))])
            apply(.loop(.arrived(id, parcel.traveller)))
            guard connections.stream(of: id) != nil, !parcel.rest.isEmpty else { return }
            if suspended[id.index] != nil {
                suspended[id.index]! += parcel.rest
            } else {
                parcel.rest.withUnsafeBytes { decode($0, at: Int(id.index)) }
            }
        } catch {
            census?.connectionWent()
            log.line(
                .warning,
                "move-failed",
                [("connection", .number(parcel.number)), ("cause", .text("\(error)"))]
            )
        }
    }

    // MARK: Counting

    /// What this loop has and has done.
    var counts: LoopCounts {
        LoopCounts(connections: connections.count, counters: counters, nextDeadline: armedAt)
    }

    /// Asks all loops what they have done, to write the sum to the log.
    func askForCounts(_ links: LoopLinks) {
        lastCount += 1
        counting[lastCount] = Counting(sum: counts, missing: links.count - 1)
        links.tellOthers(.count(lastCount))
    }

    private func counted(_ counts: LoopCounts, _ number: UInt64) {
        guard var counting = counting.removeValue(forKey: number) else { return }
        counting.sum.connections += counts.connections
        counting.sum.counters += counts.counters
        counting.sum.nextDeadline = min(counting.sum.nextDeadline, counts.nextDeadline)
        counting.missing -= 1
        if counting.missing > 0 { self.counting[number] = counting } else { tell(counting.sum) }
    }

    /// Counters of loops on their way.
    struct Counting {
        var sum: LoopCounts
        /// Loops that have not answered.
        var missing: Int
    }

    // MARK: The end

    /// The rules of a loop are done with the stop; once all are, the store is.
    func finished(unkept: Int, _ counters: RelayCounters) {
        guard let links else { return }
        finishedLoops += 1
        unkeptCalls += unkept
        othersCounters += counters
        if finishedLoops == links.count { stopStore(unkept: unkeptCalls) }
    }

    private func end() {
        timer?.close()
        loop.stop()
    }
}
