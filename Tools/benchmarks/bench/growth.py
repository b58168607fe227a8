"""How costs grow: each curve as points, a picture and a line of text for every point."""

import json
import os
import resource
import statistics

from . import measure, programs
from .curve import Line, svg
from .servers import Server, pinned, relays
from .summary import short
from .trouble import Trouble

# Descriptors that a relay or generator needs besides one for each connection.
SPARE = 100
# Commits of a job of the rules: what they cost is the difference of two runs.
COMMITS, MORE_COMMITS = 2_000, 102_000


class Curve:
    """A curve: what grows, what it costs, and the points of a whole run and of a short one."""

    def __init__(self, name, title, x_name, lines, points, short_points):
        self.name, self.title, self.x_name, self.lines = name, title, x_name, lines
        self.points, self.short_points = points, short_points


CURVES = [
    Curve(
        "deliveries", "Cost of a delivery", "subscribers", {"CPU us per delivery": "cpu_s_per_million"},
        (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000), (2, 8),
    ),
    Curve(
        "joins", "Late join", "people in the call", {"ms (p50)": "p50_ms", "CPU ms": "cpu_ms_per_join"},
        (12, 32, 100, 320, 1000, 3200, 10000, 32000, 50000), (12, 32),
    ),
    Curve(
        "memory", "Memory of idle connections", "connections", {"bytes per connection": "bytes_per_connection"},
        (100, 200, 500, 1000, 2000, 5000, 10000, 18000, 35000, 50000), (100, 200),
    ),
    Curve(
        "commits", "Cost of a commit, in the rules alone", "calls", {"CPU us per commit": "cpu_us_per_commit"},
        (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000), (1, 20),
    ),
]


def connections():
    """How many connections a server and a generator can have here."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1] - SPARE


def test_of(curve, x, seconds):
    """The generator's test for one point."""
    if curve.name == "deliveries":
        return "fanout", {"n": x, "window": 256, "people": 256, "seconds": seconds}
    if curve.name == "joins":
        return "join", {"n": 10 if x <= 10000 else 3, "people": x, "rate": 100}
    return "memory", {"n": x, "people": 256}


def commits(program, calls, cpu, few=COMMITS, many=MORE_COMMITS):
    """CPU time of one commit of the rules, when so many calls change in turn."""
    times = []
    # Every call once before what is counted, so that nothing is a call's first change.
    for count in (few + calls, many + calls):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        line = [program, "calls", f"people={calls}", "window=1", f"count={count}"]
        done = programs.run(line, preexec_fn=pinned(cpu))
        if done.returncode != 0:
            raise Trouble(f"{' '.join(line)} failed: {done.stderr.strip()}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime)
    return {"test": "commits", "calls": calls, "cpu_us_per_commit": (times[1] - times[0]) / (many - few) * 1e6}


def measured(curve, x, generator, relay, costs, cores, is_short):
    """The rounds of one point, as results."""
    if curve.name == "commits":
        return [commits(costs, x, cores[0], *((100, 1_100) if is_short else ())) for _ in range(1 if is_short else 3)]
    kind = next(kind for kind in relays(relay, 5) if kind.name == "rollcall-tcp")
    test = test_of(curve, x, 0.2 if is_short else 1)
    # Memory is measured on a fresh server each time.
    rounds = 1 if is_short or curve.name == "memory" else 3
    with Server(kind, cores[0]) as server:
        return measure.run(generator, server, [test] * rounds, cores[1])


def points(curve, generator, relay, costs, cores, is_short):
    """{x: {figure: median}} of one curve, and what went wrong."""
    found, faults, most = {}, [], connections()
    for x in curve.short_points if is_short else curve.points:
        if curve.name in ("deliveries", "memory") and x > most:
            programs.say(f"  skipped    {curve.name} {x}: the system gives {most} descriptors")
            continue
        results = measured(curve, x, generator, relay, costs, cores, is_short)
        for result in results:
            wrong = [name for name in ("error", "gaps", "duplicates", "wrong", "undelivered") if result.get(name)]
            faults += [f"{curve.name} {x}: {name}: {result[name]}" for name in wrong]
        good = [result for result in results if "error" not in result]
        figures = {
            figure: statistics.median(result[figure] for result in good)
            for figure in curve.lines.values()
            if good and all(figure in result for result in good)
        }
        found[x] = figures
        programs.say(f"  {curve.name} {x}: " + ", ".join(f"{name} {short(value)}" for name, value in figures.items()))
    return found, faults


def table(curve, found):
    """The points as a table, each with how much the first figure grew since the point before."""
    names = list(curve.lines)
    lines = [f"## {curve.title}", "", "| " + " | ".join([curve.x_name, *names, "x the point before"]) + " |"]
    lines.append("|" + "---:|" * (len(names) + 2))
    last = None
    for x, figures in found.items():
        value = figures.get(curve.lines[names[0]])
        growth = f"{value / last:.2f}" if value and last else "-"
        cells = [short(figures[figure]) if figure in figures else "-" for figure in curve.lines.values()]
        lines.append("| " + " | ".join([f"{x:,}", *cells, growth]) + " |")
        last = value
    return "\n".join([*lines, ""])


def picture(curve, found):
    """The SVG; None when no point can be drawn."""
    lines = [
        Line(name, [(x, figures[figure]) for x, figures in found.items() if figures.get(figure, 0) > 0])
        for name, figure in curve.lines.items()
    ]
    if not any(line.points for line in lines):
        return None
    return svg(curve.title, curve.x_name, " / ".join(curve.lines), lines)


def run(generator, relay, costs, output, cores, is_short=False):
    """Measures all curves, writes NAME.svg, growth.md and growth.json into `output`, and prints the tables."""
    os.makedirs(output, exist_ok=True)
    costs = costs or programs.built("rollcall-costs")
    data, texts, faults = {}, [], []
    for curve in CURVES:
        found, wrong = points(curve, generator, relay, costs, cores, is_short)
        faults += wrong
        data[curve.name] = [{"x": x, **figures} for x, figures in found.items()]
        texts.append(table(curve, found))
        drawn = picture(curve, found)
        if drawn:
            with open(os.path.join(output, f"{curve.name}.svg"), "w", encoding="utf-8") as file:
                file.write(drawn)
    with open(os.path.join(output, "growth.json"), "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")
    text = "\n".join(["# How costs grow", "", *texts])
    with open(os.path.join(output, "growth.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text)
    programs.say(f"  wrote      {output}/growth.md, growth.json and a picture of each curve")
    if faults:
        raise Trouble("\n  ".join(["what was measured is not right:", *faults]))
    return data
