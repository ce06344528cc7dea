"""Compares two sets of objects whose keys say nothing: by their values, and by where their links lead."""

import collections
import hashlib
import json

ROUNDS = 6


def short(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def labels(things, ordered):
    """A label for each object, the same for two that nothing tells apart.

    - things: (identity, entity, attributes, {name: [identity]}) of each object.
    - ordered: whether a relationship of an entity has an order, by (entity, name).
    """
    first = {
        place: short(json.dumps([entity, attributes], sort_keys=True)) for place, entity, attributes, _ in things}
    now = first
    for _ in range(ROUNDS):
        following = {}
        for place, entity, _, links in things:
            parts = [first[place]]
            for name in sorted(links):
                found = [now[other] for other in links[name]]
                parts.append(name + ":" + ",".join(found if ordered(entity, name) else sorted(found)))
            following[place] = short("|".join(parts))
        now = following
    return first, now


def differences(expected, actual, ordered):
    """Words for what one side has and the other has not: first by values, then by links."""
    sides = [labels(things, ordered) for things in (expected, actual)]
    for index, what in ((0, "values"), (1, "links")):
        one, other = (
            collections.Counter((entity, side[index][place]) for place, entity, _, _ in things)
            for side, things in zip(sides, (expected, actual)))
        found = [
            "%d of %s have other %s" % (count, entity, what)
            for entity, count in collections.Counter(
                {entity: sum(n for (name, _), n in (one - other).items() if name == entity)
                 for entity in {name for name, _ in one}}).items() if count]
        found += [
            "%d of %s are too many" % (n, entity)
            for entity, n in (collections.Counter(e for _, e, _, _ in actual)
                              - collections.Counter(e for _, e, _, _ in expected)).items()]
        if found:
            return found
    return []
