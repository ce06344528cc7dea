"""What a step from one version of a model to the next does, by Core Data's published rules of inference.

Works on documents alone: no table, no statement. Where Core Data leaves something open, the rule is the
one that the manual states ("Another version of a model" in Models.md).
"""

import conversion
import derivation
from document import Document, Thing
from matching import Mapping


class Step:
    """`issues` are (kind, entity, property) with the number of objects that are in the way; `result` is
    the document afterwards, None where there are issues."""

    def __init__(self, old, new, document):
        self.old, self.new, self.document = old, new, document
        self.mapping = Mapping(old, new)
        self.issues, self.result = {}, None
        self.defaulted = {}
        self.of_models()
        if not self.issues:
            self.migrated = self.migrate()
            self.of_objects()
            if not self.issues:
                self.result = self.migrated
        else:
            self.count_types()

    def issue(self, kind, entity=None, name=None, count=0):
        place = (kind, entity, name)
        self.issues[place] = self.issues.get(place, 0) + count

    # Issues of the models

    def of_models(self):
        if self.old.entities and not self.mapping.entities:
            self.issue("unrelatedModel")
        for root in self.new.roots:
            if len({old.root.name for _, old in self.mapping.present(root)}) > 1:
                self.issue("mergedHierarchies", root.name)
        for name in self.mapping.entities:
            for attribute in self.new.entities[name].attributes:
                old = self.mapping.attributes[name].get(attribute.name)
                if attribute.stored and old and old.stored \
                        and not conversion.is_possible(old.type, attribute.type):
                    self.issue("incompatibleType", attribute.owner.name, attribute.name)
            for item in self.new.entities[name].relationships:
                old = self.mapping.relationships[name].get(item.name)
                if item.stored and old and old.stored:
                    self.of_relationship(item, old)

    def of_relationship(self, new, old):
        def add(kind):
            self.issue(kind, new.owner.name, new.name)
        if new.to_many and self.mapping.formers(new)[0] is not old:
            add("mergedRelationships")
        if old.to_many and not new.to_many:
            add("toManyToOne")
        inverse = new.inverse
        if inverse and not new.to_many and not inverse.to_many and not old.to_many:
            back = self.mapping.formers(inverse)
            if len(self.mapping.formers(new)) > 1:
                add("incompatibleInverse")
            elif back and back[0] is not old.inverse:
                add("incompatibleInverse")
            elif not back and (old.inverse is None or old.inverse.to_many):
                add("incompatibleInverse")
        roots = {former.root.name for _, former in self.mapping.present(new.destination.root)}
        if old.destination.root.name not in roots:
            add("otherDestination")

    def count_types(self):
        """The values that no other type has; a property has one issue however many entities inherit it."""
        for kind, entity, name in list(self.issues):
            if kind != "incompatibleType":
                continue
            for new, old in self.mapping.present(self.new.entities[entity]):
                former = self.mapping.attributes[new.name].get(name)
                type_now = new.property(name).type
                if former and former.stored and not conversion.is_possible(former.type, type_now):
                    for thing in self.document.of(old.name):
                        if thing.attributes.get(former.name) is not None:
                            self.issue(kind, entity, name, 1)

    # The objects

    def migrate(self):
        result = Document()
        self.moved = {}
        for thing in self.document.objects.values():
            name = self.mapping.new_of.get(thing.entity)
            if name is None:
                continue
            entity = self.new.entities[name]
            now = Thing(name, entity.root.name, thing.key)
            self.moved[thing.place] = now
            result.add(now)
            for attribute in entity.attributes:
                if attribute.stored:
                    now.attributes[attribute.name] = self.value(attribute, name, thing)
            now.links = {item.name: [] for item in entity.relationships if item.stored}
        self.result_links(result)
        derivation.compute(self.new, result, self.mapping)
        return result

    def value(self, attribute, entity, thing):
        old = self.mapping.attributes[entity].get(attribute.name)
        if old and old.stored:
            value = thing.attributes[old.name]
            if value is not None or attribute.optional or attribute.default is None:
                return value
        if attribute.default is not None and not derivation.is_computed(self.new, attribute):
            place = (attribute.owner.name, attribute.name)
            self.defaulted[place] = self.defaulted.get(place, 0) + 1
        return attribute.default

    # Relationships

    def result_links(self, result):
        done = set()
        for entity in self.new.entities.values():
            for item in entity.own_relationships:
                if item.stored and item not in done:
                    done.update([item] + ([item.inverse] if item.inverse else []))
                    self.link(item, result)

    def link(self, item, result):
        """Fills a relationship and its inverse."""
        inverse = item.inverse
        if inverse is None:
            self.alone(item, result)
        elif inverse is item:
            self.own_inverse(item, result)
        elif item.to_many and inverse.to_many:
            self.many_to_many(item, inverse, result)
        elif item.to_many or inverse.to_many:
            many, one = (item, inverse) if item.to_many else (inverse, item)
            self.one_to_many(one, many, result)
        else:
            self.one_to_one(item, inverse, result)

    def destinations(self, new, old, thing):
        """Where the objects are now that an object has in an old relationship, those that have a place."""
        found = []
        for place in thing.links.get(old.name, []):
            now = self.moved.get(place)
            if now is not None and self.new.entities[now.entity].is_kind(new.destination):
                found.append(now.place)
        return found if old.ordered else sorted(found, key=lambda place: place[1])

    def forward(self, new):
        """The pairs that a relationship has from what it was itself: lists by place; None where it is new."""
        if not self.mapping.formers(new):
            return None
        result = {}
        for thing in self.document.objects.values():
            now = self.moved.get(thing.place)
            if now is None or not self.new.entities[now.entity].is_kind(new.owner):
                continue
            old = self.mapping.relationships[now.entity].get(new.name)
            if old is not None and old.stored:
                result[now.place] = self.destinations(new, old, thing)
        return result

    def backward(self, new):
        """The pairs that a relationship has from what its inverse was; None where that is new too.

        Where the inverse's former inverse is there, that has the pairs with their order."""
        if new.inverse is None or not self.mapping.formers(new.inverse):
            return None
        result = {}
        for former in self.mapping.formers(new.inverse):
            if former.inverse and former.inverse.stored:
                for thing in self.document.objects.values():
                    now = self.moved.get(thing.place)
                    if now and former.inverse.name in thing.links \
                            and self.old.entities[thing.entity].property(former.inverse.name) \
                            is former.inverse and self.new.entities[now.entity].is_kind(new.owner):
                        found = self.destinations(new, former.inverse, thing)
                        result.setdefault(now.place, []).extend(found)
        pairs = self.forward(new.inverse)
        for source in sorted(pairs, key=lambda place: place[1]):
            for place in pairs[source]:
                known = result.setdefault(place, [])
                if source not in known:
                    known.append(source)
        return result

    def put(self, item, pairs, result):
        for place, destinations in pairs.items():
            if item.name in result.objects[place].links:
                result.objects[place].links[item.name] = list(dict.fromkeys(destinations))

    def alone(self, item, result):
        self.put(item, self.forward(item) or {}, result)

    def own_inverse(self, item, result):
        """Each object of a pair has the other."""
        pairs = self.forward(item) or {}
        for place in list(pairs):
            for other in pairs[place]:
                if place not in pairs.setdefault(other, []):
                    pairs[other].append(place)
        for links in pairs.values():
            links.sort(key=lambda link: link[1])
        self.put(item, pairs, result)

    def reversed(self, pairs):
        result = {}
        for source in sorted(pairs, key=lambda place: place[1]):
            for place in pairs[source]:
                result.setdefault(place, []).append(source)
        return result

    def many_to_many(self, item, inverse, result):
        """Of two that were no inverses of each other, the one that comes first by entity and name stays."""
        first, second = sorted([item, inverse], key=lambda part: (part.owner.name, part.name))
        pairs = self.forward(first)
        if pairs is None:
            pairs = self.backward(first) or {}
        back = self.reversed(pairs)
        self.order(back, self.former_order(first, second))
        self.put(first, pairs, result)
        self.put(second, back, result)

    def one_to_many(self, one, many, result):
        """The to-one has at most one; of several the first stays."""
        pairs = {place: sorted(found, key=lambda part: part[1])[:1]
                 for place, found in self.of_to_one(one).items()}
        back = self.reversed(pairs)
        if many.ordered:
            known = self.forward(many)
            self.order(back, self.backward(many) if known is None else known)
        self.put(one, pairs, result)
        self.put(many, back, result)

    @staticmethod
    def order(lists, known):
        """Orders lists as known ones are; what these do not have comes last, by key."""
        for place, links in lists.items():
            places = {link: at for at, link in enumerate((known or {}).get(place, []))}
            links.sort(key=lambda link: (places.get(link, len(places)), link[1]))

    def former_order(self, first, second):
        """The order on the other side of the pairs that a many-to-many has from its first relationship."""
        formers = self.mapping.formers(first)
        if not formers:
            return self.forward(second)
        inverse, result = formers[0].inverse, {}
        if inverse is not None and inverse.stored:
            for thing in self.document.objects.values():
                now = self.moved.get(thing.place)
                if now is not None and self.old.entities[thing.entity].is_kind(inverse.owner):
                    result[now.place] = self.destinations(second, inverse, thing)
        return result

    def of_to_one(self, one):
        """What a to-one was itself counts; objects for which it is new have what its inverse says."""
        known, others = self.forward(one) or {}, self.backward(one) or {}
        return {**others, **known}

    def one_to_one(self, item, inverse, result):
        """Either side may know of a pair; no object is in two."""
        taken, kept = set(), {}
        for pairs in (self.of_to_one(item), self.reversed(self.of_to_one(inverse))):
            for place in sorted(pairs, key=lambda part: part[1]):
                for destination in pairs[place]:
                    if place not in kept and destination not in taken:
                        taken.add(destination)
                        kept[place] = [destination]
        self.put(item, kept, result)
        self.put(inverse, self.reversed(kept), result)

    # Issues of the objects

    def of_objects(self):
        for name, old in self.mapping.entities.items():
            entity = self.new.entities[name]
            things = [self.moved[thing.place] for thing in self.document.of(old.name)]
            if entity.abstract and things:
                self.issue("abstractEntity", name, None, len(things))
            for attribute in entity.attributes:
                self.of_attribute(attribute, name, old)
            for item in entity.relationships:
                if item.stored and not item.to_many and not item.optional:
                    missing = [thing for thing in things if not thing.links[item.name]]
                    if missing:
                        self.issue("missingValue", name, item.name, len(missing))
        for entity in self.new.entities.values():
            for names in entity.unique:
                self.of_constraint(entity, names)

    def of_attribute(self, attribute, name, old):
        former = self.mapping.attributes[name].get(attribute.name)
        if not attribute.stored:
            return
        for thing in self.document.of(old.name):
            now = self.moved[thing.place]
            if not attribute.optional and now.attributes[attribute.name] is None \
                    and not derivation.is_computed(self.new, attribute):
                self.issue("missingValue", name, attribute.name, 1)
            if former and former.stored and not conversion.fits(
                    thing.attributes[former.name], former.type, attribute.type):
                self.issue("valueOutOfRange", name, attribute.name, 1)

    def of_constraint(self, entity, names):
        """Objects that have the same values; what is null is equal to nothing."""
        parts = [entity.property(name) for name in names]
        if any(not part.stored or getattr(part, "to_many", False) for part in parts):
            return
        found = {}
        for thing in self.migrated.objects.values():
            if not self.new.entities[thing.entity].is_kind(entity):
                continue
            values = []
            for name in names:
                value = thing.links[name] if name in thing.links else thing.attributes[name]
                values.append(comparable(value))
            if None not in values:
                found.setdefault(tuple(values), []).append(thing)
        count = sum(len(things) for things in found.values() if len(things) > 1)
        if count:
            self.issue("duplicateValues", entity.name, names[0] if len(names) == 1 else None, count)


def comparable(value):
    """A value that can be a key, equal where the store's are."""
    if value is None or value == []:
        return None
    if isinstance(value, dict) and "date" in value:
        return ("date", float(value["date"]))
    if isinstance(value, (dict, list)):
        return repr(value)
    return value
