"""What Rollcall must reach and what it aims at, as ratios to the floor and to the best peer of the same run."""


class Bound:
    """At most `factor` times the floor, the best peer or Valkey (the best peer where that is not installed); or at most
    `factor`, when `of` is `nothing`."""

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
    half = [Bound("valkey", 0.5), Bound("floor", None, 1)]
    return [
        Target(f"late join, P = {people}", "rollcall-tcp", "p50_ms", "ms", "join", half, "floor-tcp", people=people),
        Target(f"late join, P = {people}", "rollcall-tcp", "cpu_ms_per_join", "CPU ms", "join", half, "floor-tcp", people=people),
    ]


def _latency(job, ours, floor, figures):
    return [Target(job, ours, figure, unit, "latency", bounds, floor, n=100) for figure, unit, bounds in figures]


TARGETS = [
    _fanout("tcp", 10, [Bound("peer", 0.5, 0.25)]),
    _fanout("tcp", 100, _saturated()),
    _fanout("unix", 100, _saturated()),
    _fanout("tcp", 1000, _saturated()),
    _fanout("unix", 1000, _saturated()),
    *_latency("1,000 changes/s, N = 100, no tick", "rollcall-no-tick", "floor-tcp", [
        ("p50_us", "us", [Bound("floor", 1.15, 1)]),
        ("p99_us", "us", [Bound("peer", 1), Bound("floor", None, 1)]),
        ("cpu_s_per_million", "CPU us per delivery", [Bound("floor", None, 1.15)]),
    ]),
    *_latency("same, with the tick", "rollcall-tick", "floor-tick", [
        ("p50_us", "us", [Bound("nothing", 5000)]),
        ("p99_us", "us", [Bound("nothing", 8000)]),
        ("cpu_s_per_million", "CPU us per delivery", [Bound("peer", 0.35, 0.25), Bound("floor", None, 1.15)]),
    ]),
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
