"""Reads archived models: entities and properties as an archive of NSManagedObjectModel describes them."""

import zlib

from keyed_archive import Archive, NotDecodable

TYPES = {
    100: "integer16", 200: "integer32", 300: "integer64", 400: "decimal", 500: "double", 600: "float",
    700: "string", 800: "boolean", 900: "date", 1000: "binary", 1100: "uuid", 1200: "uri",
    1800: "transformable", 2000: "objectID", 2100: "composite",
}
EXTERNAL = 4


class Property:
    """An attribute, a relationship or a fetched property."""

    def __init__(self, name, kind):
        self.name = name
        self.kind = kind  # "attribute", "relationship" or "fetched"
        self.type = None
        self.optional = self.transient = self.external = self.ordered = False
        self.renaming = name
        self.value_class = self.transformer = None
        self.elements = []
        self.derivation = None
        self.destination = self.inverse = None
        self.to_many = False
        self.minimum = 0

    @property
    def stored(self):
        return self.kind != "fetched" and not self.transient


class Entity:
    def __init__(self, name):
        self.name = name
        self.renaming = name
        self.abstract = False
        self.parent = None
        self.children = []
        self.declared = {}  # as archived: inherited ones may be among them
        self.unique = []

    @property
    def root(self):
        return self if self.parent is None else self.parent.root

    @property
    def lineage(self):
        """The root first, this entity last."""
        return ([] if self.parent is None else self.parent.lineage) + [self]

    @property
    def own(self):
        """The properties that no parent has."""
        above = self.parent.all if self.parent else {}
        return {name: item for name, item in self.declared.items() if name not in above}

    @property
    def all(self):
        result = {}
        for entity in self.lineage:
            for name, item in entity.declared.items():
                result.setdefault(name, item)
        return result

    def owner_of(self, name):
        """The entity highest up that has a property."""
        return next(entity for entity in self.lineage if name in entity.declared)

    def is_kind_of(self, other):
        return other in self.lineage

    @property
    def family(self):
        return [self] + [item for child in self.children for item in child.family]


class Model:
    def __init__(self):
        self.entities = {}
        self.identifiers = []

    def inverse_of(self, relationship):
        """The relationship on the other side, or nothing."""
        if relationship.inverse is None:
            return None
        return self.entities[relationship.destination].all.get(relationship.inverse)


def load(data):
    """The model in a file of a compiled model, or in a store's model cache."""
    if not data.startswith(b"bplist") and not data.lstrip().startswith(b"<?xml"):
        try:
            data = zlib.decompress(data, -15)
        except zlib.error:
            data = zlib.decompress(data)
    archive = Archive(data)
    if archive.class_name(archive.root) != "NSManagedObjectModel":
        raise NotDecodable("the archive's root is no model")
    return _Reader(archive).model()


class _Reader:
    def __init__(self, archive):
        self.archive = archive

    def model(self):
        archive, model = self.archive, Model()
        model.identifiers = [archive.text(item)
                             for item in archive.items(archive.root.get("NSVersionIdentifiers"))]
        raw = {archive.text(name): item for name, item in archive.pairs(archive.root["NSEntities"])}
        for name, item in raw.items():
            entity = Entity(name)
            entity.renaming = archive.text(item.get("NSRenamingIdentifier")) or name
            entity.abstract = bool(item.get("NSIsAbstract"))
            model.entities[name] = entity
        for name, item in raw.items():
            entity = model.entities[name]
            parent = archive.get(item, "NSSuperentity")
            if parent is not None:
                entity.parent = model.entities[archive.text(parent["NSEntityName"])]
                entity.parent.children.append(entity)
            for key, value in archive.pairs(item.get("NSProperties")):
                entity.declared[archive.text(key)] = self.property(value)
            for group in archive.items(item.get("NSUniqueTuples")):
                entity.unique.append([self.tuple_member(member) for member in archive.items(group)])
        return model

    def tuple_member(self, member):
        if isinstance(member, dict) and "NSPropertyName" in member:
            return self.archive.text(member["NSPropertyName"])
        return self.archive.text(member)

    def property(self, item):
        archive = self.archive
        if archive.class_name(item) == "_NSPropertyDescriptionProxy":
            item = archive.get(item, "NSUnderlyingProperty")
        name = archive.text(item["NSPropertyName"])
        kind = archive.class_name(item)
        if kind == "NSRelationshipDescription":
            result = self.relationship(Property(name, "relationship"), item)
        elif kind == "NSFetchedPropertyDescription":
            result = Property(name, "fetched")
        else:
            result = self.attribute(Property(name, "attribute"), item)
        result.optional = bool(item.get("NSIsOptional"))
        result.transient = bool(item.get("NSIsTransient"))
        result.renaming = archive.text(item.get("NSRenamingIdentifier")) or name
        return result

    def attribute(self, result, item):
        archive = self.archive
        number = item.get("NSAttributeType", 0)
        result.type = TYPES.get(number, "undefined")
        result.external = bool(item.get("NSFlagsKey", 0) & EXTERNAL)
        result.value_class = archive.text(item.get("NSAttributeValueClassName"))
        result.transformer = archive.text(item.get("NSValueTransformerName"))
        result.elements = [self.property(element)
                           for element in archive.items(item.get("NSCompositeElements"))]
        if item.get("NSDerivationExpression") is not None:
            result.derivation = self.expression(archive.get(item, "NSDerivationExpression"))
        return result

    def relationship(self, result, item):
        archive = self.archive
        result.to_many = item.get("NSMaxCount", 0) != 1
        result.minimum = item.get("NSMinCount", 0)
        result.ordered = bool(item.get("NSIsOrdered"))
        destination = archive.get(item, "NSDestinationEntity")
        result.destination = archive.text(item.get("_NSDestinationEntityName"))
        if destination is not None:
            result.destination = archive.text(destination["NSEntityName"])
        inverse = archive.get(item, "NSInverseRelationship")
        if inverse is not None and archive.class_name(inverse) == "_NSPropertyDescriptionProxy":
            inverse = archive.get(inverse, "NSUnderlyingProperty")
        result.inverse = archive.text(item.get("_NSInverseRelationshipName"))
        if inverse is not None:
            result.inverse = archive.text(inverse["NSPropertyName"])
        return result

    def expression(self, item):
        """An expression: ("path", "a.b"), ("constant", value) or ("call", selector, [arguments])."""
        archive = self.archive
        name = archive.class_name(item)
        if name == "NSKeyPathSpecifierExpression":
            return ("path", archive.text(item["NSKeyPath"]))
        if name == "NSKeyPathExpression":
            operand = self.expression(archive.get(item, "NSOperand"))
            last = self.expression(archive.items(item["NSArguments"])[0])
            if operand[0] == "path":
                return ("path", operand[1] + "." + last[1])
            return last
        if name == "NSConstantValueExpression":
            return ("constant", archive.get(item, "NSConstantValue"))
        if name == "NSFunctionExpression":
            arguments = [self.expression(part) for part in archive.items(item.get("NSArguments"))]
            return ("call", archive.text(item["NSSelectorName"]), arguments)
        return ("unknown", name)
