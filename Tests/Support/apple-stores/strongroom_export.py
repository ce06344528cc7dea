#!/usr/bin/env python3
"""Prints the canonical document of a folder that `strongroom export` wrote.

    strongroom_export.py FOLDER
"""

import argparse
import datetime
import decimal
import json
import os

import canonical
from strongroom_model import Model, of_text

EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)


def seconds(text):
    """Seconds since 2001 of a date in ISO 8601, of a year with a sign or more than four digits as well."""
    if "." in text:
        whole, fraction = text.rstrip("Z").split(".")
        return float(decimal.Decimal(seconds(whole + "Z")) + decimal.Decimal("0." + fraction))
    sign = -1 if text.startswith("-") else 1
    year, rest = text.lstrip("+-").split("-", 1)
    year = sign * int(year)
    shift = 0
    while not 1 <= year + 400 * shift <= 9999:
        shift += 1 if year < 1 else -1
    moved = "%04d-%s" % (year + 400 * shift, rest.replace("Z", "+00:00"))
    found = datetime.datetime.fromisoformat(moved) - EPOCH
    return found.days * 86400 + found.seconds - shift * 146097 * 86400


class Export:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
            self.model = Model(json.load(file))
        self.entities = {}  # by root and number
        self.counts = {}
        for entity in self.model.entities.values():
            for row in self.rows(entity):
                self.entities[(entity.root.name, row["_id"])] = entity.name
                self.counts[entity.name] = self.counts.get(entity.name, 0) + 1

    def rows(self, entity):
        name = entity.name.replace("/", "_")
        if name.startswith(".") or name == "model":
            name = "_" + name
        path = os.path.join(self.folder, name + ".json")
        if entity.abstract or not os.path.exists(path):
            return
        with open(path, encoding="utf-8", newline="\n") as file:
            for text in file:
                yield json.loads(text)

    def lines(self):
        yield self.model.header(self.counts)
        objects = []
        for entity in self.model.entities.values():
            objects += [self.object(entity, row) for row in self.rows(entity)]
        objects.sort(key=lambda item: (item["root"], item["key"]))
        yield from objects

    def object(self, entity, row):
        attributes = {item.name: self.value(item, row.get(item.name)) for item in entity.attributes}
        links = {item.name: self.links(item, row.get(item.name)) for item in entity.relationships}
        return {"kind": "object", "root": entity.root.name, "entity": entity.name, "key": row["_id"],
                "attributes": attributes, "relationships": links}

    def value(self, attribute, value):
        if value is None:
            return None
        if attribute.type == "composite":
            return canonical.composite(
                {item.name: self.value(item, value.get(item.name)) for item in attribute.elements})
        if attribute.type == "date":
            return canonical.date(seconds(value))
        return of_text(attribute, value) if isinstance(value, str) else value

    def links(self, relationship, value):
        root = self.model.entities[relationship.destination].root.name
        if not relationship.to_many:
            return None if value is None else self.link(root, value)
        found = [self.link(root, key) for key in value or []]
        return found if relationship.ordered else sorted(found, key=lambda link: link[1])

    def link(self, root, key):
        return [self.entities.get((root, key)), key]


def main():
    parser = argparse.ArgumentParser(description="Prints the canonical document of an export.")
    parser.add_argument("folder")
    for document in Export(parser.parse_args().folder).lines():
        print(canonical.line(document))


if __name__ == "__main__":
    main()
