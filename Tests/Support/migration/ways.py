"""A chain in one jump and step by step: where the two differ, and why."""

import derivation
from comparison import equal
from losses import Losses
from reference import Step


class Way:
    """The steps from one version to a later one, as far as the reference can do them."""

    def __init__(self, models, hashes, start, end, document):
        self.steps, self.document = [], document
        self.stopped, self.issues = None, set()
        stored, former = start, []
        for place in range(start + 1, end + 1):
            # A version that is stored alike is not written: the store keeps the model that it has.
            if hashes[stored] == hashes[place]:
                continue
            step = Step(models[stored], models[place], self.document)
            losses = Losses(step) if hasattr(step, "moved") else None
            self.issues = {kind for kind, _, _ in step.issues}
            if hashes[place] in former and (self.issues or losses.is_any):
                self.issues.add("newerStore")
            if self.issues:
                self.stopped = place
                break
            former = [item for item in former if item not in (hashes[stored], hashes[place])]
            former.append(hashes[stored])
            stored, self.document = place, step.result
            self.steps.append((step, losses))

    def origin(self, entity):
        """The name in the first version of what an entity of the last is, by the steps."""
        for step, _ in reversed(self.steps):
            old = step.mapping.entities.get(entity)
            if old is None:
                return None
            entity = old.name
        return entity

    def property_origin(self, entity, name):
        for step, _ in reversed(self.steps):
            if entity not in step.mapping.entities:
                return None
            old = step.mapping.attributes[entity].get(name) or step.mapping.relationships[entity].get(name)
            if old is None or not old.stored or not step.new.entities[entity].property(name).stored:
                return None
            entity, name = step.mapping.entities[entity].name, old.name
        return name

    def gets_value(self, entity, name):
        """Whether a version on the way computes an attribute, or has a default of its own for objects without
        a value, or for the attribute that it brings."""
        last = self.steps[-1][0].new.entities[entity].property(name)
        for step, _ in reversed(self.steps):
            if entity not in step.mapping.entities:
                return False
            attribute = step.new.entities[entity].property(name)
            if not attribute.optional and attribute.default is not None \
                    or derivation.is_computed(step.new, attribute):
                return True
            old = step.mapping.attributes[entity].get(name)
            if old is None or not old.stored:
                return attribute.default != last.default
            entity, name = step.mapping.entities[entity].name, old.name
        return False


def reasons(way, jump):
    """(reason or None, words) of each place where the steps and the jump give something else."""
    model = jump.new
    for place in sorted(set(way.document.objects) | set(jump.result.objects)):
        mine, theirs = way.document.objects.get(place), jump.result.objects.get(place)
        if mine is None or theirs is None or mine.entity != theirs.entity:
            thing = mine or theirs
            known = jump.mapping.entities.get(thing.entity)
            origin = way.origin(thing.entity)
            is_same = origin == (known.name if known else None)
            reason = None if is_same else "an entity is another one by steps"
            yield reason, "%s %s" % (thing.entity, thing.key)
            continue
        for name, value in mine.attributes.items():
            if not equal(value, theirs.attributes[name]):
                reason = of_derived(model, mine, theirs, name) or of_attribute(way, jump, mine.entity, name)
                yield reason, "%s.%s" % (mine.entity, name)
        for name, links in mine.links.items():
            item = model.entities[mine.entity].property(name)
            others = theirs.links[name]
            if (links if item.ordered else sorted(links)) != (others if item.ordered else sorted(others)):
                yield of_relationship(way, jump, mine.entity, item, links, others), "%s.%s" % (
                    mine.entity, name)


def same_origin(way, jump, entity, name):
    old = jump.mapping.attributes[entity].get(name) or jump.mapping.relationships[entity].get(name)
    known = old.name if old is not None and old.stored else None
    return way.property_origin(entity, name) == known


def of_derived(model, mine, theirs, name):
    rule = derivation.parsed(model, model.entities[mine.entity].property(name))
    if rule is not None and rule[1] is not None and mine.links[rule[1]] != theirs.links[rule[1]]:
        return "computed from a relationship that differs"
    return None


def of_attribute(way, jump, entity, name):
    if not same_origin(way, jump, entity, name):
        return "a property is another one by steps"
    if way.gets_value(entity, name):
        return "a default or derivation of a version in between"
    return None


def of_relationship(way, jump, entity, item, links, others):
    ends = [(entity, item.name)]
    if item.inverse is not None:
        ends += [(part.name, item.inverse.name) for part in item.destination.hierarchy
                 if part.name in jump.mapping.relationships]
    if any(not same_origin(way, jump, *end) for end in ends):
        return "a property is another one by steps"
    if set(links) == set(others):
        return "an order that a version in between does not have"
    if any(losses.is_any for _, losses in way.steps):
        return "a version in between has no place for a reference"
    return None
