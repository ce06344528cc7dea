"""Reads Xcode's mapping models, whatever the program under test makes of them."""

import base64
import os
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apple-stores"))
from keyed_archive import Archive  # noqa: E402

# What an expression archive says of the kind of an expression.
CONSTANT, VARIABLE, KEY_PATH, FUNCTION = 0, 2, 3, 4


class PropertyMapping:
    def __init__(self, part):
        self.name = part.texts["name"]
        self.expression = part.expression()
        self.source_path = part.texts.get("sourcekeypath")
        self.source_mapping = part.texts.get("sourcemappingname")

    @property
    def described(self):
        return (self.name, self.expression, self.source_path, self.source_mapping)


class EntityMapping:
    def __init__(self, part, parts):
        texts = part.texts
        self.source, self.destination = texts.get("sourcename"), texts.get("destinationname")
        self.policy = texts.get("migrationpolicyclassname") or None
        self.number = int(texts.get("mappingnumber", 0))
        self.filter = texts.get("sourcefilterpredicatestring") or None
        self.name = texts.get("name") or (
            "%sTo%s" % (self.source, self.destination) if self.source else self.destination)
        self.attributes = [PropertyMapping(parts[place]) for place in part.links["attributemappings"]]
        self.relationships = [PropertyMapping(parts[place]) for place in part.links["relationshipmappings"]]

    @property
    def described(self):
        return (self.name, self.source, self.destination, self.policy, self.number, self.filter,
                sorted((item.described for item in self.attributes), key=repr),
                sorted((item.described for item in self.relationships), key=repr))


class Part:
    """One `object` element."""

    def __init__(self, element):
        self.texts = {item.get("name"): item.text or "" for item in element.findall("attribute")}
        self.links = {
            item.get("name"): (item.get("idrefs") or "").split() for item in element.findall("relationship")}

    def expression(self):
        data = self.texts.get("valueexpressiondata")
        if not data:
            return None
        archive = Archive(base64.b64decode(data))
        return expression(archive, archive.root)


def expression(archive, item):
    """An expression as nested tuples that begin with its kind."""
    item = archive.resolve(item)
    name = archive.class_name(item)
    if name == "NSConstantValueExpression":
        return ("constant", plain(archive, archive.get(item, "NSConstantValue")))
    if name == "NSVariableExpression":
        return ("variable", archive.text(item["NSVariable"]))
    if name in ("NSKeyPathSpecifierExpression", "NSKeyPathExpression") and "NSKeyPath" in item:
        return ("constant", archive.text(item["NSKeyPath"]))
    if name in ("NSFunctionExpression", "NSKeyPathExpression"):
        arguments = [expression(archive, part) for part in archive.items(item["NSArguments"])]
        selector = archive.text(item["NSSelectorName"])
        return ("call", expression(archive, item["NSOperand"]), selector, tuple(arguments))
    raise ValueError("an expression of the class %s" % name)


def plain(archive, value):
    value = archive.resolve(value)
    if isinstance(value, dict):
        return archive.text(value)
    return value


def read(path):
    """The entity mappings of an .xcmappingmodel that are in force, in their order."""
    tree = xml.etree.ElementTree.parse(os.path.join(path, "xcmapping.xml"))
    parts, roots = {}, []
    for element in tree.getroot().findall("object"):
        parts[element.get("id")] = Part(element)
        if element.get("type") == "XDDEVMAPPINGMODEL":
            roots.append(parts[element.get("id")])
    (root,) = roots
    mappings = [EntityMapping(parts[place], parts) for place in root.links["entitymappings"]]
    mappings = [item for item in mappings if item.source or item.destination]
    return sorted(mappings, key=lambda item: item.number), root.texts
