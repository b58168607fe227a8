"""What keeping costs: the relay with and without a store in one run, and SQLite alone."""

import os
import subprocess
import tempfile

from . import programs
from .servers import pinned
from .summary import short
from .trouble import Trouble

SECONDS = 2
# A loss of throughput that `async` may cost, and the group of SQLite alone that is shown beside `sync`.
ASYNC_SHARE, GROUP = 0.85, 100


def alone(program, cpu):
    """Commits a second of the store and of SQLite alone, by the commits of a group; on the disk of the servers' folders."""
    with tempfile.TemporaryDirectory(prefix="rollcall-bench.") as folder:
        done = subprocess.run(
            [program, folder, str(SECONDS)], capture_output=True, text=True, timeout=300, preexec_fn=pinned(cpu)
        )
    if done.returncode != 0:
        raise Trouble(f"store-bench failed: {done.stderr.strip()}")
    return parsed(done.stdout)


def parsed(text):
    """The lines of store-bench: group, commits and groups a second of the store, the same of SQLite, and the ratio."""
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 6 and words[0].isdigit():
            group, store, bare = int(words[0]), float(words[1]), float(words[3])
            found.append({"server": "store", "test": "kept", "group": group, "commits_per_s": store})
            found.append({"server": "sqlite", "test": "kept", "group": group, "commits_per_s": bare})
    if not found:
        raise Trouble(f"store-bench printed no line that can be read:\n{text}")
    return found


def program(path=None):
    """The program that measures SQLite alone; None with a word about it when it can't be had."""
    if path:
        if not os.access(path, os.X_OK):
            raise Trouble(f"{path} is no program", 66)
        return os.path.abspath(path)
    try:
        return programs.built("store-bench")
    except Trouble as trouble:
        programs.say(f"  skipped    SQLite alone: {trouble}")
        return None


def table(summary, row, head):
    """The lines of the report; none when nothing of it was measured."""
    lines = []
    for cell in summary.of("fanout"):
        if cell.server not in ("rollcall-async", "rollcall-sync"):
            continue
        figure = "deliveries_per_s" if cell.server == "rollcall-async" else "changes_per_s"
        value = cell.median(figure)
        if value is None:
            continue
        if cell.server == "rollcall-async":
            base_cell, name, must = summary.find("rollcall-tcp", "fanout", **cell.parameters), "no store", ASYNC_SHARE
        else:
            base_cell, name, must = summary.find("sqlite", "kept", group=GROUP), f"SQLite alone, {GROUP} in a group", None
        base = base_cell and base_cell.median(figure if must else "commits_per_s")
        ratio = value / base if base else None
        reached = "-" if must is None else "?" if ratio is None else "yes" if ratio >= must else "no"
        lines.append(
            row(
                f"{cell.server.split('-')[1]}, N = {cell.parameters['n']}, W = {cell.parameters['window']}",
                "deliveries/s" if must else "commits/s", cell.text(figure),
                f"{name}: {short(base)}" if base else "-", f"{ratio:.2f}" if ratio else "-",
                f">= {must:g}" if must else "-", reached,
            )
        )
    for cell in summary.of("kept"):
        if cell.server != "store":
            continue
        value = cell.median("commits_per_s")
        bare = summary.find("sqlite", "kept", **cell.parameters)
        base = bare and bare.median("commits_per_s")
        lines.append(
            row(
                f"the store alone, {cell.parameters['group']} in a group", "commits/s", cell.text("commits_per_s"),
                f"SQLite alone: {short(base)}" if base else "-", f"{value / base:.2f}" if base else "-", "-", "-",
            )
        )
    if not lines:
        return []
    return ["## What keeping costs", "", *head("with", "figure", "Rollcall", "beside", "ratio", "must", "reached"), *lines, ""]
