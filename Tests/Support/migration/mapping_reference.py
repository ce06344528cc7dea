"""What a mapping model makes of objects, by Core Data's documentation of NSEntityMapping and NSMigrationManager.

Policies are taken for the default one.
"""

from document import Thing


class Step:
    """Makes `result`, a list of objects of the new model; links lead to objects themselves."""

    def __init__(self, mappings, old, new, document):
        self.mappings, self.old, self.new, self.document = mappings, old, new, document
        self.made, self.result = {}, []
        for mapping in mappings:
            if mapping.source and mapping.destination and mapping.destination in new.entities:
                self.create(mapping)
        for mapping in mappings:
            if mapping.source and mapping.destination and mapping.destination in new.entities:
                self.connect(mapping)

    def create(self, mapping):
        entity = self.new.entities[mapping.destination]
        for source in self.document.of(mapping.source):
            thing = Thing(entity.name, entity.root.name, len(self.result))
            given = {item.name: item for item in mapping.attributes}
            for attribute in entity.attributes:
                if attribute.stored:
                    thing.attributes[attribute.name] = self.value(attribute, given.get(attribute.name), source)
            thing.links = {item.name: [] for item in entity.relationships if item.stored}
            self.made.setdefault((mapping.name, source.place), []).append(thing)
            self.result.append(thing)

    def value(self, attribute, mapping, source):
        if mapping is None:
            return attribute.default
        if mapping.expression is not None:
            return self.evaluate(mapping.expression, source)
        if attribute.name in source.attributes:
            return source.attributes[attribute.name]
        return attribute.default

    def connect(self, mapping):
        entity = self.new.entities[mapping.destination]
        stored = {item.name: item for item in entity.relationships if item.stored}
        for source in self.document.of(mapping.source):
            for thing in self.made[(mapping.name, source.place)]:
                for item in mapping.relationships:
                    if item.name in stored:
                        found = self.destinations(stored[item.name], item, source)
                        if found is not None:
                            self.link(thing, stored[item.name], found)

    def destinations(self, relationship, item, source):
        """The objects that a relationship leads to; None where nothing says it."""
        if item.expression is not None:
            found = self.evaluate(item.expression, source)
        elif item.source_path:
            found = self.instances(self.walk(source, item.source_path), item.source_mapping)
        elif relationship.name in source.links:
            found = self.instances(self.walk(source, relationship.name), None)
        else:
            return None
        return [one for one in found if self.new.entities[one.entity].is_kind(relationship.destination)]

    def link(self, thing, relationship, found):
        found = found if relationship.to_many else found[:1]
        inverse = relationship.inverse
        for former in list(thing.links[relationship.name]):
            if former not in found:
                self.unlink(thing, relationship, former)
        for other in found:
            if other in thing.links[relationship.name]:
                continue
            if not relationship.to_many:
                thing.links[relationship.name] = []
            thing.links[relationship.name].append(other)
            if inverse is None or thing in other.links[inverse.name]:
                continue
            if not inverse.to_many:
                for former in list(other.links[inverse.name]):
                    self.unlink(other, inverse, former)
            other.links[inverse.name].append(thing)
        if relationship.ordered:
            thing.links[relationship.name] = list(found)

    @staticmethod
    def unlink(thing, relationship, other):
        thing.links[relationship.name].remove(other)
        if relationship.inverse is not None and thing in other.links[relationship.inverse.name]:
            other.links[relationship.inverse.name].remove(thing)

    # Expressions

    def evaluate(self, expression, source):
        kind = expression[0]
        if kind == "constant":
            return expression[1]
        if kind == "variable":
            return {"source": source}[expression[1]]
        _, operand, selector, arguments = expression
        if selector == "valueForKeyPath:":
            return self.walk(self.evaluate(operand, source), arguments[0][1])
        if operand != ("variable", "manager"):
            raise ValueError("a call of %s" % selector)
        found = self.evaluate(arguments[1], source)
        if selector == "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return self.instances(found, arguments[0][1])
        if selector == "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return self.instances(found, None)
        raise ValueError("a call of %s" % selector)

    def instances(self, sources, name):
        found = []
        for source in sources if isinstance(sources, list) else [sources]:
            for mapping in self.mappings:
                if source is not None and name in (None, mapping.name):
                    found += [one for one in self.made.get((mapping.name, source.place), []) if one not in found]
        return found

    def walk(self, start, path):
        """A key path's value: an attribute's, or a list of objects."""
        value, is_many = start, False
        for key in path.removeprefix("$source.").split("."):
            if key.startswith("@distinctUnionOf"):
                continue
            things = value if isinstance(value, list) else [value]
            if not things:
                return [] if is_many else None
            if not all(key in thing.links for thing in things):
                found = [thing.attributes[key] for thing in things]
                return found if is_many else (found[0] if found else None)
            found = []
            for thing in things:
                found += [self.document.objects[place] for place in thing.links[key]]
                is_many = is_many or self.old.entities[thing.entity].property(key).to_many
            value = list({thing.place: thing for thing in found}.values())
        return value
