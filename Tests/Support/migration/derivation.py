"""Derived attributes: what their expressions make of the objects.

An expression that is none of Core Data's simple ones makes a plain attribute. `now()` is not known.
"""


class Unknown:
    """A value that no reference can know: it equals any."""


UNKNOWN = Unknown()


def parsed(model, attribute):
    """(what is done, the relationship's name or None, the attribute's name or None); None for a plain one."""
    if not attribute.derivation or attribute.transient or attribute.owner is None:
        return None
    text = "".join(attribute.derivation.split())
    if text == "now()":
        return ("now", None, None) if attribute.type == "Date" else None
    for word in ("canonical", "uppercase", "lowercase"):
        if text.startswith(word + ":(") and text.endswith(")"):
            inner = path(model, attribute.owner, text[len(word) + 2:-1])
            return (word,) + inner[:2] if inner and inner[2] == attribute.type == "String" else None
    names = text.split(".")
    relationship = attribute.owner.property(names[0]) if len(names) > 1 else None
    if relationship is not None and getattr(relationship, "to_many", False):
        return aggregate(attribute, relationship, names)
    found = path(model, attribute.owner, text)
    return ("copy",) + found[:2] if found and found[2] == attribute.type else None


def path(model, entity, text):
    """(relationship or None, attribute, its type) of a name or of a name behind a to-one."""
    names = text.split(".")
    relationship = None
    if len(names) == 2:
        relationship = entity.property(names[0])
        if relationship is None or getattr(relationship, "to_many", True) or relationship.transient:
            return None
        entity = relationship.destination
    elif len(names) != 1:
        return None
    attribute = entity.property(names[-1])
    if attribute is None or not hasattr(attribute, "type") or attribute.transient or attribute.derivation:
        return None
    return (relationship.name if relationship else None, attribute.name, attribute.type)


def aggregate(attribute, relationship, names):
    if relationship.transient:
        return None
    if names[1:] == ["@count"] and attribute.type.startswith("Integer"):
        return ("count", relationship.name, None)
    if len(names) == 3 and "@sum" in names[1:]:
        source = relationship.destination.property(names[2] if names[1] == "@sum" else names[1])
        if source is not None and hasattr(source, "type") and not source.transient:
            whole = source.type.startswith("Integer")
            if whole and (attribute.type.startswith("Integer") or attribute.type == "Double") \
                    or source.type in ("Double", "Float") and attribute.type == "Double":
                return ("sum", relationship.name, source.name)
    return None


def is_computed(model, attribute):
    return parsed(model, attribute) is not None


def compute(model, document, mapping):
    """Sets the derived attributes of a document that was migrated."""
    for thing in document.objects.values():
        for attribute in model.entities[thing.entity].attributes:
            rule = parsed(model, attribute)
            if rule is None:
                continue
            value = thing.attributes[attribute.name]
            if rule[0] == "now":
                known = mapping.attributes[thing.entity].get(attribute.name)
                value = value if known is not None and known.stored else UNKNOWN
            else:
                value = result(rule, document, thing)
            thing.attributes[attribute.name] = value


def result(rule, document, thing):
    what, relationship, name = rule
    others = [document.objects[place] for place in thing.links[relationship]] if relationship else [thing]
    if what == "count":
        return len(others)
    values = [other.attributes[name] for other in others]
    if what == "sum":
        if any(isinstance(value, dict) for value in values):
            return UNKNOWN
        return sum(value for value in values if value is not None)
    value = values[0] if values else None
    if value is None or what == "copy":
        return value
    # Which marks and cases a folding takes away is the library's affair.
    return UNKNOWN
