import CallState
import RelayCore
import RollcallProtocol

// What happens to the relay: clients, the network, time and the store.
extension FuzzRelay {
    /// The connection that a choice means; nil without any.
    func link(_ choice: UInt8) -> Int? {
        let open = links.indices.filter { links[$0].isOpen }
        return open.isEmpty ? nil : open[Int(choice) % open.count]
    }

    /// A connection that has said nothing; gives its place among the links.
    @discardableResult
    mutating func open(isTrusted: Bool) -> Int {
        opened += 1
        // The first place that is free, as in a shell's table: names that are gone differ by their generation alone.
        let taken = Set(links.lazy.filter(\.isOpen).map(\.id.index))
        let place = (0...UInt32(taken.count)).first { !taken.contains($0) } ?? 0
        links.append(Link(id: ConnectionID(index: place, generation: opened)))
        apply(.opened(links[links.count - 1].id, Peer(isTrusted: isTrusted)))
        return links.count - 1
    }

    /// A client that greets and joins; some come back with what an earlier one had.
    mutating func join(_ choices: inout ChoiceReader) {
        guard links.count < 40 else { return }
        let shape = choices.byte()
        let index = open(isTrusted: shape & 1 == 1)
        var join = Join(session: Names.session(&choices), uid: Names.uid(&choices), device: Names.device(&choices))
        let instance = ByteString("instance-\(choices.below(3))")
        join.attempt = UInt64(links.count)
        if shape & 14 == 14 { join.mode = .observer }
        if shape & 16 != 0, let earlier = links[..<index].lastIndex(where: { $0.session == join.session }) {
            join.resume = links[earlier].copy.resume
            links[index].copy = CopyReader(copy: links[earlier].copy.state)
            // Somebody whose position the relay never gave, or whose digest is another one.
            if shape & 192 == 192 { join.resume?.position.seq &+= UInt64(choices.byte()) }
            if shape & 192 == 64 { join.resume?.digest &+= UInt64(choices.byte()) }
        }
        let facts = choices.byte()
        join.audioMuted = facts & 1 == 0
        join.videoPaused = facts & 2 == 0
        join.presenting = facts & 4 != 0
        if facts & 8 != 0 { join.name = choices.text() }
        if facts & 16 != 0 { join.grace = choices.pick([0, 1, 15_000, 120_000]) }
        if facts & 32 != 0 { join.idle = choices.pick([0, 1, 1_000]) }
        if facts & 64 != 0 { join.role = Role(rawValue: UInt32(choices.below(3))) }
        if facts & 128 != 0 { links[index].capacity = choices.pick([0, 100, 1_000]) }
        links[index].session = join.session
        let hello = Hello(clientName: "fuzz", instance: instance.bytes)
        apply(.received(links[index].id, .hello(hello)))
        send(index, .join(join))
    }

    /// A frame of an open connection.
    mutating func send(_ index: Int, _ frame: ClientFrame) {
        guard links[index].isOpen else { return }
        apply(.received(links[index].id, frame))
    }

    /// A frame of any kind, or none.
    mutating func send(_ choice: UInt8, _ frame: ClientFrame?) {
        guard let index = link(choice), let frame else { return }
        // A frame of its own making may name a session: who asks is judged by it.
        if case .join(let join) = frame, links[index].session.isEmpty { links[index].session = join.session }
        send(index, frame)
    }

    /// A command with an op that rises, comes again or is old.
    mutating func command(_ choice: UInt8, _ settings: [Setting], op: UInt8) {
        guard let index = link(choice) else { return }
        // Ops rise with gaps; a few come again, or are old.
        if op < 200 {
            links[index].op = max(links[index].op, links[index].copy.joined?.lastOp ?? 0) + 1 + UInt64(op & 1)
        }
        let number: UInt64 =
            switch op {
            case ..<240: links[index].op
            case ..<250: links[index].op &- UInt64(op & 3)
            // At the end of what there is, and above.
            default: [1 << 53 - 1, 1 << 53, 1 << 63, .max][Int(op & 3)]
            }
        let command = Command(op: max(1, number), settings: settings)
        // Only what the decoder would let through.
        var bytes: [UInt8] = []
        ClientFrame.command(command).encode(into: &bytes)
        guard let frame = try? ClientFrame.decode(bytes.span.extracting(droppingFirst: 4)) else { return }
        send(index, frame)
    }

