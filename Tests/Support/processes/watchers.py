"""Whether each consumer saw every transaction once, in its order, as the history has it."""

from collections import Counter


def check_consumers(evidence, verdict):
    known = {one.number: one for one in evidence.history}
    for number, lives in evidence.consumers.items():
        seen = [transaction for life in lives for transaction, _ in life.seen]
        times = Counter(transaction.number for transaction in seen)
        name = "consumer %d (%s)" % (number, lives[0].kind)
        for one in sorted(known.keys() - times.keys()):
            verdict.add("missed", "%s did not see transaction %d" % (name, one))
        for one, count in times.items():
            if count > 1:
                verdict.add("twice", "%s saw transaction %d %d times" % (name, one, count))
        for before, after in zip(seen, seen[1:]):
            if after.number < before.number:
                verdict.add("anomalies", "%s saw transaction %d after %d" % (name, after.number, before.number))
        for transaction in seen:
            if transaction.number not in known:
                verdict.add("anomalies", "%s saw transaction %d, which is not there" % (name, transaction.number))
            elif transaction != known[transaction.number]:
                verdict.add("anomalies", "%s saw transaction %d otherwise" % (name, transaction.number))
