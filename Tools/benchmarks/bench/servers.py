"""The servers: how each is started, what it is measured at, how it is stopped."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import programs
from .trouble import Trouble

START_S, STOP_S, PRIORITY = 10, 5, -15
# A person with a device and a status takes so many bytes in a snapshot of the relay.
WIDE = 131


class Kind:
    """A server that can be measured.

    `line` gives the command line from (program, address, folder); `role` is floor, rollcall or peer. One that
    `must_be_named` is left out unless its whole name is given.
    """

    def __init__(
        self, name, role, driver, transport, program, line, keeps_state=True, only=None, environment=None, must_be_named=False
    ):
        self.must_be_named = must_be_named
        self.name, self.role, self.driver, self.transport = name, role, driver, transport
        self.program, self.line, self.keeps_state, self.only = program, line, keeps_state, only
        self.environment = environment or {}

    def measures(self, test):
        if self.only is not None:
            return test in self.only
        return self.keeps_state or test not in ("join", "storm")


def _redis(program, address, folder):
    scheme, place = address.split(":", 1)
    where = ["--port", place, "--bind", "127.0.0.1"] if scheme == "tcp" else ["--port", "0", "--unixsocket", place]
    return [
        program, *where, "--save", "", "--appendonly", "no", "--tcp-backlog", "4096", "--maxclients", "15000",
        "--loglevel", "warning", "--dir", folder,
    ]


def _nats(program, address, folder):
    config = os.path.join(folder, "nats.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f'host: 127.0.0.1\nport: {address.split(":")[1]}\nmax_pending: 512MB\nwrite_deadline: "30s"\n')
    return [program, "-c", config]


def _mosquitto(program, address, folder):
    config = os.path.join(folder, "mosquitto.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(
            f"listener {address.split(':')[1]} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
            "persistence false\nsys_interval 0\nmax_queued_messages 0\nlog_type error\n"
        )
        if os.getuid() == 0:
            file.write("user root\n")
    return [program, "-c", config]


def relay_line(program, address, options=()):
    """Over TCP nobody is known: everybody is given the right to act for others."""
    scheme, place = address.split(":", 1)
    listen = address if scheme == "unix" else f"tcp:127.0.0.1:{place}"
    # The publishers are observers too: 10,000 subscribers are a few more than the relay's limit.
    limits = ["--max-observers", "50000", "--max-connections", "60000"]
    return [program, "--listen", listen, "--open-admin", "--log-level", "error", *limits, *options]


def _floor_line(*options):
    return lambda program, address, folder: [program, address, *options]


def _kept_line(durability):
    def line(program, address, folder):
        return relay_line(program, address, ["--store", os.path.join(folder, "calls.db"), "--durability", durability])

    return line


def floors(floor, raw, tick_ms):
    """The servers without a protocol: on libuv, and below it on epoll."""
    found = []
    for name, program in (("floor", floor), ("epoll", raw)):
        for transport in ("tcp", "unix"):
            found.append(Kind(f"{name}-{transport}", "floor", "floor", transport, program, _floor_line()))
        found.append(Kind(f"{name}-tick", "floor", "floor", "tcp", program, _floor_line(str(tick_ms)), only={"latency"}))
    wide = _floor_line("0", str(WIDE))
    found.append(Kind("floor-wide", "floor", "floor", "tcp", floor, wide, only={"join", "storm"}, must_be_named=True))
    return [kind for kind in found if kind.program], [kind.name for kind in found if not kind.program]


def relays(relay, tick_ms):
    """The relay as it is, and in the ways that are measured at some jobs only."""

    def with_tick(ms):
        return lambda p, a, f: relay_line(p, a, ["--tick", f"{ms}ms"])

    found = [
        Kind(f"rollcall-{transport}", "rollcall", "rollcall", transport, relay, lambda p, a, f: relay_line(p, a))
        for transport in ("tcp", "unix")
    ]
    for name, line, only in (
        ("rollcall-no-tick", with_tick(0), {"latency", "fanout"}),
        ("rollcall-tick", with_tick(tick_ms), {"latency"}),
        ("rollcall-async", _kept_line("async"), {"durable"}),
        ("rollcall-sync", _kept_line("sync"), {"durable"}),
    ):
        found.append(Kind(name, "rollcall", "rollcall", "tcp", relay, line, only=only))
    return found


def kinds(floor, raw, relay, tick_ms):
    """All servers that can be measured here, and why others can't, as {name: reason}."""
    found, missing = floors(floor, raw, tick_ms)
    absent = {name: "libuv and its headers are not installed" for name in missing}
    found += relays(relay, tick_ms)
    for name, program_name, driver, transport, line, keeps_state, environment in (
        ("redis", "redis-server", "redis", "tcp", _redis, True, None),
        ("redis-unix", "redis-server", "redis", "unix", _redis, True, None),
        ("valkey", "valkey-server", "redis", "tcp", _redis, True, None),
        ("valkey-unix", "valkey-server", "redis", "unix", _redis, True, None),
        ("nats", "nats-server", "nats", "tcp", _nats, False, {"GOMAXPROCS": "1"}),
        ("mosquitto", "mosquitto", "mosquitto", "tcp", _mosquitto, True, None),
    ):
        program = programs.peer(program_name)
        if program:
            found.append(
                Kind(name, "peer", driver, transport, program, line, keeps_state=keeps_state, environment=environment)
            )
        else:
            absent[name] = f"{program_name} is not installed; {program_name.upper().replace('-', '_')} may name it"
    return found, absent


