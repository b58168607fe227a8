"""A tiny run that holds counts, not clocks: every change arrives, no gap, no wrong record."""

from . import measure, programs
from .servers import Kind, Server, relay_line
from .trouble import FAILED

N, CHANGES, PEOPLE, JOINS, STORM = 8, 2048, 256, 3, 24


def tests():
    fanout = {"n": N, "window": 256, "people": PEOPLE, "changes": CHANGES, "seconds": 30}
    return [
        ("fanout", fanout),
        ("fanout", {**fanout, "repeated": 16}),
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


def run(generator, floor, relay):
    """Prints findings; gives the exit status."""
    found = control()
    kinds = [
        Kind(f"rollcall-{transport}", "rollcall", "rollcall", transport, relay, lambda p, a, f: relay_line(p, a))
        for transport in ("unix", "tcp")
    ]
    if floor:
        kinds.append(Kind("floor-unix", "floor", "floor", "unix", floor, lambda p, a, f: [p, a]))
    for kind in kinds:
        wanted = [test for test in tests() if kind.role == "rollcall" or "repeated" not in test[1]]
        with Server(kind) as server:
            results = measure.run(generator, server, wanted, limit_s=60)
            if kind.role == "rollcall":
                found += blind(measure.run(generator, server, [CONTROL], limit_s=60)[0])
            status, words = server.stop(), server.last_words()
        if kind.role == "rollcall" and status != 0:
            found.append(f"{kind.name}: the relay ended with {status}: {words}")
        for result in results:
            found += findings(result)
        programs.say(f"  {kind.name}: {len(results)} tests")
    for text in found:
        print(f"bench smoke: {text}")
    if not found:
        print("bench smoke: every change arrived, nothing was wrong")
    return FAILED if found else 0
