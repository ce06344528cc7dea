#!/usr/bin/env python3
"""Makes a bundle of model versions, each a few random changes away from the one before.

    make_chain.py FOLDER [--versions N] [--seed S]

The changes are those that people make: most can be inferred, some drop data, and some cannot be done.
"""

import argparse
import copy
import os
import random
import xml.etree.ElementTree as xml

TYPES = [
    "Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float", "String", "String", "Boolean",
    "Date", "Binary", "UUID", "URI", "Transformable"]
DEFAULTS = {
    "Integer 16": ["0", "NO", "-7"], "Integer 32": ["0", "0.0"], "Integer 64": ["9007199254740993", "1"],
    "Decimal": ["0.0", "1.25"], "Double": ["0.0", "-0.5"], "Float": ["0.1"], "String": ["", "none", "0"],
    "Boolean": ["NO", "YES", "0"], "UUID": ["11111111-1111-1111-1111-111111111111", "empy"],
    "URI": ["https://example.org/a"]}
NAMES = [
    "order", "key", "group", "match", "select", "index", "table", "value", "from", "rowid", "oid", "title",
    "Title", "size", "width", "date", "state", "owner", "children", "parts", "note", "flag", "count", "level",
    "_id", "entity", "version", "source", "target", "position"]
ENTITIES = [
    "Order", "Group", "Item", "Person", "Tag", "Note", "Place", "Event", "Album", "Track", "Key", "Table"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.entities = {}
        for name in self.random.sample(ENTITIES, 5):
            self.entities[name] = self.entity()
            for _ in range(self.random.randint(2, 6)):
                self.add_attribute(name)
        for _ in range(6):
            self.add_relationship()

    @staticmethod
    def entity():
        return {"id": None, "parent": None, "abstract": False, "unique": [],
                "attributes": {}, "relationships": {}}

    def relation(self, destination, inverse):
        return {"destination": destination, "many": self.chance(2), "ordered": self.chance(3), "id": None,
                "inverse": inverse, "optional": True}

    def chance(self, times):
        return self.random.randrange(times) == 0

    def pick(self, items):
        items = list(items)
        return self.random.choice(items) if items else None

    # Names

    def line(self, name):
        while name:
            yield name
            name = self.entities[name]["parent"]

    def below(self, name):
        return [other for other in self.entities if name in self.line(other)]

    def taken(self, name):
        names = set()
        for other in set(self.line(name)) | set(self.below(name)):
            names.update(self.entities[other]["attributes"], self.entities[other]["relationships"])
        return names

    def free(self, *names):
        taken = set().union(*(self.taken(name) for name in names))
        found = [name for name in NAMES if name not in taken]
        return self.pick(found) or "extra%d" % self.random.randrange(10 ** 6)

    # Attributes

    def add_attribute(self, name=None):
        name = name or self.pick(self.entities)
        kind = self.pick(TYPES)
        attribute = {"type": kind, "id": None, "default": None, "transient": self.chance(15)}
        if kind == "Date" and self.chance(2):
            attribute["default"] = self.pick(["0", "-978307200", "631123200.5"])
        elif kind in DEFAULTS and self.chance(2):
            attribute["default"] = self.pick(DEFAULTS[kind])
        attribute["optional"] = attribute["default"] in (None, "empy") or self.chance(3)
        attribute["external"] = kind == "Binary" and self.chance(2)
        self.entities[name]["attributes"][self.free(name)] = attribute

    def add_derived(self):
        """The number of a to-many's objects; a plain attribute once the to-many has another name."""
        name, part = self.relationship()
        if name:
            self.entities[name]["attributes"][self.free(name)] = {
                "type": "Integer 64", "id": None, "default": None, "transient": False, "optional": True,
                "derivation": part + ".@count"}

    def attribute(self):
        name = self.pick(name for name in self.entities if self.entities[name]["attributes"])
        return (name, self.pick(self.entities[name]["attributes"])) if name else (None, None)

    def forget(self, name, part):
        for other in self.below(name):
            entity = self.entities[other]
            entity["unique"] = [group for group in entity["unique"] if part not in group]

    def remove_attribute(self):
        name, part = self.attribute()
        if name:
            del self.entities[name]["attributes"][part]
            self.forget(name, part)

    def identifier(self, old, item):
        """The canonical name; seldom the former name, or none."""
        if self.chance(8):
            return old if self.chance(2) else None
        return item["id"] or old

    def rename_attribute(self):
        name, part = self.attribute()
        if not name:
            return
        new = self.free(name)
        parts = self.entities[name]["attributes"]
        item = parts.pop(part)
        item["id"] = self.identifier(part, item)
        parts[new] = item
        for other in self.below(name):
            entity = self.entities[other]
            entity["unique"] = [
                [new if text == part else text for text in group] for group in entity["unique"]]

    def change_attribute(self):
        name, part = self.attribute()
        if not name:
            return
        item = self.entities[name]["attributes"][part]
        change = self.random.randrange(7)
        if change == 0:
            wider = {"Integer 16": "Integer 32", "Integer 32": "Integer 64", "Float": "Double"}
            item["type"] = wider.get(item["type"], item["type"])
        elif change == 1 and self.chance(4):
            item["type"], item["default"], item["optional"] = self.pick(TYPES), None, True
        elif change == 2:
            item["optional"] = True
        elif change == 3 and item["default"] not in (None, "empy"):
            item["optional"] = False
        elif change == 4 and item["type"] in DEFAULTS:
            item["default"] = DEFAULTS[item["type"]][0]
        elif change == 5:
            item["id"] = None
        elif change == 6 and self.chance(3):
            item["transient"] = not item["transient"]
            for other in self.entities:
                self.forget(other, part)

    def move_attribute(self):
        name, part = self.attribute()
        if not name:
            return
        others = [other for other in self.entities
                  if self.entities[other]["parent"] == name or other == self.entities[name]["parent"]]
        other = self.pick(others)
        if not other:
            return
        item = self.entities[name]["attributes"].pop(part)
        if part in self.taken(other):
            self.entities[name]["attributes"][part] = item
        else:
            self.entities[other]["attributes"][part] = item
            for each in self.entities:
                self.forget(each, part)

    # Relationships

    def add_relationship(self):
        name, other = self.pick(self.entities), self.pick(self.entities)
        first = self.free(name)
        self.entities[name]["relationships"][first] = self.relation(other, None)
        if name == other and self.chance(3):
            self.entities[name]["relationships"][first]["inverse"] = first
            return
        if self.chance(5):
            return
        second = self.free(name, other)
        self.entities[other]["relationships"][second] = self.relation(name, first)
        self.entities[name]["relationships"][first]["inverse"] = second

    def relationship(self):
        name = self.pick(name for name in self.entities if self.entities[name]["relationships"])
        return (name, self.pick(self.entities[name]["relationships"])) if name else (None, None)

    def inverse(self, item):
        """The inverse's owner; its name is in the relationship."""
        return next(other for other in self.line(item["destination"])
                    if item["inverse"] in self.entities[other]["relationships"])

    @staticmethod
    def is_own(name, part, item):
        """Whether a relationship is its own inverse."""
        return item["inverse"] == part and item["destination"] == name

    def drop_relationship(self, name, part):
        item = self.entities[name]["relationships"].pop(part)
        self.forget(name, part)
        if item["inverse"] and not self.is_own(name, part, item):
            other = self.inverse(item)
            del self.entities[other]["relationships"][item["inverse"]]
            self.forget(other, item["inverse"])

    def remove_relationship(self):
        name, part = self.relationship()
        if name:
            self.drop_relationship(name, part)

    def rename_relationship(self):
        name, part = self.relationship()
        if not name:
            return
        item = self.entities[name]["relationships"][part]
        new = self.free(name)
        if self.is_own(name, part, item):
            return
        if item["inverse"]:
            self.entities[self.inverse(item)]["relationships"][item["inverse"]]["inverse"] = new
        item["id"] = self.identifier(part, item)
        self.entities[name]["relationships"][new] = self.entities[name]["relationships"].pop(part)
        self.forget(name, part)

    def change_relationship(self):
        name, part = self.relationship()
        if not name:
            return
        item = self.entities[name]["relationships"][part]
        change = self.random.randrange(6)
        if change == 5:
            item["optional"] = item["many"] or not item["optional"] or not self.chance(6)
        elif change == 0:
            item["many"] = item["many"] or not self.chance(6)
        elif change in (1, 2):
            item["ordered"] = not item["ordered"]
        elif change == 3 and item["inverse"] and not self.is_own(name, part, item):
            other = self.inverse(item)
            del self.entities[other]["relationships"][item["inverse"]]
            item["inverse"] = None
        elif change == 4 and item["destination"] == name and not item["inverse"] and self.chance(2):
            item["inverse"] = part
        elif change == 4 and not item["inverse"]:
            new = self.free(item["destination"], name)
            item["inverse"] = new
            self.entities[item["destination"]]["relationships"][new] = self.relation(name, part)

    # Entities

    def add_entity(self):
        name = self.pick(name for name in ENTITIES if name not in self.entities)
        if name:
            self.entities[name] = self.entity()
            self.add_attribute(name)
            if self.chance(2):
                self.entities[name]["parent"] = None
                self.put_below(name, self.pick(self.entities))

    def put_below(self, name, parent):
        """Lets an entity inherit from another one, where no name is in the way."""
        if parent is None or parent in self.below(name):
            return
        mine = set().union(*(self.entities[other][kind] for other in self.below(name)
                             for kind in ("attributes", "relationships")))
        if not mine & self.taken(parent):
            self.entities[name]["parent"] = parent

    def move_entity(self):
        name = self.pick(self.entities)
        if self.entities[name]["parent"] and self.chance(3):
            # Alone, it keeps what it inherited, but for relationships with an inverse.
            self.entities[name]["parent"] = None
            return
        relatives = [other for other in self.entities if set(self.line(other)) & set(self.line(name))]
        self.put_below(name, self.pick(relatives) if not self.chance(8) else self.pick(self.entities))

    def add_parent(self):
        new = self.pick(name for name in ENTITIES if name not in self.entities)
        name = self.pick(name for name in self.entities if self.entities[name]["parent"] is None)
        if new:
            self.entities[new] = self.entity()
            self.entities[new]["abstract"] = self.chance(2)
            self.entities[name]["parent"] = new

    def change_abstract(self):
        name = self.pick(name for name in self.entities if len(self.below(name)) > 1)
        if name:
            self.entities[name]["abstract"] = not self.entities[name]["abstract"] and self.chance(3)

    def remove_entity(self):
        name = self.pick(self.entities)
        if len(self.entities) < 4 or len(self.below(name)) > 1:
            return
        for other in list(self.entities):
            for part, item in list(self.entities[other]["relationships"].items()):
                if part in self.entities[other]["relationships"] and (
                        item["destination"] == name or other == name):
                    self.drop_relationship(other, part)
        del self.entities[name]

    def rename_entity(self):
        name, new = self.pick(self.entities), self.pick(set(ENTITIES) - set(self.entities))
        if not new:
            return
        item = self.entities.pop(name)
        item["id"] = self.identifier(name, item)
        self.entities[new] = item
        for other in self.entities.values():
            other["parent"] = new if other["parent"] == name else other["parent"]
            for part in other["relationships"].values():
                part["destination"] = new if part["destination"] == name else part["destination"]

    def change_unique(self):
        name = self.pick(self.entities)
        entity = self.entities[name]
        if entity["unique"]:
            entity["unique"].pop()
        else:
            found = [part for part, item in entity["attributes"].items() if not item["transient"]]
            if found and self.chance(4):
                entity["unique"].append(self.random.sample(sorted(found), min(len(found), 2)))

    def change(self):
        changes = {
            self.add_attribute: 6, self.remove_attribute: 3, self.rename_attribute: 5,
            self.change_attribute: 8, self.move_attribute: 4, self.add_relationship: 4,
            self.remove_relationship: 2, self.rename_relationship: 4, self.change_relationship: 6,
            self.add_entity: 3, self.remove_entity: 1, self.rename_entity: 2, self.move_entity: 2,
            self.add_parent: 1, self.change_abstract: 1, self.change_unique: 2, self.add_derived: 1}
        for _ in range(self.random.randint(1, 4)):
            self.random.choices(list(changes), list(changes.values()))[0]()

    # The file

    def document(self):
        root = xml.Element("model", type="com.apple.IDECoreDataModeler.DataModel", documentVersion="1.0")
        for name, entity in self.entities.items():
            values = {"name": name, "parentEntity": entity["parent"], "elementID": entity["id"],
                      "isAbstract": "YES" if entity["abstract"] else None}
            element = xml.SubElement(root, "entity", self.given(values))
            for part, item in entity["attributes"].items():
                xml.SubElement(element, "attribute", self.given(self.attribute_values(part, item)))
            for part, item in entity["relationships"].items():
                xml.SubElement(element, "relationship", self.given({
                    "name": part, "elementID": item["id"], "optional": "YES" if item["optional"] else None,
                    "toMany": "YES" if item["many"] else None, "maxCount": None if item["many"] else "1",
                    "ordered": "YES" if item["ordered"] and item["many"] else None, "deletionRule": "Nullify",
                    "destinationEntity": item["destination"], "inverseName": item["inverse"],
                    "inverseEntity": item["destination"] if item["inverse"] else None}))
            if entity["unique"]:
                groups = xml.SubElement(element, "uniquenessConstraints")
                for group in entity["unique"]:
                    constraint = xml.SubElement(groups, "uniquenessConstraint")
                    for part in group:
                        xml.SubElement(constraint, "constraint", value=part)
        return xml.ElementTree(root)

    @staticmethod
    def attribute_values(name, item):
        is_date = item["type"] == "Date"
        return {"name": name, "attributeType": item["type"], "elementID": item["id"],
                "optional": "YES" if item["optional"] else None,
                "transient": "YES" if item["transient"] else None,
                "defaultDateTimeInterval": item["default"] if is_date else None,
                "defaultValueString": None if is_date else item["default"],
                "derived": "YES" if item.get("derivation") else None,
                "derivationExpression": item.get("derivation"),
                "allowsExternalBinaryDataStorage": "YES" if item.get("external") else None}

    @staticmethod
    def given(values):
        return {name: value for name, value in values.items() if value is not None}


def make(folder, count, seed):
    maker = Maker(seed)
    earlier = []
    for number in range(1, count + 1):
        name = "Model" if number == 1 else "Model %d" % number
        target = os.path.join(folder, name + ".xcdatamodel")
        os.makedirs(target)
        maker.document().write(os.path.join(target, "contents"), encoding="utf-8", xml_declaration=True)
        earlier.append(copy.deepcopy(maker.entities))
        # Seldom somebody takes a version back.
        if maker.chance(25):
            maker.entities = copy.deepcopy(maker.pick(earlier))
        maker.change()


def main():
    parser = argparse.ArgumentParser(description="Makes a bundle of random model versions.")
    parser.add_argument("folder", help="the bundle, which is made; its name should end in .xcdatamodeld")
    parser.add_argument("--versions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    make(arguments.folder, arguments.versions, arguments.seed)


if __name__ == "__main__":
    main()
