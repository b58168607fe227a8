"""The tables: targets first, then every test."""

from . import durable
from .summary import short
from .targets import TARGETS

COLUMNS = {
    "fanout": [
        ("server CPU s per 1 M deliveries", "cpu_s_per_million", 1), ("deliveries/s", "deliveries_per_s", 1),
        ("changes per message", "changes_per_message", 1), ("bytes per delivery", "bytes_per_delivery", 1),
        ("CPU us per change", "cpu_us_per_change", 1), ("server load", "server_load", 1),
        ("generator load", "generator_load", 1),
    ],
    "repeat": [
        ("CPU s per 1 M changes that reached a subscriber", "cpu_s_per_million_covered", 1),
        ("of them merged away", "merged_share", 1), ("changes/s", "changes_per_s", 1),
        ("changes per message", "changes_per_message", 1), ("server load", "server_load", 1),
        ("generator load", "generator_load", 1),
    ],
    "latency": [
        ("p50 us", "p50_us", 1), ("p99 us", "p99_us", 1), ("p99.9 us", "p999_us", 1),
        ("server CPU us per delivery", "cpu_s_per_million", 1), ("deliveries/s", "deliveries_per_s", 1),
        ("generator load", "generator_load", 1),
    ],
    "join": [
        ("p50 ms", "p50_ms", 1), ("p99 ms", "p99_ms", 1), ("server CPU ms", "cpu_ms_per_join", 1),
        ("bytes", "bytes_per_join", 1),
    ],
    "storm": [
        ("last full, ms", "last_ms", 1), ("half full, ms", "p50_ms", 1), ("server CPU s", "cpu_s", 1), ("MB", "megabytes", 1),
    ],
    "memory": [
        ("bytes per connection", "bytes_per_connection", 1), ("RSS empty, MB", "empty_mb", 1), ("RSS full, MB", "full_mb", 1),
        ("connects/s", "connects_per_s", 1),
    ],
    "quiet": [("load, %", "load_percent", 1), ("RSS, MB", "rss_mb", 1)],
}
TITLES = {
    "fanout": "Fan-out: as many changes as the window admits, every one arrives",
    "repeat": "Repeated changes of the same fields: what merging saves",
    "latency": "Latency at a fixed rate of changes",
    "join": "Late join while changes go on",
    "storm": "Join storm",
    "memory": "Memory of idle connections",
    "quiet": "Quiet server, nobody connected",
}


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def head(*cells):
    return [row(*cells), "|" + "---|" * len(cells)]


def targets(summary, peers):
    """The table of targets; only jobs that were measured."""
    lines = []
    for target in TARGETS:
        def median(server):
            cell = server and summary.find(server, target.test, **target.parameters)
            return cell and cell.median(target.figure)

        ours = summary.find(target.ours, target.test, **target.parameters)
        value = median(target.ours)
        if value is None:
            continue
        floor, raw = median(target.floor), median(target.floor and target.floor.replace("floor", "epoll"))
        valkey = median("valkey")
        # A UNIX socket is cheaper than TCP: only peers that were measured on the same are compared.
        rivals = {name for name in peers if name.endswith("-unix") == target.ours.endswith("-unix")}
        best, who = summary.best(rivals, target.figure, target.test, **target.parameters)
        verdicts, wanted, aims = [], [], []
        for bound in target.bounds:
            of = "peer" if bound.of == "valkey" and valkey is None else bound.of
            base = {"floor": floor, "peer": best, "valkey": valkey, "nothing": 1}[of]
            name = {"floor": " x floor", "peer": " x peer", "valkey": " x Valkey", "nothing": f" {target.unit}"}[of]
            if bound.factor is not None:
                wanted.append(f"<= {bound.factor:g}{name}")
                verdicts.append("?" if base is None else "yes" if value <= bound.factor * base else "no")
            if bound.aim is not None:
                aims.append(f"{bound.aim:g}{name}")
        lines.append(
            row(
                target.job, target.unit, ours.text(target.figure), "-" if floor is None else short(floor),
                "-" if not floor else f"{value / floor:.2f}", "-" if not raw else f"{value / raw:.2f}",
                "-" if best is None else f"{short(best)} {who}",
                "-" if not best else f"{value / best:.2f}", ", ".join(wanted) or "-", ", ".join(aims) or "-",
                ", ".join(verdicts) or "-",
            )
        )
    if not lines:
        return []
    return [
        "## Targets", "",
        *head("job", "figure", "Rollcall", "floor", "x floor", "x epoll", "best peer", "x peer", "must", "aim", "reached"),
        *lines, "",
    ]


def _parameters(cell):
    names = {"n": "N", "people": "P", "window": "W", "rate": "changes/s"}
    return ", ".join(f"{names[key]} = {value:g}" for key, value in cell.parameters.items() if key in names)


def tables(summary):
    lines = []
    for test, title in TITLES.items():
        seen = []
        for cell in summary.of(test):
            if cell.parameters not in seen:
                seen.append(cell.parameters)
        for parameters in seen:
            cells = [cell for cell in summary.of(test) if cell.parameters == parameters]
            columns = [c for c in COLUMNS[test] if any(cell.values(c[1]) for cell in cells)]
            where = _parameters(cells[0])
            lines += [f"## {title}{', ' if where else ''}{where}", "", *head("server", *[c[0] for c in columns], "right")]
            for cell in cells:
                faults = ", ".join(f"{name} {count}" for name, count in cell.faults().items())
                right = "; ".join(dict.fromkeys(cell.errors())) or faults or "yes"
                lines.append(row(cell.server, *[cell.text(name, scale) for _, name, scale in columns], right))
            lines.append("")
    return lines


def markdown(summary, facts, peers):
    lines = ["# Rollcall beside the floor and its peers", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    lines += [
        "", "Medians, with the least and the greatest of the rounds. Compare ratios within a run, not values between runs.", "",
    ]
    return "\n".join(lines + targets(summary, peers) + durable.table(summary, row, head) + tables(summary))
