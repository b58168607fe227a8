"""What Rollcall must reach and what it aims at, as ratios to the floor and to the best peer of the same run."""


class Bound:
    """At most `factor` times the floor or the best peer; or at most `factor`, when `of` is `nothing`."""

    def __init__(self, of, factor, aim=None):
        self.of, self.factor, self.aim = of, factor, aim


class Target:
    """One figure of one job. `ours` and `floor` are servers."""

    def __init__(self, job, ours, figure, unit, test, bounds, floor=None, **parameters):
        self.job, self.ours, self.figure, self.unit, self.test = job, ours, figure, unit, test
        self.bounds, self.floor, self.parameters = bounds, floor, parameters


def _fanout(transport, n, bounds):
    return Target(
        f"fan-out, N = {n}, {transport.upper()}", f"rollcall-{transport}", "cpu_s_per_million", "CPU s per 1 M",
        "fanout", bounds, f"floor-{transport}", n=n,
    )


def _saturated():
    return [Bound("floor", 2, 1.3), Bound("peer", 0.25)]


def _join(people):
    half = [Bound("peer", 0.5), Bound("floor", None, 1)]
    return [
        Target(f"late join, P = {people}", "rollcall-tcp", "p50_ms", "ms", "join", half, "floor-tcp", people=people),
        Target(f"late join, P = {people}", "rollcall-tcp", "cpu_ms_per_join", "CPU ms", "join", half, "floor-tcp", people=people),
    ]


TARGETS = [
    _fanout("tcp", 10, [Bound("peer", 0.5, 0.25)]),
    _fanout("tcp", 100, _saturated()),
    _fanout("unix", 100, _saturated()),
    _fanout("tcp", 1000, _saturated()),
    _fanout("unix", 1000, _saturated()),
    Target("1,000 changes/s, N = 100", "rollcall-tcp", "p50_us", "us", "latency", [Bound("floor", 1.15, 1)], "floor-tcp", n=100),
    Target("1,000 changes/s, N = 100", "rollcall-tcp", "p99_us", "us", "latency", [Bound("peer", 1)], "floor-tcp", n=100),
    Target(
        "same, with a tick", "rollcall-tick", "cpu_s_per_million", "CPU us per delivery", "latency",
        [Bound("peer", 0.35, 0.25)], "floor-tick", n=100,
    ),
    Target("same, with a tick", "rollcall-tick", "p99_us", "us", "latency", [Bound("nothing", 8000)], "floor-tick", n=100),
    *_join(1000),
    *_join(10000),
    Target(
        "storm, 1,000 joins at once, P = 1000", "rollcall-tcp", "last_ms", "ms", "storm",
        [Bound("peer", 0.4), Bound("floor", None, 1)], "floor-tcp", n=1000, people=1000,
    ),
    Target(
        "memory of an idle connection", "rollcall-tcp", "bytes_per_connection", "bytes", "memory",
        [Bound("nothing", 1024, 700)], "floor-tcp", n=10000,
    ),
    Target("quiet relay, load", "rollcall-tcp", "load_percent", "%", "quiet", [Bound("nothing", 0.1)]),
    Target("quiet relay, RSS", "rollcall-tcp", "rss_mb", "MB", "quiet", [Bound("nothing", 10)]),
]
