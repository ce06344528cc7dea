"""What a step drops, counted from the documents before and after it."""

import derivation


class Losses:
    """Counts by (entity, property) of the old version; objects by entity."""

    def __init__(self, step):
        self.step, self.mapping = step, step.mapping
        self.objects = {}
        for thing in step.document.objects.values():
            if thing.entity not in self.mapping.new_of:
                self.objects[thing.entity] = self.objects.get(thing.entity, 0) + 1
        self.values, self.links, self.pairs, self.orders = {}, {}, 0, 0
        for entity in step.old.entities.values():
            for attribute in entity.own_attributes:
                if attribute.stored and not derivation.is_computed(step.old, attribute):
                    self.add(self.values, entity, attribute, self.lost_values(attribute))
            for item in entity.own_relationships:
                if item.stored:
                    self.of_relationship(entity, item)

    @staticmethod
    def add(counts, entity, part, count):
        if count:
            counts[(entity.name, part.name)] = count

    @property
    def is_any(self):
        return bool(self.objects or self.values or self.pairs or self.orders)

    def lost_values(self, attribute):
        count = 0
        for entity in attribute.owner.hierarchy:
            name = self.mapping.new_of.get(entity.name)
            if name is None:
                continue
            kept = [self.step.new.entities[name].property(new)
                    for new, old in self.mapping.attributes[name].items() if old is attribute]
            if any(part.stored and not derivation.is_computed(self.step.new, part) for part in kept):
                continue
            count += sum(thing.attributes[attribute.name] is not None
                         for thing in self.step.document.of(entity.name))
        return count

    def of_relationship(self, entity, item):
        carriers = self.carriers(item)
        lost = stays_at_all = 0
        for thing in self.step.document.objects.values():
            if not self.step.old.entities[thing.entity].is_kind(entity):
                continue
            for place in thing.links[item.name]:
                if any(self.has(carrier, thing.place, place) for carrier in carriers):
                    continue
                near, far = thing.place in self.step.moved, place in self.step.moved
                lost += near
                stays_at_all += near or far and item.inverse is not None
        self.add(self.links, entity, item, lost)
        if self.loses_order(item, carriers):
            self.orders += sum(
                len(thing.links[item.name]) > 1 for thing in self.step.document.objects.values()
                if thing.place in self.step.moved and self.step.old.entities[thing.entity].is_kind(entity))
        if self.counts_pairs(item):
            self.pairs += stays_at_all

    def loses_order(self, item, carriers):
        """Whether a to-many stays one, and no part that has its objects now is ordered."""
        if not item.ordered:
            return False
        own = {name for name, is_forward in carriers if is_forward}
        parts = [self.step.new.entities[name].property(new)
                 for name, matches in self.mapping.relationships.items()
                 for new, old in matches.items() if old is item and new in own]
        parts = [part for part in parts if part.stored and part.to_many]
        return bool(parts) and not any(part.ordered for part in parts)

    @staticmethod
    def counts_pairs(item):
        """A relationship and its inverse count once."""
        other = item.inverse
        return other is None or (item.owner.name, item.name) <= (other.owner.name, other.name)

    def carriers(self, item):
        """The relationships that have pairs of an old one now: (name, whether from its own side)."""
        found = set()
        for name, matches in self.mapping.relationships.items():
            for new, old in matches.items():
                part = self.step.new.entities[name].property(new)
                if part.stored and old is item:
                    found.add((new, True))
                if part.stored and old is item.inverse:
                    found.add((new, False))
        return found

    def has(self, carrier, near, far):
        name, is_forward = carrier
        source, destination = (near, far) if is_forward else (far, near)
        now, other = self.step.moved.get(source), self.step.moved.get(destination)
        return now is not None and other is not None and other.place in now.links.get(name, [])
