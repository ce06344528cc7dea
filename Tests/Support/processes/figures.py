"""What a run says besides whether it was right: how much, how fairly, how soon."""

from collections import Counter


def figures(evidence):
    """- Returns: lines to print."""
    operations = evidence.operations.values()
    outcomes = Counter((one.kind, one.outcome or "killed") for one in operations)
    yield "operations: " + ", ".join("%s %s %d" % (*key, count) for key, count in sorted(outcomes.items()))
    waits = sorted(one.seconds for one in operations if one.outcome == "busy")
    if waits:
        yield "busy: %d, waited %.1f to %.1f s" % (len(waits), waits[0], waits[-1])
    writes = sorted(one.seconds for one in operations if one.has_written)
    if writes:
        yield "writes: median %.1f ms, p99 %.1f ms, longest %.1f ms" % tuple(
            1000 * part(writes, place) for place in (0.5, 0.99, 1))
    commits = Counter(one.writer for one in operations if one.has_written)
    shares = sorted(commits[number] / max(1, sum(commits.values())) for number in
                    {one.writer for one in operations})
    if shares:
        yield "share of a writer: minimum %.1f %%, median %.1f %%, maximum %.1f %%" % tuple(
            100 * part(shares, place) for place in (0, 0.5, 1))
    for kind in sorted({lives[0].kind for lives in evidence.consumers.values()}):
        found = delays(evidence, kind)
        if found:
            yield "delay to %s consumers: median %.1f ms, p99 %.1f ms" % (
                kind, 1000 * part(found, 0.5), 1000 * part(found, 0.99))


def delays(evidence, kind):
    """From the end of each acknowledged write to when a consumer has it that was running meanwhile, in seconds."""
    found = []
    for lives in evidence.consumers.values():
        for life in lives:
            if life.kind != kind:
                continue
            for transaction, time in life.seen:
                operation = evidence.operations.get(transaction.author)
                if operation and operation.has_written and operation.end > life.start:
                    found.append(max(0, time - operation.end) / 1e9)
    return sorted(found)


def part(ordered, place):
    return ordered[min(len(ordered) - 1, int(len(ordered) * place))]