    /// So many bytes the kernel takes of a connection from now on; nil is all.
    mutating func slow(_ choice: UInt8, _ capacity: Int?) {
        if let index = link(choice) { links[index].capacity = capacity }
    }

    /// The kernel takes what it left.
    mutating func drain(_ choice: UInt8) {
        let waiting = links.indices.filter { links[$0].isOpen && !links[$0].unsent.isEmpty }
        if !waiting.isEmpty { drain(waiting[Int(choice) % waiting.count]) }
    }

    /// The kernel takes what it left of one connection.
    mutating func drain(_ index: Int) {
        let bytes = links[index].unsent
        links[index].unsent = []
        deliver(bytes, to: index)
        apply(.drained(links[index].id))
    }

    /// A link is lost.
    mutating func cut(_ choice: UInt8) {
        if let index = link(choice) { close(index) }
    }

    /// A client asks for a snapshot, from behind its position or, with nil, from ahead of it.
    mutating func resync(_ choice: UInt8, _ behind: UInt64?) {
        guard let index = link(choice) else { return }
        var position = links[index].copy.state.position
        if let behind { position.seq -= min(position.seq, behind) } else { position.seq += 7 }
        send(index, .resync(Resync(position: position, reason: .unspecified)))
    }

    /// A device, or one that is acted for, speaks or stops.
    mutating func speak(_ choice: UInt8, _ on: Bool, _ target: Target?) {
        if let index = link(choice) { send(index, .speaking(Speaking(on: on, target: target))) }
    }

    /// A client answers its last Ping.
    mutating func pong(_ choice: UInt8) {
        guard let index = link(choice), let ping = links[index].copy.pings.popLast() else { return }
        send(index, .pong(Pong(position: links[index].copy.state.position, time: ping.time)))
    }

    /// Lets time pass, stopping at each deadline as a shell with one timer does.
    mutating func advance(_ milliseconds: UInt64) {
        let end = now.monotonic + milliseconds
        for _ in 0..<1_000 {
            guard let due = core.nextDeadline, due <= end else { break }
            let step = due > now.monotonic ? due - now.monotonic : 0
            now.monotonic += step
            now.wall += step
            endTurn()
            if verdict.finding != nil { return }
            verdict.require(core.nextDeadline.map { $0 > now.monotonic } ?? true, "a deadline that stays due")
        }
        now.wall += end - now.monotonic
        now.monotonic = end
        endTurn()
    }

    /// What a shell may say although nothing of the kind happened.
    mutating func strange(_ choice: UInt8, _ choices: inout ChoiceReader) {
        let name = links.isEmpty ? ConnectionID(index: 3, generation: 9) : links[Int(choice) % links.count].id
        let isGone = !links.contains { $0.id == name && $0.isOpen }
        switch choices.below(5) {
        case 0 where isGone: apply(.drained(name))
        case 1 where isGone: apply(.closed(name))
        case 2: apply(.progress(name, unsent: choices.pick([0, 1, 10_000])))
        case 3 where isGone: apply(.received(name, .leave(.left)))
        default: apply(.tick)
        }
    }

    /// What happens seldom: a stop, a broken frame, a store that answers or fails, clocks that jump.
    mutating func rare(_ choice: UInt8, _ choices: inout ChoiceReader) {
        switch choices.below(8) {
        case 0:
            isStopping = true
            apply(.stopping(resumeAfter: choices.number()))
        case 1:
            guard let index = link(choice) else { return }
            apply(.malformed(links[index].id, WireError(code: .badTag, field: "f", offset: 0, detail: "fuzz")))
        case 2: answersAtOnce.toggle()
        case 3: answer(fails: choices.below(4) == 3)
        case 4: now.wall &-= UInt64(choices.byte()) * 1_000
        case 5: now.wall &+= UInt64(choices.byte()) * 1_000
        // The relay stood still.
        case 6: now.monotonic += UInt64(choices.byte()) * 100
        default: if let index = link(choice) { send(index, .authenticate(token: choices.text())) }
        }
    }
}
