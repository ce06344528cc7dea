"""The judge finds what is wrong with a history, each kind of it, and nothing where nothing is."""

import unittest

from evidence import DELETE, INSERT, UPDATE, Evidence, Life, Operation, Transaction
from judge import judge


class Story:
    """A run of two writers and two consumers in which all went well: a test spoils it."""

    def __init__(self):
        self.operations = {}
        self.clock = 0
        self.save("2.0.1", inserts=[1, 2], changes=[(1, INSERT), (2, INSERT)], number=1)
        self.read("3.0.1", {1: "2.0.1", 2: "2.0.1"})
        self.save("3.0.2", updates=[(1, "2.0.1")], changes=[(1, UPDATE)], number=2)
        self.read("2.0.2", {1: "3.0.2", 2: "2.0.1"})
        self.batch("2.0.3", "batchUpdate", changes=[(1, UPDATE), (2, UPDATE)], number=3)
        self.look("2.0.4", 2, "2.0.3")
        self.save("3.0.3", updates=[(1, "2.0.1")], outcome="conflict")
        self.save("3.0.4", deletes=[(2, "2.0.3")], updates=[(1, "2.0.3")], changes=[(1, UPDATE), (2, DELETE)], number=4)
        self.look("3.0.5", 2, None)
        self.read("2.0.5", {1: "3.0.4"})
        self.content = [(1, 0, "3.0.4")]
        self.seen = {0: [[1, 2], [3, 4]], 1: [[1], [2, 3, 4]]}

    history = None

    def begin(self, name, kind, **more):
        self.clock += 10
        line = {"begin": name, "at": self.clock, "kind": kind, "group": 0}
        self.operations[name] = Operation({**line, **more})
        return self.operations[name]

    def end(self, operation, outcome="ok", **more):
        self.clock += 10
        operation.finish({"at": self.clock, "outcome": outcome, **more})

    def add(self, name, changes, number):
        self.history = self.history or []
        if number:
            self.history.append(Transaction({"number": number, "author": name, "changes": changes}))

    def save(self, name, inserts=(), updates=(), deletes=(), changes=(), number=None, outcome="ok"):
        operation = self.begin(name, "save", inserts=len(inserts), updates=rows(updates), deletes=rows(deletes))
        self.end(operation, outcome, ids=list(inserts))
        self.add(name, changes, number)

    def batch(self, name, kind, changes, number):
        self.end(self.begin(name, kind), count=len(changes))
        self.add(name, changes, number)

    def read(self, name, found):
        self.end(self.begin(name, "read", groups=[0]), rows=rows(found.items()))

    def look(self, name, reference, value):
        operation = self.begin(name, "look", id=reference)
        self.end(operation, rows=rows([(reference, value)] if value else []))

    def found(self, name, values):
        """What a read has found instead."""
        self.operations[name].rows = list(values.items())

    def verdict(self):
        by_number = {one.number: one for one in self.history}
        consumers = {}
        for number, lives in self.seen.items():
            consumers[number] = []
            for seen in lives:
                life = Life("polling", 0)
                life.seen = [(by_number.get(one) or Transaction({"number": one, "changes": []}), 0) for one in seen]
                consumers[number].append(life)
        return judge(Evidence(self.operations, self.history, self.content, consumers))

    def kill(self, name):
        """The operation has no end."""
        operation = self.operations[name]
        operation.outcome, operation.end = None, float("inf")


def rows(pairs):
    return [{"id": one, "value": value} for one, value in pairs]


