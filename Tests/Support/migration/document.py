"""The objects of one canonical document, to work with."""

import json


class Thing:
    """An object: its place is its root entity and its key."""

    __slots__ = ("entity", "root", "key", "attributes", "links")

    def __init__(self, entity, root, key):
        self.entity, self.root, self.key = entity, root, key
        self.attributes, self.links = {}, {}

    @property
    def place(self):
        return (self.root, self.key)


class Document:
    """Objects by place. Links are lists of places, also of a to-one, which has at most one."""

    def __init__(self):
        self.objects, self.by_entity = {}, {}

    def add(self, thing):
        self.objects[thing.place] = thing
        self.by_entity.setdefault(thing.entity, []).append(thing)

    def of(self, entity_name):
        return self.by_entity.get(entity_name, [])

    @staticmethod
    def read(lines, model):
        """A document of objects of a model."""
        result = Document()
        for item in lines:
            item = json.loads(item) if isinstance(item, str) else item
            if item["kind"] != "object":
                continue
            thing = Thing(item["entity"], item["root"], item["key"])
            thing.attributes = item["attributes"]
            for name, value in item["relationships"].items():
                if value is None:
                    value = []
                elif value and not isinstance(value[0], list):
                    value = [value]
                thing.links[name] = [
                    (model.entities[entity].root.name if entity in model.entities else "?", key)
                    for entity, key in value]
            result.add(thing)
        return result
