"""Medians of the rounds, as data."""

import statistics

KEYS = ("n", "people", "window", "rate", "joins", "group")
BOOKS = ("gaps", "duplicates", "wrong", "undelivered", "behind", "overloaded")


class Cell:
    """All rounds of one server at one test."""

    def __init__(self, server, test, parameters):
        self.server, self.test, self.parameters, self.rounds = server, test, parameters, []

    def values(self, name):
        return [r[name] for r in self.rounds if "error" not in r and name in r]

    def median(self, name):
        values = self.values(name)
        return statistics.median(values) if values else None

    def text(self, name, scale=1):
        """`median (minimum-maximum)`."""
        values = [value * scale for value in self.values(name)]
        if not values:
            return "-"
        middle = short(statistics.median(values))
        return middle if len(values) == 1 else f"{middle} ({short(min(values))}-{short(max(values))})"

    def errors(self):
        return [r["error"] for r in self.rounds if "error" in r]

    def faults(self):
        """Sums of what must be 0, those that are not."""
        sums = {name: sum(r.get(name, 0) for r in self.rounds) for name in BOOKS}
        return {name: int(value) for name, value in sums.items() if value}

    def as_json(self):
        names = sorted({name for r in self.rounds for name, value in r.items() if isinstance(value, (int, float))})
        numbers = {
            name: {"median": statistics.median(v), "min": min(v), "max": max(v)}
            for name in names
            if name not in KEYS and (v := self.values(name))
        }
        return {
            "server": self.server, "test": self.test, "parameters": self.parameters, "rounds": len(self.rounds),
            "errors": self.errors(), "faults": self.faults(), "numbers": numbers,
        }


def short(value):
    """Three digits that matter, without an exponent."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} M"
    if abs(value) >= 1e4:
        return f"{value / 1e3:.3g} k"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


class Summary:
    """All cells, in the order of their first round."""

    def __init__(self, results):
        self.cells = {}
        for result in results:
            parameters = {key: result[key] for key in KEYS if key in result}
            key = (result["server"], result["test"], tuple(parameters.items()))
            self.cells.setdefault(key, Cell(result["server"], result["test"], parameters)).rounds.append(result)

    def of(self, test, **parameters):
        """The cells of a test with these parameters, one for each server."""
        return [
            cell
            for cell in self.cells.values()
            if cell.test == test and all(cell.parameters.get(name) == value for name, value in parameters.items())
        ]

    def find(self, server, test, **parameters):
        return next((cell for cell in self.of(test, **parameters) if cell.server == server), None)

    def best(self, servers, name, test, **parameters):
        """The least median among some servers, and whose it is."""
        known = [
            (cell.median(name), cell.server)
            for cell in self.of(test, **parameters)
            if cell.server in servers and cell.median(name) is not None
        ]
        return min(known, default=(None, None))

    def as_json(self):
        return [cell.as_json() for cell in self.cells.values()]
