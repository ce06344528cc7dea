"""Reads a version of a Core Data model from its XML, and the versions of a bundle in their order.

Shares nothing with the loader in Swift, whose referee it is.
"""

import base64
import functools
import os
import re
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apple-stores"))
import canonical  # noqa: E402

INTEGERS = {"Integer 16": 16, "Integer 32": 32, "Integer 64": 64}
TYPES = list(INTEGERS) + [
    "Decimal", "Double", "Float", "String", "Boolean", "Date", "Binary", "UUID", "URI", "Transformable",
    "Composite", "ObjectID"]


class Unreadable(Exception):
    """A version that is no valid model; says why."""


def flag(element, name):
    return element.get(name) == "YES"


def number(text):
    """A number as editors of all ages wrote one."""
    words = {"YES": 1.0, "TRUE": 1.0, "NO": 0.0, "FALSE": 0.0}
    if text.upper() in words:
        return words[text.upper()]
    try:
        return float(text)
    except ValueError:
        return None


def default_value(kind, element):
    """The canonical default value; None where there is none, or the text is none of the type."""
    interval, text = element.get("defaultDateTimeInterval"), element.get("defaultValueString")
    if kind == "Date":
        return None if interval is None or number(interval) is None else canonical.date(float(interval))
    if text is None:
        return None
    if kind == "String":
        return text
    if kind in INTEGERS or kind == "Boolean":
        value = number(text)
        if value is None or value in (float("inf"), float("-inf")) or value != value:
            return None
        value = int(value) if "." in text or "e" in text.lower() or not re.fullmatch(r"[-+]?\d+", text) \
            else int(text)
        if kind == "Boolean":
            return value != 0
        return value if -(1 << INTEGERS[kind] - 1) <= value < 1 << INTEGERS[kind] - 1 else None
    if kind in ("Double", "Float"):
        value = number(text)
        return None if value is None else (canonical.single if kind == "Float" else canonical.double)(value)
    if kind == "Decimal":
        is_number = re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text, re.I)
        return canonical.decimal_text(text) if is_number else None
    if kind == "UUID":
        wanted = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
        return {"uuid": text.lower()} if re.fullmatch(wanted, text, re.I) else None
    if kind == "URI":
        return canonical.uri(text) if text else None
    if kind in ("Binary", "Transformable") and text:
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError:
            return None
        return canonical.binary(data) if kind == "Binary" else {"transformable": canonical.digest(data)}
    return None


class Attribute:
    def __init__(self, element, owner):
        self.name, self.owner = element.get("name", ""), owner
        self.identifier = element.get("elementID")
        self.type = element.get("attributeType", "Undefined")
        self.optional, self.transient = flag(element, "optional"), flag(element, "transient")
        self.composite = element.get("composite")
        self.derivation = element.get("derivationExpression")
        self.default = default_value(self.type, element)
        self.elements = []

    @property
    def stored(self):
        return not self.transient


class Relationship:
    def __init__(self, element, owner):
        self.name, self.owner = element.get("name", ""), owner
        self.identifier = element.get("elementID")
        self.to_many = flag(element, "toMany")
        self.ordered = flag(element, "ordered") and self.to_many
        self.optional, self.transient = flag(element, "optional"), flag(element, "transient")
        self.destination_name = element.get("destinationEntity", "")
        self.inverse_name = element.get("inverseName")
        self.destination = self.inverse = None

    @property
    def stored(self):
        return not self.transient


class Entity:
    def __init__(self, element):
        self.name, self.identifier = element.get("name", ""), element.get("elementID")
        self.parent_name = element.get("parentEntity")
        self.abstract = flag(element, "isAbstract")
        self.parent, self.children = None, []
        self.own_attributes = [Attribute(part, self) for part in element.findall("attribute")]
        self.own_relationships = [Relationship(part, self) for part in element.findall("relationship")]
        self.unique = [
            [part.get("value", "") for part in group.findall("constraint")]
            for group in element.findall("uniquenessConstraints/uniquenessConstraint")]
        self.unique = [names for names in self.unique if names]

    @functools.cached_property
    def root(self):
        return self.parent.root if self.parent else self

    @functools.cached_property
    def lineage(self):
        return (self.parent.lineage if self.parent else []) + [self]

    @functools.cached_property
    def hierarchy(self):
        return [self] + [item for child in self.children for item in child.hierarchy]

    @functools.cached_property
    def attributes(self):
        return [item for entity in self.lineage for item in entity.own_attributes]

    @functools.cached_property
    def relationships(self):
        return [item for entity in self.lineage for item in entity.own_relationships]

    @functools.cached_property
    def by_name(self):
        return {item.name: item for item in self.attributes + self.relationships}

    def property(self, name):
        return self.by_name.get(name)

    def is_kind(self, other):
        return other in self.lineage


