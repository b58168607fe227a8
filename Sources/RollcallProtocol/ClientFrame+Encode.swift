import CallState

extension ClientFrame {
    /// Appends the whole frame, its length first.
    ///
    /// Deterministic: fields ascend and varints are as short as can be.
    public func encode(into bytes: inout [UInt8]) {
        let frame = bytes.beginFrame()
        let body = bytes.beginMessage(number)
        switch self {
        case .hello(let hello):
            bytes.put(1, hello.minVersion)
            bytes.put(2, hello.maxVersion)
            bytes.put(3, hello.clientName)
            bytes.put(4, hello.instance)
        case .join(let join):
            bytes.append(join)
        case .command(let command):
            bytes.put(1, command.op)
            for setting in command.settings {
                let mark = bytes.beginMessage(2)
                bytes.append(setting)
                bytes.endMessage(mark)
            }
        case .speaking(let speaking):
            bytes.put(1, speaking.on)
            if let target = speaking.target { bytes.write(2, target) }
        case .pong(let pong):
            bytes.put(1, pong.position)
            bytes.put(2, pong.time)
        case .resync(let resync):
            bytes.put(1, resync.position)
            bytes.put(2, resync.reason.rawValue)
        case .leave(let reason):
            bytes.put(1, reason.rawValue)
        case .authenticate(let token):
            bytes.put(1, token)
        case .peek(let session, let request):
            bytes.put(1, session)
            bytes.put(2, request)
        case .list(let request, let after):
            bytes.put(1, request)
            bytes.put(2, after)
        case .inspect(let request, let after):
            bytes.put(1, request)
            bytes.put(2, after)
        case .attendance(let request, let query):
            bytes.put(1, request)
            bytes.append(query)
        }
        bytes.endMessage(body)
        bytes.endFrame(frame)
    }

    /// The number of the body in `ClientFrame` of `rollcall.proto`.
    var number: UInt32 {
        switch self {
        case .hello: 1
        case .join: 2
        case .command: 3
        case .speaking: 4
        case .pong: 5
        case .resync: 6
        case .leave: 7
        case .authenticate: 8
        case .peek: 9
        case .list: 10
        case .inspect: 11
        case .attendance: 12
        }
    }
}

extension [UInt8] {
    /// The fields of a join.
    fileprivate mutating func append(_ join: Join) {
        put(1, join.session)
        put(2, join.token)
        put(3, join.uid)
        put(4, join.device)
        put(5, join.attempt)
        put(6, join.mode.rawValue)
        if let name = join.name { write(7, name) }
        if let avatar = join.avatar { write(8, avatar) }
        if let muted = join.audioMuted { write(9, muted) }
        if let paused = join.videoPaused { write(10, paused) }
        if let presenting = join.presenting { write(11, presenting) }
        for attribute in join.attributes { write(12, attribute) }
        if let resume = join.resume {
            let mark = beginMessage(13)
            put(1, resume.secret)
            put(2, resume.position)
            if resume.digest != 0 { writeFixed(3, resume.digest) }
            endMessage(mark)
        }
        if let idle = join.idle { write(14, idle) }
        if let grace = join.grace { write(15, grace) }
        if let role = join.role { write(16, UInt64(role.rawValue)) }
        put(17, join.view)
    }
}
