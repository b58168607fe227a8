"""A small client of RCL1, written from Protocol/ alone on the official protobuf runtime.

    connection = connect("unix:/run/rollcall.sock")
    client = Client(connection, session="standup", uid="py", device="d1", observer=True)
    client.run(until=lambda: client.is_complete)
    print(client.copy.position, client.copy.digest)
"""

import os
import select
import socket
import time

import wire
from call_copy import CallCopy, SnapshotReader, Wrong
from schema import pb

TRIES = 3  # Resyncs in a row that may fail


class Ended(Exception):
    """The connection is over; `closed` is the relay's Closed, or None when it ended without one (R-13, R-14)."""

    def __init__(self, closed=None, text="the connection ended"):
        super().__init__(f"{closed.code}: {closed.text}" if closed else text)
        self.closed = closed


def connect(address, timeout=10.0):
    """A stream to `unix:PATH` or `tcp:HOST:PORT`."""
    kind, _, rest = address.partition(":")
    if kind == "unix":
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.settimeout(timeout)
        stream.connect(rest)
    elif kind == "tcp":
        host, _, port = rest.rpartition(":")
        stream = socket.create_connection((host.strip("[]"), int(port)), timeout)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    else:
        raise ValueError(f"an address begins with unix: or tcp:, not {address!r}")
    stream.settimeout(None)
    return stream


class Client:
    """One attachment. `run` reads and obeys frames; `copy` is the state; `acks` the answers to commands by op id."""

    def __init__(self, stream, session, uid="", device="", observer=False, instance=None, resume=None, attempt=1):
        self.stream = stream
        self.splitter = wire.Splitter()
        self.copy = CallCopy()
        self.welcome = self.joined = None
        self.acks = {}
        self.errors = []
        self.epoch = 0
        self.loading = None
        self.needs_snapshot = False
        self.is_resyncing = False
        self.failed = 0
        self.counts = {"snapshots": 0, "deltas": 0, "ignored": 0, "pings": 0, "resyncs": 0, "checked": 0}
        self.heard = time.monotonic()
        if resume is not None:
            self.copy = resume["copy"]
        self.write(wire.PREFACE)
        self.send(
            hello=pb.Hello(
                min_version=1, max_version=1, client_name="rollcall-interop", instance=instance or os.urandom(16)
            )
        )
        join = pb.Join(session_id=session, uid=uid, device=device, attempt=attempt)
        join.mode = pb.JOIN_MODE_OBSERVER if observer else pb.JOIN_MODE_PARTICIPANT
        if resume is not None:
            join.resume.secret = resume.get("secret", b"")
            join.resume.position.CopyFrom(self.position)
            join.resume.digest = self.copy.digest
        self.send(join=join)

    # Sending

    def write(self, data):
        try:
            self.stream.sendall(data)
        except OSError as error:
            raise Ended(text=str(error)) from error

    def send(self, **body):
        self.write(wire.frame(pb.ClientFrame(**body)))

    @property
    def position(self):
        return pb.Position(epoch=self.copy.position[0], seq=self.copy.position[1])

    def command(self, op, *settings):
        """Sends settings as one command; its Ack will be in `acks[op]`."""
        self.send(command=pb.Command(op=op, settings=settings))

    def leave(self):
        self.send(leave=pb.Leave(reason=pb.LEAVE_REASON_LEFT))

    def resync(self, reason):
        if self.is_resyncing:
            return
        if self.failed >= TRIES:
            raise Ended(text="three snapshots in a row did not help")
        self.is_resyncing = True
        self.failed += 1
        self.counts["resyncs"] += 1
        self.send(resync=pb.Resync(position=self.position, reason=reason))

    # Reading

    @property
    def is_complete(self):
        """Whether the join is complete: the copy has reached J (R-19)."""
        if self.joined is None or self.needs_snapshot:
            return False
        return self.copy.position >= (self.joined.position.epoch, self.joined.position.seq)

    def run(self, until, timeout=60.0, wake=()):
        """Reads frames until `until()` is true; returns whether it became true within `timeout` seconds.

        It also returns (False) as soon as one of the files in `wake` can be read.
        """
        deadline = time.monotonic() + timeout
        while not until():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            silence = (self.welcome.dead_after_ms if self.welcome else 25_000) / 1000
            silent = self.heard + silence - time.monotonic()
            if silent <= 0:
                raise Ended(text="the relay is silent")
            ready, _, _ = select.select([self.stream, *wake], [], [], min(left, silent))
            if any(file in ready for file in wake):
                return False
            if not ready:
                continue
            try:
                data = self.stream.recv(65_536)
            except OSError as error:
                raise Ended(text=str(error)) from error
            if not data:
                raise Ended()
            self.heard = time.monotonic()
            for body in self.splitter.add(data):
                self.take(pb.ServerFrame.FromString(body))
        return True

    def take(self, frame):
        """Obeys one frame."""
        kind = frame.WhichOneof("body")
        if kind == "welcome":
            self.welcome = frame.welcome
        elif kind == "joined":
            self.joined = frame.joined
            self.epoch = frame.joined.position.epoch
            self.needs_snapshot = frame.joined.follows == pb.FOLLOWS_SNAPSHOT
        elif kind == "snapshot":
            self.epoch = frame.snapshot.position.epoch
            self.loading = SnapshotReader(frame.snapshot)
        elif kind == "part":
            self.take_part(frame.part)
        elif kind == "delta":
            self.take_delta(frame.delta)
        elif kind == "ack":
            self.acks[frame.ack.op] = frame.ack
        elif kind == "ping":
            self.take_ping(frame.ping)
        elif kind == "error":
            self.errors.append(frame.error)
        elif kind == "closed":
            raise Ended(frame.closed)

    def take_part(self, part):
        if self.loading is None:
            return
        try:
            copy = self.loading.add(part)
        except Wrong as wrong:
            self.loading = None
            self.is_resyncing = False
            self.resync(wrong.reason)
            return
        if copy is not None:
            self.copy, self.loading = copy, None
            self.needs_snapshot = self.is_resyncing = False
            self.failed = 0
            self.counts["snapshots"] += 1

    def take_delta(self, delta):
        self.epoch = delta.to_epoch or self.epoch
        if self.is_resyncing or self.needs_snapshot:
            self.counts["ignored"] += 1
            return
        try:
            applied = self.copy.apply(delta, self.epoch)
            self.counts["deltas" if applied else "ignored"] += 1
            if applied and delta.HasField("digest"):
                self.compare(delta.digest)
        except Wrong as wrong:
            self.resync(wrong.reason)

    def take_ping(self, ping):
        self.counts["pings"] += 1
        self.send(pong=pb.Pong(position=self.position, time=ping.time))
        if self.is_resyncing or self.needs_snapshot or self.loading is not None or not ping.HasField("position"):
            return
        theirs = (ping.position.epoch, ping.position.seq)
        if theirs > self.copy.position:
            self.resync(pb.RESYNC_REASON_AHEAD)
        elif theirs == self.copy.position and ping.HasField("digest"):
            self.compare(ping.digest)

    def compare(self, digest):
        self.counts["checked"] += 1
        if digest != self.copy.digest:
            self.resync(pb.RESYNC_REASON_DIGEST)
