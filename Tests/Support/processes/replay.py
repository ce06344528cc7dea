"""The states that a store goes through by its history, and whether what was observed fits to them.

The check is that of strict serializability for a known order of writes, so it takes a time that grows with the number
of operations and not with that of their orders. A write has the place of its transaction. A read has each place at
which the store was as the read found it. An operation that ended before another began has no later place, and
where the other is a write an earlier one. Operations are given their earliest places, in the order in which they began:
if one of them has no place left, no order of the operations explains what was seen.
"""

import heapq
from bisect import bisect_left

from evidence import DELETE, INSERT, UPDATE

ALWAYS = 1 << 62


class States:
    """What something was after which transaction: from each place to the one before the next."""

    def __init__(self, first):
        self.places = [0]
        self.contents = [first]
        self.known = {first: [0]}

    def add(self, place, content):
        self.known.setdefault(content, []).append(len(self.places))
        self.places.append(place)
        self.contents.append(content)

    def intervals(self, content):
        """Where it was so, each as its first and last place."""
        found = []
        for index in self.known.get(content, []):
            last = self.places[index + 1] - 1 if index + 1 < len(self.places) else ALWAYS
            if self.places[index] <= last:
                found.append((self.places[index], last))
        return found


class Replay:
    """- `state`: what the history leads to: group and value by object."""

    def __init__(self, evidence, verdict):
        self.evidence, self.verdict = evidence, verdict
        self.state = {}
        self.numbers = {}
        self.members = {}
        self.groups = {}
        self.objects = {}
        for transaction in evidence.history:
            self.numbers.setdefault(transaction.author, transaction.number)
            operation = evidence.operations.get(transaction.author)
            if operation is not None and operation.is_write:
                self.check_changes(operation, transaction)
                self.apply(operation, transaction)

    def wrong(self, transaction, text):
        self.verdict.add("anomalies", "transaction %d of %s %s" % (transaction.number, transaction.author, text))

    # What a transaction has changed

    def check_changes(self, operation, transaction):
        changes = {kind: [] for kind in (INSERT, UPDATE, DELETE)}
        for reference, kind in transaction.changes:
            changes[kind].append(reference)
        if len(set(reference for reference, _ in transaction.changes)) < len(transaction.changes):
            self.wrong(transaction, "has an object twice")
        present = sorted(self.members.get(operation.group, set()))
        # To delete what somebody else has deleted is no conflict, and no change.
        deletes = [row for row in operation.deletes if row[0] in self.state]
        expected = {
            "save": ([one for one, _ in operation.updates], [one for one, _ in deletes]),
            "batchUpdate": (present, []),
            "batchDelete": ([], present),
            "batchInsert": ([], []),
        }[operation.kind]
        for kind, wanted in zip((UPDATE, DELETE), expected):
            if sorted(changes[kind]) != sorted(wanted):
                self.wrong(transaction, "has changes %s of kind %d, and should have %s" % (
                    sorted(changes[kind]), kind, sorted(wanted)))
        if operation.inserted is not None and sorted(changes[INSERT]) != sorted(operation.inserted):
            self.wrong(transaction, "inserts %s, and was acknowledged as %s" % (
                changes[INSERT], operation.inserted))
        if operation.kind == "save" and len(changes[INSERT]) != operation.inserts:
            self.wrong(transaction, "inserts %d objects of %d" % (len(changes[INSERT]), operation.inserts))
        for reference, prior in operation.updates + deletes:
            now = self.state.get(reference)
            if now is None or now[1] != prior:
                self.wrong(transaction, "writes over %s of object %d, and had read %s" % (now, reference, prior))

    def apply(self, operation, transaction):
        touched = set()
        for reference, kind in transaction.changes:
            group = self.state.get(reference, (operation.group, None))[0]
            touched.add(group)
            members = self.members.setdefault(group, set())
            if kind == INSERT and reference in self.objects:
                self.wrong(transaction, "inserts object %d again" % reference)
            if kind == DELETE:
                self.state.pop(reference, None)
                members.discard(reference)
            else:
                self.state[reference] = (group, operation.name)
                members.add(reference)
            value = None if kind == DELETE else operation.name
            self.objects.setdefault(reference, States(None)).add(transaction.number, value)
        for group in touched:
            content = frozenset((one, self.state[one][1]) for one in self.members[group])
            self.groups.setdefault(group, States(frozenset())).add(transaction.number, content)

    # Places of operations

    def check_order(self):
        """Gives each operation its earliest place."""
        running = []
        past = 0
        for operation in sorted(self.evidence.operations.values(), key=lambda one: one.begin):
            while running and running[0][0] < operation.begin:
                past = max(past, heapq.heappop(running)[1])
            place = self.place(operation, past)
            if place is not None:
                heapq.heappush(running, (operation.end, place))

    def place(self, operation, past):
        if operation.is_write:
            number = self.numbers.get(operation.name)
            if number is not None and number <= past:
                self.verdict.add("anomalies", "%s is transaction %d, and began after %d was seen" % (
                    operation.name, number, past))
            return number
        if operation.outcome != "ok":
            return None
        intervals = self.observed(operation)
        for first, last in intervals:
            if last >= past:
                return max(first, past)
        self.blame(operation, intervals, past)
        return None

    def observed(self, operation):
        """Where the store was as a read found it."""
        if operation.kind == "look":
            states = self.objects.get(operation.reference, States(None))
            return states.intervals(dict(operation.rows).get(operation.reference))
        rest = set(operation.rows)
        intervals = [(0, ALWAYS)]
        for group in operation.groups:
            own = frozenset(row for row in operation.rows if self.group(row) == group)
            rest -= own
            intervals = common(intervals, self.groups.get(group, States(frozenset())).intervals(own))
        return intervals if not rest else []

    def group(self, row):
        """The group of an object, which it has from its insertion on."""
        reference, value = row
        states = self.objects.get(reference)
        if states is None or value not in states.known:
            return None
        return self.evidence.operations[states.contents[1]].group

    def blame(self, operation, intervals, past):
        unknown = sorted({value for _, value in operation.rows if value not in self.numbers})
        if unknown:
            self.verdict.add("missed", "%s read what %s wrote, which is not in the history" % (
                operation.name, ", ".join(unknown)))
        elif intervals:
            self.verdict.add("stale", "%s read the state of transaction %d, and began after %d" % (
                operation.name, intervals[-1][0], past))
        else:
            self.verdict.add("anomalies", "%s read %s, which the store never was" % (
                operation.name, operation.rows))


def common(left, right):
    """The intersections of intervals in their order."""
    found = []
    firsts = [first for first, _ in right]
    for first, last in left:
        for index in range(max(0, bisect_left(firsts, first) - 1), len(right)):
            begin, end = max(first, right[index][0]), min(last, right[index][1])
            if begin <= end:
                found.append((begin, end))
            elif right[index][0] > last:
                break
    return found
