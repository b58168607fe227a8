import CallState
import RollcallProtocol

/// Random frames of clients, within the limits of the wire.
extension SeededRandom {
    mutating func string(_ count: ClosedRange<Int>) -> ByteString { ByteString(text(count)) }

    mutating func maybe<T>(_ make: (inout SeededRandom) -> T) -> T? { oneIn(2) ? make(&self) : nil }

    mutating func flag() -> Bool { oneIn(2) }

    mutating func position() -> Position {
        oneIn(6)
            ? .zero : Position(epoch: number(through: WireLimits.position), seq: number(through: WireLimits.position))
    }

    mutating func attribute() -> Attribute {
        Attribute(key: string(WireLimits.key), value: maybe { $0.bytes(WireLimits.value) })
    }

    mutating func target() -> Target {
        var target = Target(uid: string(0...128), device: string(0...64))
        target.everyone = flag()
        return target
    }

    mutating func clientFrame() -> ClientFrame {
        switch Int.random(in: 0..<13, using: &self) {
        case 0:
            .hello(
                Hello(
                    minVersion: number32(),
                    maxVersion: number32(),
                    clientName: string(WireLimits.clientName),
                    instance: bytes(WireLimits.instance)
                )
            )
        case 1: .join(join())
        case 2:
            .command(
                Command(
                    op: number(),
                    settings: (0..<Int.random(in: 1...4, using: &self)).map { _ in
                        Setting(target: maybe { $0.target() }, oneIn(20) ? nil : change())
                    }
                )
            )
        case 3: .speaking(Speaking(on: flag(), target: maybe { $0.target() }))
        case 4: .pong(Pong(position: position(), time: number()))
        case 5: .resync(Resync(position: position(), reason: ResyncReason(rawValue: enumeration())))
        case 6: .leave(LeaveReason(rawValue: enumeration()))
        case 7: .authenticate(token: string(0...600))
        case 8: .peek(session: string(0...128), request: number())
        case 9: .list(request: number(), after: string(0...128))
        case 10: .inspect(request: number(), after: number())
        default: .attendance(request: number(), attendanceQuery())
        }
    }

    private mutating func attendanceQuery() -> AttendanceQuery {
        var query = AttendanceQuery()
        query.session = string(0...128)
        query.meeting = string(0...128)
        query.uid = string(0...128)
        query.from = number()
        query.to = maybe { $0.number() }
        query.progress.rawValue = enumeration()
        query.recording.rawValue = enumeration()
        query.limit = number32()
        query.cursor = bytes(WireLimits.cursor)
        query.isNewer = flag()
        query.people.rawValue = enumeration()
        query.firstPerson = number()
        return query
    }

    private mutating func join() -> Join {
        var join = Join(session: string(1...128), uid: string(1...128), device: string(1...64))
        join.token = string(0...300)
        join.attempt = number()
        join.mode = flag() ? .participant : .observer
        join.name = maybe { $0.string(WireLimits.name) }
        join.avatar = maybe { $0.string(WireLimits.avatar) }
        join.audioMuted = maybe { $0.flag() }
        join.videoPaused = maybe { $0.flag() }
        join.presenting = maybe { $0.flag() }
        join.attributes = (0..<Int.random(in: 0...3, using: &self)).map { _ in attribute() }
        join.resume = maybe {
            Resume(secret: $0.bytes(WireLimits.secret), position: $0.position(), digest: $0.number())
        }
        join.idle = maybe { $0.number() }
        join.grace = maybe { $0.number(through: WireLimits.grace) }
        join.role = maybe { Role(rawValue: $0.enumeration()) }
        join.view = number32()
        return join
    }

    private mutating func change() -> Setting.Change {
        switch Int.random(in: 2...28, using: &self) {
        case 2: .audioMuted(flag())
        case 3: .videoPaused(flag())
        case 4: .presenting(flag())
        case 5: .handRaised(flag())
        case 6: .name(string(WireLimits.name))
        case 7: .avatar(string(WireLimits.avatar))
        case 8: .attribute(attribute())
        case 9: .role(Role(rawValue: enumeration()))
        case 10: .audioLocked(flag())
        case 11: .videoLocked(flag())
        case 12: .unmuteRequest(number())
        case 13: .removed(flag())
        case 14: .recording(flag())
        case 15: .spotlight((0..<Int.random(in: 0...32, using: &self)).map { _ in string(WireLimits.uid) })
        case 16: .title(string(WireLimits.title))
        case 17: .callAttribute(attribute())
        case 18: .callLocked(flag())
        case 19: .moderation(Moderation(rawValue: enumeration()))
        case 20: .standingMute(flag())
        case 21: .standingCameraOff(flag())
        case 22: .handsEnabled(flag())
        case 23: .presenters(Presenters(rawValue: enumeration()))
        case 24: .grace(number(through: WireLimits.grace))
        case 25: .idle(number())
        case 26: .bringIn(bringIn())
        case 27: .takeOut(LeaveReason(rawValue: enumeration()))
        default: .dominantSpeaker(string(0...128))
        }
    }

    private mutating func bringIn() -> BringIn {
        var device = BringIn()
        device.name = maybe { $0.string(WireLimits.name) }
        device.avatar = maybe { $0.string(WireLimits.avatar) }
        device.audioMuted = maybe { $0.flag() }
        device.videoPaused = maybe { $0.flag() }
        device.presenting = maybe { $0.flag() }
        device.role = maybe { Role(rawValue: $0.enumeration()) }
        return device
    }
}
