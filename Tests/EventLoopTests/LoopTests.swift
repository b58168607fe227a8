import EventLoop
import Glibc
import Testing

@Suite("Loop, timer, signal")
struct LoopTests {
    @Test("Timers fire in the order of their moments, those of one moment in the order of arming")
    func timerOrder() throws {
        let loop = try EventLoop()
        var fired: [String] = []
        var timers: [Timer] = []
        loop.refreshNow()
        let start = loop.now
        for (name, delay) in [("c", 3), ("a", 1), ("d1", 5), ("d2", 5), ("past", -10), ("b", 2), ("d3", 5)]
            as [(String, Int64)]
        {
            let timer = try Timer(loop: loop) {
                fired.append(name)
                #expect(loop.now >= start + delay)
            }
            timer.arm(at: start + delay)
            timers.append(timer)
        }
        #expect(timers.allSatisfy { $0.isArmed })
        loop.run()
        #expect(fired == ["past", "a", "b", "c", "d1", "d2", "d3"])
        #expect(!timers.contains { $0.isArmed })
        loop.shutDown()
    }

    @Test("A timer can be armed again, from its own callback too, moved and disarmed")
    func timerArming() throws {
        let loop = try EventLoop()
        var count = 0
        var timer: Timer?
        timer = try Timer(loop: loop) {
            count += 1
            if count < 5 { timer?.arm(at: loop.now) }
        }
        timer?.arm(at: .max)
        timer?.arm(at: .min)
        loop.run()
        #expect(count == 5)
        timer?.arm(at: loop.now)
        timer?.disarm()
        #expect(timer?.isArmed == false)
        loop.run()
        #expect(count == 5)
        timer?.close()
        timer?.arm(at: loop.now)
        timer?.disarm()
        loop.shutDown()
        #expect(count == 5)
        timer = nil
    }

    @Test("The hook runs in every turn before the loop sleeps, after the timers, and once more at the end")
    func beforeSleep() throws {
        let loop = try EventLoop()
        var order: [String] = []
        let timer = try Timer(loop: loop) { order.append("timer") }
        loop.onBeforeSleep = { order.append("hook") }
        timer.arm(at: loop.now)
        loop.run()
        #expect(order.first == "timer")
        #expect(order.dropFirst().first == "hook")
        #expect(order.last == "hook")
        #expect(order.count(where: { $0 == "timer" }) == 1)
        let before = order.count
        loop.run()
        #expect(order.count == before + 1, "with nothing to wait for only the call at the end is left")
        loop.shutDown()
        #expect(order.count == before + 1)
    }

    @Test("Stop ends the run with this turn")
    func stop() throws {
        let loop = try EventLoop()
        var count = 0
        let timer = try Timer(loop: loop) {
            count += 1
            loop.stop()
        }
        let never = try Timer(loop: loop) { Issue.record("fired too early") }
        never.arm(at: .max)
        for round in 1...3 {
            timer.arm(at: loop.now)
            loop.run()
            #expect(count == round)
        }
        loop.shutDown()
    }

    @Test("The clock of the loop stands within a turn and never goes back; the wall clock is of this century")
    func clocks() throws {
        let loop = try EventLoop()
        let first = loop.now
        loop.refreshNow()
        #expect(loop.now >= first)
        #expect(EventLoop.wallClock() > 1_700_000_000_000)
        #expect(EventLoop.wallClock() < 4_102_444_800_000)
    }

    @Test("A libuv that is too old is refused, any later 1.x is taken")
    func version() throws {
        for version in [1 << 16 | 44 << 8, 1 << 16 | 44 << 8 | 2, 1 << 16 | 51 << 8] as [UInt32] {
            #expect(throws: Never.self) { try checkLibuvVersion(version) }
        }
        for version in [1 << 16 | 43 << 8 | 9, 0, 2 << 16 | 60 << 8] as [UInt32] {
            #expect { try checkLibuvVersion(version) } throws: { ($0 as? UVError)?.code == .notSupported }
        }
        let error = #expect(throws: UVError.self) { try checkLibuvVersion(1 << 16 | 43 << 8 | 9) }
        #expect(
            error?.description
                == "start with libuv 1.43.9, where 1.44 or a later 1.x is needed: operation not supported on socket (ENOTSUP)"
        )
    }

    @Test("A signal is reported on the loop, each time it comes, to every watcher")
    func signal() throws {
        let loop = try EventLoop()
        var first = 0
        var second = 0
        let watcher = try SignalWatcher(loop: loop, signal: SIGUSR2) { first += 1 }
        let other = try SignalWatcher(loop: loop, signal: SIGUSR2) { second += 1 }
        let reason = try Timer(loop: loop) {}
        reason.arm(at: .max)
        for round in 1...3 {
            kill(getpid(), SIGUSR2)
            let limit = EventLoop.wallClock() + 30_000
            while first < round || second < round, EventLoop.wallClock() < limit { loop.runOnce(waiting: false) }
            #expect(first == round && second == round)
        }
        other.close()
        reason.disarm()
        loop.run()
        #expect(!watcher.isClosing, "a watcher does not keep the loop running")
        loop.shutDown()
    }

    @Test("A watched signal arrives although whoever started the process had blocked it")
    func blockedSignal() throws {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGWINCH)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let watcher = try SignalWatcher(loop: loop, signal: SIGWINCH) {}
        defer { watcher.close() }
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        #expect(sigismember(&blocked, SIGWINCH) == 0)
    }

    @Test("A signal that cannot be watched is refused", arguments: [SIGKILL, 0, 10_000])
    func badSignal(_ number: Int32) throws {
        let loop = try EventLoop()
        let error = #expect(throws: UVError.self) { try SignalWatcher(loop: loop, signal: number) {} }
        #expect(error?.name == "EINVAL")
        #expect(error?.subject == "for signal \(number)")
        loop.shutDown()
    }
}
