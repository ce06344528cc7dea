"""Which entity or property of a new version is which of the old one, by Core Data's published rule.

A renaming identifier is the former name, or the identifier that the former one had: together they are
a canonical name, which stays over all versions, so that a version can be skipped. What has no canonical
name in common is the same where it has the same name. Nothing is matched twice; what agrees in more
comes first.
"""


def match(before, after):
    """The old one of each new one that has one, by the new one's name."""
    rules = [
        lambda old, new: new.identifier is not None and new.identifier == old.identifier
        and new.name == old.name,
        lambda old, new: new.identifier is not None and new.identifier == old.identifier,
        lambda old, new: new.identifier == old.name,
        lambda old, new: new.name == old.name,
        # Back to the version before the renaming.
        lambda old, new: new.identifier is None and old.identifier == new.name]
    result, taken = {}, set()
    for rule in rules:
        for new in after:
            if new.name in result:
                continue
            for old in before:
                if old.name not in taken and rule(old, new):
                    result[new.name] = old
                    taken.add(old.name)
                    break
    return result


class Mapping:
    """What in two versions of a model is the same."""

    def __init__(self, old, new):
        self.old, self.new = old, new
        self.entities = match(list(old.entities.values()), list(new.entities.values()))
        self.new_of = {item.name: name for name, item in self.entities.items()}
        self.attributes, self.relationships = {}, {}
        for name, former in self.entities.items():
            entity = new.entities[name]
            self.attributes[name] = match(former.attributes, entity.attributes)
            self.relationships[name] = match(former.relationships, entity.relationships)

    def present(self, entity):
        """The entities of a hierarchy of the new version that were in the old one, with those."""
        return [(item, self.entities[item.name]) for item in entity.hierarchy if item.name in self.entities]

    def formers(self, relationship):
        """What a relationship of the new version was, without repetition."""
        found = []
        for entity, _ in self.present(relationship.owner):
            former = self.relationships[entity.name].get(relationship.name)
            if former is not None and former.stored and former not in found:
                found.append(former)
        return found
