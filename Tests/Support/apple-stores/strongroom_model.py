"""Reads the model that a Strongroom store contains, from its JSON; makes values by its types."""

import base64
import uuid

import canonical
import keyed_archive


class Attribute:
    def __init__(self, item, composites):
        self.name, self.type = item["name"], item["type"]
        self.transient = item.get("isTransient", False)
        self.elements = []
        if self.type == "composite":
            made = composites.get(item.get("compositeName"), {"attributes": []})
            self.elements = [Attribute(element, composites) for element in made["attributes"]]


class Relationship:
    def __init__(self, item):
        self.name, self.destination = item["name"], item["destinationEntityName"]
        self.inverse = item.get("inverseName")
        self.to_many, self.ordered = item["isToMany"], item["isOrdered"]
        self.transient = item.get("isTransient", False)


class Entity:
    def __init__(self, item, composites):
        self.name = item["name"]
        self.abstract = item.get("isAbstract", False)
        self.parent_name = item.get("superentityName")
        self.parent, self.children = None, []
        self.own_attributes = [Attribute(part, composites) for part in item.get("attributes", [])]
        self.own_relationships = [Relationship(part) for part in item.get("relationships", [])]

    @property
    def root(self):
        return self.parent.root if self.parent else self

    @property
    def lineage(self):
        return (self.parent.lineage if self.parent else []) + [self]

    @property
    def family(self):
        return [self] + [item for child in self.children for item in child.family]

    @property
    def attributes(self):
        return [item for entity in self.lineage for item in entity.own_attributes if not item.transient]

    @property
    def relationships(self):
        return [item for entity in self.lineage for item in entity.own_relationships if not item.transient]

    def declaring(self, name):
        return next(entity for entity in self.lineage
                    if any(item.name == name for item in entity.own_relationships))


class Model:
    def __init__(self, declaration):
        composites = {item["name"]: item for item in declaration.get("composites", [])}
        self.entities = {}
        for item in sorted(declaration["entities"], key=lambda item: item["name"]):
            self.entities[item["name"]] = Entity(item, composites)
        for entity in self.entities.values():
            if entity.parent_name:
                entity.parent = self.entities[entity.parent_name]
                entity.parent.children.append(entity)

    def header(self, counts, numbers=None):
        """The first line of a document."""
        entities = []
        for at, entity in enumerate(self.entities.values()):
            entities.append({
                "name": entity.name, "number": (numbers or {}).get(entity.name, at + 1),
                "root": entity.root.name, "objects": counts.get(entity.name, 0),
                "ordered": sorted(item.name for item in entity.relationships if item.ordered)})
        return {"kind": "store", "entities": entities}


def of_bytes(attribute, data):
    """The canonical value of bytes."""
    if attribute.type == "transformable":
        return transformable(data)
    return canonical.binary(data)


def transformable(data):
    """Bytes of a transformable; the class stays open where they are no archive."""
    result = dict(canonical.digest(data), **{"class": keyed_archive.root_class(data)})
    try:
        result["value"] = keyed_archive.decode(data)
    except (keyed_archive.NotDecodable, KeyError, ValueError, IndexError, TypeError):
        for document in canonical.json_bytes(data):
            result["value"] = {"json": document}
    return {"transformable": result}


def of_text(attribute, text):
    """The canonical value of what an export writes as text."""
    kind = attribute.type
    if kind == "uuid":
        return {"uuid": str(uuid.UUID(text))}
    if kind == "uri":
        return canonical.uri(text)
    if kind == "decimal":
        return canonical.decimal_text(text)
    if kind in ("binary", "transformable"):
        return of_bytes(attribute, base64.b64decode(text, validate=True))
    if kind in ("double", "float"):
        return canonical.double(float(text))
    return text
