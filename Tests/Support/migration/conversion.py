"""Which attribute types a migration converts, and which values.

Numbers go where they can be the same number: a whole one into a wider type always, into a narrower
one or a double where it fits; a float into a double. Nothing else is the same value in another type.
"""

WHOLE = {"Integer 16": 16, "Integer 32": 32, "Integer 64": 64}


def is_possible(old, new):
    if old in WHOLE:
        return new in WHOLE or new == "Double"
    return old == new or (old, new) == ("Float", "Double")


def fits(value, old, new):
    """Whether a value can be one of the new type."""
    if value is None or old == new or old not in WHOLE:
        return True
    if new in WHOLE:
        return -(1 << WHOLE[new] - 1) <= value < 1 << WHOLE[new] - 1
    return -(1 << 53) <= value <= 1 << 53
