"""A tiny run that holds counts, not clocks: every change arrives, no gap, no wrong record."""

import contextlib
import os
import sys
import tempfile

from . import curve, durable, growth, measure, programs, targets
from .servers import Server, floors, relays
from .trouble import FAILED

N, CHANGES, PEOPLE, JOINS, STORM = 8, 2048, 256, 3, 24


def tests():
    fanout = {"n": N, "window": 256, "people": PEOPLE, "changes": CHANGES, "seconds": 30}
    return [
        ("fanout", fanout),
        ("fanout", {**fanout, "repeated": 16}),
        ("latency", {"n": N, "rate": 1000, "people": PEOPLE, "seconds": 0.2}),
        ("join", {"n": JOINS, "people": PEOPLE, "rate": 100}),
        ("storm", {"n": STORM, "people": PEOPLE, "rate": 10}),
    ]


def findings(result):
    """What is wrong with a result; nothing when all counts are right."""
    found = [result["error"]] if "error" in result else []
    for name in ("gaps", "duplicates", "wrong", "undelivered", "behind"):
        if name not in result and name != "behind":
            found.append(f"no count of {name}")
        elif result.get(name, 0) != 0:
            found.append(f"{name}: {result[name]:g}")
    expected = {"fanout": ("deliveries", N * CHANGES), "join": ("done", JOINS), "storm": ("full", STORM)}
    if result["test"] in expected:
        name, value = expected[result["test"]]
        if result.get(name) != value:
            found.append(f"{name}: {result.get(name)}, not {value}")
    if result["test"] == "repeat" and not 0 < result.get("deliveries", 0) < N * CHANGES:
        found.append(f"deliveries: {result.get('deliveries')}, so nothing was merged")
    return [f"{result['server']} {result['test']}: {text}" for text in found]


# More changes outstanding than there are people: the relay merges some away, so that the generator must see gaps.
CONTROL = ("fanout", {"n": 1, "window": 256, "people": 16, "changes": CHANGES, "seconds": 30})


def blind(result):
    """The generator must see that changes did not arrive."""
    if "error" not in result and result["gaps"] > 0 and result["gaps"] + result["deliveries"] == CHANGES:
        return []
    return [f"{result['server']}: the generator did not see the changes that were merged away: {result}"]


def control():
    """The judge must refuse each of these; gives what it let through."""
    right = {
        "server": "planted", "test": "fanout", "deliveries": N * CHANGES, "gaps": 0, "duplicates": 0, "wrong": 0, "undelivered": 0,
    }
    broken = [{name: 1} for name in ("gaps", "duplicates", "wrong", "undelivered", "behind")]
    broken += [{"deliveries": N * CHANGES - 1}, {"error": "no progress"}, {"test": "join", "done": JOINS - 1}]
    broken += [{"test": "storm", "full": STORM - 1}, {"test": "repeat"}]
    passed = [f"the judge let through {fault}" for fault in broken if not findings({**right, **fault})]
    return passed + [f"the judge refused a right result: {text}" for text in findings(right)]


def wanted_of(kind):
    """What a server is held to: fan-out, and what else it is there for; merging only where all is measured."""
    is_whole = kind.role == "rollcall" and kind.only is None
    return [
        (name, parameters)
        for name, parameters in tests()
        if (kind.only is None or name in {"fanout", *kind.only}) and (is_whole or "repeated" not in parameters)
    ]


def drawing():
    """What reads and draws the numbers, with numbers that are known."""
    found = []
    drawn = curve.svg("A & B", "x", "y", [curve.Line("a", [(1, 0.5), (10, 5), (100, 500)]), curve.Line("none", [])])
    if drawn.count("<circle") != 3 or "A &amp; B" not in drawn or drawn.count("<path d=\"M") < 4:
        found.append("a curve is not drawn as it is")
    text = "commits in a group   store\n  1  200  200  400  400  0.50\n 100  9000  90  10000  100  0.90\n"
    if [result["commits_per_s"] for result in durable.parsed(text)] != [200, 400, 9000, 10000]:
        found.append("what store-bench prints is not read as it is")
    for points in growth.CURVES:
        if sorted(points.points) != list(points.points) or any(points.name == "joins" and x % 4 for x in points.points):
            found.append(f"the points of {points.name} are not in order, or not for 4 publishers")
    known = {kind.name for kind in floors("f", "e", 5)[0] + relays("r", 5)}
    named = {name for target in targets.TARGETS for name in (target.ours, target.floor) if name}
    return found + [f"a target names {name}, which is no server" for name in sorted(named - known)]


def draws_growth(generator, relay, costs):
    """The short form of the curves, whole: every point has its figures, and each curve its picture."""
    with tempfile.TemporaryDirectory(prefix="rollcall-bench.") as folder:
        with contextlib.redirect_stdout(sys.stderr):
            data = growth.run(generator, relay, costs, folder, (None, None), is_short=True)
        found = [
            f"growth: {points.name} {point['x']} has no {figure}"
            for points in growth.CURVES
            for point in data[points.name]
            for figure in points.lines.values()
            if figure not in point
        ]
        missing = [points.name for points in growth.CURVES if not os.path.exists(os.path.join(folder, f"{points.name}.svg"))]
    return found + [f"growth: there is no picture of {name}" for name in missing if name != "memory"]


def run(generator, floor, raw, relay):
    """Prints findings; gives the exit status."""
    found = control() + drawing()
    kinds = relays(relay, 5) + [kind for kind in floors(floor, raw, 5)[0] if kind.name in ("floor-unix", "epoll-unix", "epoll-tick")]
    for kind in kinds:
        wanted = wanted_of(kind)
        with Server(kind) as server:
            results = measure.run(generator, server, wanted, limit_s=60)
            if kind.role == "rollcall" and kind.only is None:
                found += blind(measure.run(generator, server, [CONTROL], limit_s=60)[0])
            status, words = server.stop(), server.last_words()
        if kind.role == "rollcall" and status != 0:
            found.append(f"{kind.name}: the relay ended with {status}: {words}")
        for result in results:
            found += findings(result)
        programs.say(f"  {kind.name}: {len(results)} tests")
    costs = os.path.join(os.path.dirname(relay), "rollcall-costs")
    if os.access(costs, os.X_OK):
        found += draws_growth(generator, relay, costs)
    else:
        programs.say("  growth: skipped, there is no rollcall-costs beside the relay")
    for text in found:
        print(f"bench smoke: {text}")
    if not found:
        print("bench smoke: every change arrived, nothing was wrong")
    return FAILED if found else 0
