"""Compares the objects that a migration left with those that the reference says."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apple-stores"))
import compare as canonical_compare  # noqa: E402
from derivation import UNKNOWN  # noqa: E402


def equal(one, other):
    return one is UNKNOWN or other is UNKNOWN or canonical_compare.equal(one, other)


def differences(expected, actual, model):
    """(entity, key, property or None, words) of each difference."""
    for place in sorted(set(expected.objects) | set(actual.objects)):
        mine, theirs = expected.objects.get(place), actual.objects.get(place)
        if mine is None or theirs is None:
            thing = mine or theirs
            yield thing.entity, thing.key, None, "is missing" if theirs is None else "is there and should not"
            continue
        if mine.entity != theirs.entity:
            yield mine.entity, mine.key, None, "is of %s" % theirs.entity
            continue
        yield from of_object(mine, theirs, model)


def of_object(mine, theirs, model):
    for name in sorted(set(mine.attributes) | set(theirs.attributes)):
        if name not in mine.attributes or name not in theirs.attributes:
            yield mine.entity, mine.key, name, "is an attribute of one side"
        elif not equal(mine.attributes[name], theirs.attributes[name]):
            yield mine.entity, mine.key, name, "should be %s and is %s" % (
                short(mine.attributes[name]), short(theirs.attributes[name]))
    for name in sorted(set(mine.links) | set(theirs.links)):
        if name not in mine.links or name not in theirs.links:
            yield mine.entity, mine.key, name, "is a relationship of one side"
            continue
        first, second = mine.links[name], theirs.links[name]
        if not model.entities[mine.entity].property(name).ordered:
            first, second = sorted(first), sorted(second)
        if first != second:
            yield mine.entity, mine.key, name, "should lead to %s and leads to %s" % (
                short(first), short(second))


def short(value):
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, default=str)
    return text if len(text) <= 120 else text[:120] + "…"
