"""Counts instead of clocks: system calls, heap allocations and instructions of the relay, per command and delivery.

Each figure is a difference of runs with the same set-up and more changes, so that start and joins fall out.
"""

import json
import os
import re
import shutil

from . import measure, programs
from .servers import Kind, Server, relay_line
from .trouble import Trouble

FEW, MANY = 10, 50           # subscribers
ROUNDS = 8, 24               # changes in windows: before what is counted, and counted
FEWEST = 256, 512            # the same in changes, at least
PEOPLE = 256
# No tick: how much comes together must not depend on the time that a tool takes.
CALM = ["--tick", "0", "--ping-interval", "20m", "--dead-after", "1h", "--stall-timeout", "10m", "--hello-timeout", "10m"]
# Hashes that differ between processes would make the counts differ.
STEADY = {"SWIFT_DETERMINISTIC_HASHING": "1"}


class Tool:
    """A tool that runs the relay and leaves a count."""

    def __init__(self, name, program, line, read):
        self.name, self.program, self.line, self.read = name, program, line, read


def _heap(folder):
    found = re.search(r"total heap usage: ([\d,]+) allocs", _text(folder, "valgrind"))
    return {"allocations": int(found.group(1).replace(",", ""))} if found else {}


def _instructions(folder):
    found = re.search(r"^(?:summary|totals): (\d+)", _text(folder, "callgrind"), re.MULTILINE)
    return {"instructions": int(found.group(1))} if found else {}


def _calls(folder):
    """The columns of strace: % time, seconds, usecs/call, calls, [errors,] name."""
    counts = {}
    for line in _text(folder, "strace").splitlines():
        words = line.split()
        if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
            counts[words[-1]] = int(words[3])
    return counts


def _text(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


TOOLS = {
    "calls": Tool("calls", "strace", lambda f: ["strace", "-f", "-c", "-o", f"{f}/strace"], _calls),
    "allocations": Tool("allocations", "valgrind", lambda f: ["valgrind", "--leak-check=no", f"--log-file={f}/valgrind"], _heap),
    "instructions": Tool(
        "instructions", "valgrind",
        lambda f: ["valgrind", "--tool=callgrind", f"--callgrind-out-file={f}/callgrind", f"--log-file={f}/log-of-valgrind"],
        _instructions,
    ),
}


def _run(tool, generator, relay, folder, parameters, options, cores):
    """One relay under the tool; its counts and the generator's result."""
    os.makedirs(folder, exist_ok=True)
    kind = Kind("rollcall-unix", "rollcall", "rollcall", "unix", relay, lambda p, a, f: relay_line(p, a, [*CALM, *options]))
    with Server(kind, cores[0], wrapper=tool.line(folder), environment=STEADY, start_s=60) as server:
        (result,) = measure.run(generator, server, [("fanout", parameters)], cores[1])
        status = server.stop()
    if "error" in result or result["gaps"] or result["wrong"] or result["undelivered"]:
        raise Trouble(f"the run under {tool.program} was not right: {result}")
    counts = tool.read(folder)
    if not counts:
        raise Trouble(f"{tool.program} left no count in {folder} (the relay ended with {status})")
    return counts, result


def _difference(tool, generator, relay, folder, n, window, options, cores):
    """Counts per change at `n` subscribers, by name; and the changes per message."""
    totals = []
    base, more = (max(window * rounds, least) for rounds, least in zip(ROUNDS, FEWEST))
    for changes in (base, base + more):
        parameters = {"n": n, "window": window, "people": PEOPLE, "changes": changes, "seconds": 300}
        where = os.path.join(folder, f"{tool.name}-n{n}-w{window}-c{changes}")
        totals.append(_run(tool, generator, relay, where, parameters, options, cores))
    (before, _), (after, result) = totals
    per_change = {name: (after[name] - before.get(name, 0)) / more for name in after}
    return per_change, result["deliveries"] / n / max(result["messages"] / n, 1)


def split(few, many):
    """What a count per change at FEW and at MANY subscribers says: per command, and per delivery."""
    delivery = (many - few) / (MANY - FEW)
    return few - delivery * FEW, delivery


def measured(tools, generator, relay, folder, window, options, cores):
    """All figures as {name: value}."""
    figures = {}
    for tool in tools:
        programs.say(f"  counting   {tool.name}, window {window}, with {tool.program}")
        few, _ = _difference(tool, generator, relay, folder, FEW, window, options, cores)
        many, per_message = _difference(tool, generator, relay, folder, MANY, window, options, cores)
        figures["changes per turn"] = per_message
        if tool.name != "calls":
            command, delivery = split(few[tool.name], many[tool.name])
            figures[f"{tool.name} per command"] = command
            figures[f"{tool.name} per delivery"] = delivery
            continue
        for name in sorted(many, key=many.get, reverse=True):
            if many[name] > 0.0005:
                figures[f"{name} per change, N = {MANY}"] = many[name]
        command, delivery = split(sum(few.values()), sum(many.values()))
        figures["system calls per turn and receiver"] = delivery * per_message
        figures["system calls per delivery"] = delivery
        figures["system calls per turn besides"] = command * per_message
    return figures


def run(generator, relay, output, windows, options, cores, only=None):
    """Measures with the tools that are installed, prints a table and writes counts.json; gives the figures."""
    tools = []
    for name, tool in TOOLS.items():
        if only and name != only:
            continue
        if shutil.which(tool.program):
            tools.append(tool)
        else:
            programs.say(f"  skipped    {name}: {tool.program} is not installed")
    if not tools:
        raise Trouble("nothing can be counted: neither strace nor valgrind is installed")
    figures = {f"window {window}": measured(tools, generator, relay, output, window, options, cores) for window in windows}
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, "counts.json"), "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1)
        file.write("\n")
    names = list(dict.fromkeys(name for column in figures.values() for name in column))
    print("| count | " + " | ".join(figures) + " |\n|---|" + "---:|" * len(figures))
    for name in names:
        values = [f"{column[name]:.4g}" if name in column else "-" for column in figures.values()]
        print(f"| {name} | " + " | ".join(values) + " |")
    return figures