class Model:
    """- Raises `Unreadable`."""

    def __init__(self, path):
        try:
            root = xml.parse(path).getroot()
        except (xml.ParseError, OSError) as error:
            raise Unreadable("no XML: %s" % error)
        if root.tag != "model":
            raise Unreadable("no model")
        entities = sorted((Entity(part) for part in root.findall("entity")), key=lambda item: item.name)
        self.entities = {item.name: item for item in entities}
        if len(self.entities) != len(entities):
            raise Unreadable("two entities have the same name")
        self.composites = {
            part.get("name", ""): [Attribute(item, None) for item in part.findall("attribute")]
            for part in root.findall("composite")}
        for entity in entities:
            self.place(entity)
        for entity in entities:
            self.complete(entity)
        relationships = [item for entity in entities for item in entity.own_relationships]
        for item in relationships:
            self.connect(item)
        for item in relationships:
            if item.inverse and item.inverse.inverse is not item:
                item.inverse = None

    def place(self, entity):
        if entity.parent_name is None:
            return
        entity.parent = self.entities.get(entity.parent_name)
        if entity.parent is None:
            raise Unreadable("the superentity %s is missing" % entity.parent_name)
        seen, above = {entity}, entity.parent
        while above:
            if above in seen:
                raise Unreadable("%s inherits from itself" % entity.name)
            seen.add(above)
            above = self.entities.get(above.parent_name) if above.parent_name else None
        entity.parent.children.append(entity)

    def complete(self, entity):
        names = [item.name for item in entity.attributes + entity.relationships]
        if len(set(names)) != len(names) or "" in names:
            raise Unreadable("%s has two properties of a name, or one without" % entity.name)
        for item in entity.own_attributes:
            if item.type not in TYPES and not item.transient:
                raise Unreadable("%s.%s has no type" % (entity.name, item.name))
            self.fill(item, [])
        for group in entity.unique:
            for name in group:
                if name not in names:
                    raise Unreadable("a constraint of %s names %s" % (entity.name, name))

    def fill(self, attribute, path):
        if attribute.type != "Composite":
            return
        if attribute.composite not in self.composites or attribute.composite in path:
            raise Unreadable("the composite of %s is missing or contains itself" % attribute.name)
        attribute.elements = self.composites[attribute.composite]
        for element in attribute.elements:
            self.fill(element, path + [attribute.composite])
        attribute.default = canonical.composite({item.name: item.default for item in attribute.elements})

    def connect(self, item):
        item.destination = self.entities.get(item.destination_name)
        if item.destination is None:
            raise Unreadable("the destination of %s.%s is missing" % (item.owner.name, item.name))
        if item.inverse_name is None:
            return
        other = item.destination.property(item.inverse_name)
        if not isinstance(other, Relationship):
            raise Unreadable("the inverse of %s.%s is missing" % (item.owner.name, item.name))
        # An inverse that does not lead back is none.
        back = self.entities.get(other.destination_name)
        if other.inverse_name == item.name and back and (
                item.owner.is_kind(back) or back.is_kind(item.owner)):
            item.inverse = other

    @property
    def roots(self):
        return [entity for entity in self.entities.values() if entity.parent is None]


def natural(name):
    """A key that sorts 9 before 10, and a name before the same name with a number."""
    return [(0, int(part), part) if part.isdigit() else (1, part)
            for part in re.findall(r"\d+|\D", name)]


def versions(bundle):
    """The versions of a bundle with a readable form, in natural order: (name, path of the XML)."""
    found = []
    for name in os.listdir(bundle):
        contents = os.path.join(bundle, name, "contents")
        if name.endswith(".xcdatamodel") and os.path.isfile(contents):
            found.append((name[:-len(".xcdatamodel")], contents))
    return sorted(found, key=lambda item: natural(item[0]))
