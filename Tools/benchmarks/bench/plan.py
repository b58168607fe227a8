"""What is measured: the tests and their parameters."""

TESTS = ("fanout", "repeat", "latency", "join", "storm", "memory", "quiet", "durable")
REPEATED = 16


class Plan:
    """The choices of one run."""

    def __init__(self, tests=TESTS, n=None, people=None, window=256, rate=None, seconds=1.0, rounds=5, joins=30):
        self.tests, self.n, self.people = tests, n, people
        self.window, self.rate, self.seconds, self.rounds, self.joins = window, rate, seconds, rounds, joins

    def of(self, kind, first_round):
        """The tests of one server in one round, as (name, parameters). Memory comes first, on a fresh server, once."""
        return [
            ("fanout" if test in ("repeat", "durable") else test, parameters)
            for test in ("memory", "fanout", "durable", "repeat", "latency", "join", "storm")
            if test in self.tests and kind.measures(test) and (first_round or test != "memory")
            for parameters in getattr(self, "_" + test)(kind)
        ]

    def _memory(self, kind):
        return [{"n": n, "people": 256} for n in self.n or (1000, 10000)]

    def _fanout(self, kind):
        # The changes outstanding are never more than the people, so that no change overtakes another of its field.
        people = max(256, (self.window + 3) // 4 * 4)
        return [
            {"n": n, "window": self.window, "people": people, "seconds": self.seconds} for n in self.n or (10, 100, 1000)
        ]

    def _durable(self, kind):
        """Fan-out with and without a store; the relay without one is measured at it anyway when fan-out is."""
        if kind.name not in ("rollcall-async", "rollcall-sync") and (kind.name != "rollcall-tcp" or "fanout" in self.tests):
            return []
        return [parameters for parameters in self._fanout(kind) if parameters["n"] == 100 or self.n]

    def _repeat(self, kind):
        """The same field again and again: what merging saves. Only where there is merging."""
        if kind.role != "rollcall":
            return []
        return [{**parameters, "repeated": REPEATED} for parameters in self._fanout(kind) if parameters["n"] >= 100 or self.n]

    def _latency(self, kind):
        cases = [(n, self.rate or 1000) for n in self.n] if self.n else [(100, self.rate or 1000), (1000, self.rate or 20)]
        if kind.only:
            cases = cases[:1]
        return [{"n": n, "rate": rate, "people": 256, "seconds": self.seconds} for n, rate in cases]

    def _join(self, kind):
        return [{"n": self.joins, "people": people, "rate": 100} for people in self.people or (1000, 10000)]

    def _storm(self, kind):
        joins = self.n or (1000,)
        return [{"n": n, "people": (self.people or (1000,))[0], "rate": 10} for n in joins]