class Server:
    """A running server; a context manager that stops it."""

    def __init__(self, kind, cpu=None, wrapper=(), environment=None, start_s=START_S):
        self.kind, self.cpu, self.wrapper, self.start_s = kind, cpu, list(wrapper), start_s
        self.environment = {**os.environ, **kind.environment, **(environment or {})}
        self.folder = self.process = self.address = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="rollcall-bench.")
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        path = os.path.join(self.folder, "socket")
        self.address = f"unix:{path}" if self.kind.transport == "unix" else f"tcp:{_free_port()}"
        line = self.kind.line(self.kind.program, self.address, self.folder)
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.wrapper + line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                preexec_fn=pinned(self.cpu),
            )
        end = time.monotonic() + self.start_s
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Trouble(f"{self.kind.name} did not start: {self.last_words()}")
            time.sleep(0.02)

    def _answers(self):
        scheme, place = self.address.split(":", 1)
        family, target = (socket.AF_UNIX, place) if scheme == "unix" else (socket.AF_INET, ("127.0.0.1", int(place)))
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            return probe.connect_ex(target) == 0

    def measured_process(self):
        """The number of the process that is measured: the server itself, also below a wrapper that forks."""
        if not self.wrapper:
            return self.process.pid
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(children, encoding="utf-8") as file:
            below = file.read().split()
        return int(below[0]) if below else self.process.pid

    def last_words(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return " / ".join(log.read().strip().splitlines()[-3:]) or "it said nothing"

    def stop(self):
        """Ends the server and gives its exit status."""
        if self.process and self.process.poll() is None:
            os.kill(self.measured_process(), signal.SIGTERM)
            try:
                self.process.wait(self.start_s if self.wrapper else STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode if self.process else None

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def pinned(cpu):
    """Runs in a new process: keeps it on one core, before other work where that is allowed."""
    if cpu is None:
        return None

    def pin():
        os.sched_setaffinity(0, {cpu})
        try:
            os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
            # Where Linux groups processes by session, only the group's own priority counts against other sessions.
            os.setsid()
            with open("/proc/self/autogroup", "w", encoding="utf-8") as file:
                file.write(str(PRIORITY))
        except OSError:
            pass

    return pin


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
