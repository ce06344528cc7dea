"""Collects what is wrong inside a store."""


class Faults:
    def __init__(self):
        self.found = []
        self.seen = set()

    def add(self, **what):
        """Adds a fault, once."""
        mark = tuple(sorted((key, str(value)) for key, value in what.items()))
        if mark not in self.seen:
            self.seen.add(mark)
            self.found.append(what)

    def lines(self):
        for fault in self.found:
            yield dict(fault, kind="fault")
