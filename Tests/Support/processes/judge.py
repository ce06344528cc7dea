"""Looks whether what processes did on one store can have happened in the order of the store's history.

Every operation has a name of its own, which is the author of its transaction and the value that it writes, so the
value that a read found names the transaction that wrote it. The history gives an order of all writes; what follows
from it is compared with everything that was observed apart from it: when operations began and ended, what reads
found, what a save had read before, what consumers saw, what is in the store in the end.

    judge.py FOLDER

Ends with `operations N, transactions N, missed 0, twice 0, stale 0, anomalies 0`, and exit code 0 only then.
"""

import sys
from collections import Counter

from evidence import DELETE, Evidence
from figures import figures
from replay import Replay
from watchers import check_consumers

KINDS = ("missed", "twice", "stale", "anomalies")


class Verdict:
    """What was found, by kind."""

    def __init__(self):
        self.counts = Counter()
        self.texts = []

    def add(self, kind, text):
        self.counts[kind] += 1
        self.texts.append("%s: %s" % (kind, text))

    @property
    def is_good(self):
        return not any(self.counts[kind] for kind in KINDS)


def check_operations(evidence, verdict):
    """Every acknowledged write is one transaction, and every transaction was asked for."""
    by_author = {}
    for transaction in evidence.history:
        by_author.setdefault(transaction.author, []).append(transaction)
    for author, own in by_author.items():
        operation = evidence.operations.get(author)
        if len(own) > 1:
            verdict.add("twice", "%s is in the history as %s" % (author, [one.number for one in own]))
        if operation is None or not operation.is_write:
            verdict.add("anomalies", "nobody asked for transaction %d of %s" % (own[0].number, author))
        elif operation.outcome in ("conflict", "busy", "unreachable", "error", "unsaved"):
            verdict.add("anomalies", "%s ended in %s, and is in the history" % (author, operation.outcome))
    for operation in evidence.operations.values():
        if operation.has_written and operation.name not in by_author:
            verdict.add("missed", "%s was acknowledged, and is not in the history" % operation.name)
    check_deletions(evidence, by_author, verdict)


def check_deletions(evidence, by_author, verdict):
    """A save that only deletes is in the history, or others have deleted all of it."""
    deleted = {}
    for transaction in evidence.history:
        for reference, kind in transaction.changes:
            if kind == DELETE:
                deleted[reference] = evidence.operations.get(transaction.author)
    for operation in evidence.operations.values():
        if operation.outcome not in ("ok", "saved") or operation.has_written or operation.name in by_author:
            continue
        for reference, _ in operation.deletes:
            other = deleted.get(reference)
            if other is None or other.begin > operation.end:
                verdict.add("missed", "%s deleted object %d, which is not in the history" % (
                    operation.name, reference))


def check_numbers(evidence, verdict):
    """Transactions are numbered one by one."""
    for place, transaction in enumerate(evidence.history, start=1):
        if transaction.number != place:
            verdict.add("anomalies", "transaction %d has place %d" % (transaction.number, place))
            return


def check_failures(evidence, verdict):
    """No error that there was no cause for."""
    changes = {}
    for transaction in evidence.history:
        for reference, _ in transaction.changes:
            changes.setdefault(reference, []).append(transaction)
    numbers = {one.author: one.number for one in evidence.history}
    for operation in evidence.operations.values():
        if operation.outcome == "error":
            verdict.add("anomalies", "%s: %s" % (operation.name, operation.text))
        elif operation.outcome == "busy" and operation.seconds < evidence.busy_timeout:
            verdict.add("anomalies", "%s was busy after %.3f s" % (operation.name, operation.seconds))
        elif operation.outcome == "conflict" and not has_cause(operation, changes, numbers, evidence):
            verdict.add("anomalies", "%s was a conflict with nothing" % operation.name)


def has_cause(operation, changes, numbers, evidence):
    """Whether somebody else changed what a save had read."""
    for reference, value in operation.updates + operation.deletes:
        for other in changes.get(reference, []):
            begun = evidence.operations.get(other.author)
            if other.number > numbers.get(value, 0) and (begun is None or begun.begin < operation.end):
                return True
    return False


def check_content(evidence, replay, verdict):
    """What is in the store is what the history leads to."""
    found = {reference: (group, value) for reference, group, value in evidence.content}
    for reference in sorted(found.keys() | replay.state.keys()):
        if found.get(reference) != replay.state.get(reference):
            verdict.add("missed", "object %d is %s in the end, by the history %s" % (
                reference, found.get(reference), replay.state.get(reference)))


def judge(evidence):
    """- Returns: The verdict on a run."""
    verdict = Verdict()
    check_numbers(evidence, verdict)
    check_operations(evidence, verdict)
    check_failures(evidence, verdict)
    replay = Replay(evidence, verdict)
    check_content(evidence, replay, verdict)
    replay.check_order()
    check_consumers(evidence, verdict)
    return verdict


def main(folder):
    evidence = Evidence.read(folder)
    verdict = judge(evidence)
    for text in verdict.texts[:40]:
        print(text, file=sys.stderr)
    for line in figures(evidence):
        print(line)
    finished = sum(1 for one in evidence.operations.values() if one.outcome)
    print("operations %d, transactions %d, %s" % (
        finished, len(evidence.history), ", ".join("%s %d" % (kind, verdict.counts[kind]) for kind in KINDS)))
    return 0 if verdict.is_good and evidence.history else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