class JudgeTests(unittest.TestCase):
    def setUp(self):
        self.story = Story()

    def check(self, **expected):
        verdict = self.story.verdict()
        self.assertEqual(dict(verdict.counts), expected, "\n".join(verdict.texts))

    def check_finds(self, kind, text):
        verdict = self.story.verdict()
        self.assertTrue(any(one.startswith(kind) and text in one for one in verdict.texts), verdict.texts)
        self.assertFalse(verdict.is_good)

    def test_nothing_is_wrong(self):
        self.check()

    def test_killed_operations_may_have_happened(self):
        for name in ("3.0.4", "2.0.3"):
            self.story.kill(name)
        self.check()

    def test_killed_operations_may_not_have_happened(self):
        self.story.save("2.0.6", updates=[(1, "3.0.4")])
        self.story.kill("2.0.6")
        self.check()

    def test_overlapping_reads_may_see_either(self):
        self.story.operations["2.0.2"].begin = self.story.operations["3.0.2"].begin
        self.check()
        self.story.found("2.0.2", {1: "2.0.1", 2: "2.0.1"})
        self.check()

    def test_lost_write(self):
        self.story.save("2.0.6", updates=[(1, "3.0.4")])
        self.check(missed=1)

    def test_lost_content(self):
        self.story.content = [(1, 0, "2.0.3")]
        self.check(missed=1)

    def test_lost_update(self):
        # Two saves that read the same state both went through.
        self.story.operations["3.0.4"].updates = [(1, "3.0.2")]
        self.check(anomalies=1)

    def test_write_that_is_in_the_history_twice(self):
        self.story.history.append(Transaction({"number": 5, "author": "3.0.4", "changes": [(1, UPDATE)]}))
        self.story.seen = {}
        self.check_finds("twice", "3.0.4 is in the history as [4, 5]")

    def test_transaction_that_nobody_asked_for(self):
        self.story.history.append(Transaction({"number": 5, "author": "9.0.9", "changes": []}))
        self.story.seen = {}
        self.check(anomalies=1)

    def test_failed_write_that_is_in_the_history(self):
        self.story.operations["3.0.4"].outcome = "busy"
        self.check_finds("anomalies", "ended in busy, and is in the history")

    def test_unknown_outcome_that_was_settled(self):
        self.story.operations["3.0.2"].outcome = "saved"
        self.story.operations["2.0.3"].outcome = "saved"
        self.story.save("2.0.6", updates=[(1, "3.0.4")], outcome="unsaved")
        self.check()

    def test_unknown_outcome_that_was_settled_wrongly(self):
        self.story.operations["3.0.2"].outcome = "unsaved"
        self.check_finds("anomalies", "3.0.2 ended in unsaved")
        self.story.save("2.0.6", updates=[(1, "3.0.4")], outcome="saved")
        self.check_finds("missed", "2.0.6 was acknowledged")

    def test_stale_read_of_a_group(self):
        self.story.found("2.0.5", {1: "2.0.3", 2: "2.0.3"})
        self.check(stale=1)

    def test_stale_read_of_an_object(self):
        self.story.found("2.0.4", {2: "2.0.1"})
        self.check(stale=1)

    def test_stale_read_of_a_deleted_object(self):
        self.story.found("3.0.5", {2: "2.0.3"})
        self.check(stale=1)

    def test_read_after_a_later_read(self):
        # Of writes that are under way all the time, so that only the other read says how late it is.
        for name in ("2.0.3", "3.0.4"):
            self.story.kill(name)
        self.story.found("2.0.5", {1: "2.0.3", 2: "2.0.3"})
        self.check(stale=1)

    def test_torn_read(self):
        self.story.found("2.0.2", {1: "2.0.1", 2: "2.0.3"})
        self.check(anomalies=1)

    def test_object_that_a_read_of_its_group_lacks(self):
        self.story.found("2.0.2", {1: "3.0.2"})
        self.check(anomalies=1)

    def test_read_of_what_is_not_yet_written(self):
        self.story.found("2.0.2", {1: "2.0.3", 2: "2.0.3"})
        self.check_finds("anomalies", "2.0.3 is transaction 3, and began after 3 was seen")

    def test_read_of_what_no_transaction_wrote(self):
        self.story.found("2.0.5", {1: "3.0.3"})
        self.check_finds("missed", "read what 3.0.3 wrote")

    def test_pair_out_of_order(self):
        one, other = self.story.operations["2.0.3"], self.story.operations["3.0.4"]
        one.begin, one.end, other.begin, other.end = other.begin, other.end, one.begin, one.end
        self.check_finds("anomalies", "2.0.3 is transaction 3, and began after 4 was seen")

    def test_gap_in_the_numbers(self):
        self.story.history[3].number = 5
        self.story.seen = {}
        self.check(anomalies=1)

    def test_transaction_without_one_of_its_changes(self):
        self.story.history[2].changes.pop()
        self.check_finds("anomalies", "transaction 3 of 2.0.3 has changes [1]")

    def test_transaction_missing_in_a_consumer(self):
        self.story.seen[0] = [[1, 2], [4]]
        self.check(missed=1)

    def test_last_transaction_missing_in_a_consumer(self):
        self.story.seen[1] = [[1], [2, 3]]
        self.check(missed=1)

    def test_transaction_seen_twice_over_a_restart(self):
        self.story.seen[0] = [[1, 2], [2, 3, 4]]
        self.check(twice=1)

    def test_transactions_seen_in_another_order(self):
        self.story.seen[0] = [[1, 3], [2, 4]]
        self.check(anomalies=1)

    def test_transaction_that_only_a_consumer_saw(self):
        self.story.seen[0] = [[1, 2], [3, 4, 5]]
        self.check(anomalies=1)

    def test_busy_before_its_time(self):
        self.story.save("2.0.6", updates=[(1, "3.0.4")], outcome="busy")
        self.check(anomalies=1)
        self.story.operations["2.0.6"].end += 61e9
        self.check()

    def test_error(self):
        self.story.save("2.0.6", updates=[(1, "3.0.4")], outcome="error")
        self.check(anomalies=1)

    def test_conflict_with_nothing(self):
        self.story.save("2.0.6", updates=[(1, "3.0.4")], outcome="conflict")
        self.check(anomalies=1)

    def test_deletion_of_what_others_deleted(self):
        self.story.save("2.0.6", deletes=[(2, "2.0.3")])
        self.check()
        self.story.save("2.0.7", deletes=[(1, "3.0.4")])
        self.check(missed=1)

    def test_deletion_that_was_settled_wrongly(self):
        self.story.save("2.0.6", deletes=[(2, "2.0.3")], outcome="saved")
        self.check()
        self.story.save("2.0.7", deletes=[(1, "3.0.4")], outcome="saved")
        self.check_finds("missed", "2.0.7 deleted object 1")


if __name__ == "__main__":
    unittest.main()
