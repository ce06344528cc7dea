#!/usr/bin/env python3
"""Prints the canonical document of the database that `strongroom decrypt` wrote: every value exactly.

    strongroom_database.py DATABASE
"""

import argparse
import base64
import decimal
import json
import sqlite3
import struct
import uuid

import canonical
from strongroom_model import Model, of_bytes


def stored_decimal(data):
    """A decimal number: sign, two bytes of exponent, two digits a byte, an end; complemented if negative."""
    if data[0] == 1:
        return canonical.decimal_text("0")
    flip = 0xFF if data[0] == 0 else 0
    body = bytes(byte ^ flip for byte in data[1:])
    exponent = int.from_bytes(body[:2], "big") - 0x8000
    digits = "".join("%02d" % (byte - 1) for byte in body[2:-1])
    number = decimal.Decimal(("-" if flip else "") + digits).scaleb(exponent - len(digits))
    return canonical.decimal_text(str(number))


def number_of_bits(text):
    return struct.unpack(">d", int(text, 16).to_bytes(8, "big"))[0]


def tagged(attribute, value):
    """A value inside a composite: a list of a letter and a text."""
    if value is None:
        return None
    letter, content = value
    if letter == "c":
        return composite(attribute, value)
    plain = {
        "b": bool, "s": str, "i": int, "o": int,
        "d": lambda text: canonical.double(number_of_bits(text)),
        "t": lambda text: canonical.date(number_of_bits(text)),
        "x": lambda text: of_bytes(attribute, base64.b64decode(text)),
        "u": lambda text: {"uuid": str(uuid.UUID(text))},
        "r": canonical.uri, "n": canonical.decimal_text}
    return plain[letter](content)


def composite(attribute, value):
    content = value[1]
    return canonical.composite(
        {item.name: tagged(item, content.get(item.name)) for item in attribute.elements})


class Database:
    def __init__(self, path):
        self.connection = sqlite3.connect("file:%s?mode=ro" % path.replace("?", "%3f"), uri=True)
        settings = dict(self.connection.execute("SELECT key, value FROM _store"))
        self.model = Model(json.loads(settings["model"]))
        self.numbers = {name: int(number) for name, number in json.loads(settings["entities"]).items()}
        self.names = {number: name for name, number in self.numbers.items()}
        self.tables = [row[0] for row in self.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'")]
        self.entities, self.counts, self.to_many = {}, {}, {}
        for root in self.roots:
            query = 'SELECT _id, _entity FROM "%s"' % self.table(root.name)
            for key, number in self.connection.execute(query):
                name = self.names[number]
                self.entities[(root.name, key)] = name
                self.counts[name] = self.counts.get(name, 0) + 1

    @property
    def roots(self):
        return [entity for entity in self.model.entities.values() if entity.parent is None]

    def table(self, name):
        return ("_" + name) if name.startswith("_") or name.lower().startswith("sqlite_") else name

    def columns(self, root):
        """The column of every property that a family stores in its table."""
        taken = {"_id", "_entity", "_version", "rowid", "oid"}
        result = {}
        for entity in root.family:
            to_ones = [item for item in entity.own_relationships if not item.to_many]
            for item in entity.own_attributes + to_ones:
                if not item.transient:
                    result[(entity.name, item.name)] = self.unique(item.name, taken)
        return result

    def unique(self, name, taken):
        wanted = self.table(name)
        column, number = wanted, 2
        while column.lower() in taken:
            column = "%s_%d" % (wanted, number)
            number += 1
        taken.add(column.lower())
        return column

    def lines(self):
        yield self.model.header(self.counts, self.numbers)
        for root in self.roots:
            columns = self.columns(root)
            cursor = self.connection.execute('SELECT * FROM "%s" ORDER BY _id' % self.table(root.name))
            names = [part[0] for part in cursor.description]
            for row in cursor:
                yield self.object(root, columns, dict(zip(names, row)))

    def object(self, root, columns, row):
        entity = self.model.entities[self.names[row["_entity"]]]
        key = row["_id"]
        result = {"kind": "object", "root": root.name, "entity": entity.name, "key": key,
                  "attributes": {}, "relationships": {}}
        for owner in entity.lineage:
            for item in owner.own_attributes:
                if not item.transient:
                    value = self.value(item, row[columns[(owner.name, item.name)]])
                    result["attributes"][item.name] = value
            for item in owner.own_relationships:
                if item.transient:
                    continue
                if item.to_many:
                    found = self.many(owner, item).get(key, [])
                    result["relationships"][item.name] = found
                else:
                    target = row[columns[(owner.name, item.name)]]
                    result["relationships"][item.name] = None if target is None else self.link(item, target)
        return result

    def value(self, attribute, value):
        if value is None:
            return None
        kind = attribute.type
        if kind == "boolean":
            return bool(value)
        if kind == "date":
            return canonical.date(value)
        if kind in ("double", "float"):
            return canonical.double(value)
        if kind == "uuid":
            return canonical.uuid_value(value)
        if kind == "uri":
            return canonical.uri(value)
        if kind == "decimal":
            return stored_decimal(value)
        if kind == "composite":
            return composite(attribute, json.loads(value))
        if kind in ("binary", "transformable"):
            return of_bytes(attribute, value.encode("utf-8") if isinstance(value, str) else value)
        return value

    def link(self, item, key):
        return [self.entities.get((self.model.entities[item.destination].root.name, key)), key]

    # To-many

    def many(self, owner, item):
        name = (owner.name, item.name)
        if name not in self.to_many:
            self.to_many[name] = self.read_many(owner, item)
        return self.to_many[name]

    def inverse_of(self, item):
        found = self.model.entities[item.destination].relationships
        return next((other for other in found if other.name == item.inverse), None)

    def read_many(self, owner, item):
        inverse = self.inverse_of(item)
        pairs = self.joined(owner, item, inverse)
        if pairs is None:
            pairs = self.of_column(item, inverse)
        elif inverse is item:
            pairs = sorted(pairs)
        result = {}
        for source, target in pairs:
            result.setdefault(source, []).append(self.link(item, target))
        return result

    def joined(self, owner, item, inverse):
        """The pairs of a relationship with a table of its own, which either side may have named."""
        name = self.table("%s_%s" % (owner.name, item.name))
        if name in self.tables:
            return list(self.connection.execute(
                'SELECT _source, _target FROM "%s" ORDER BY _source, %s'
                % (name, "_position, _target" if item.ordered else "_target")))
        if inverse is None:
            return None
        other = self.model.entities[item.destination].declaring(inverse.name)
        name = self.table("%s_%s" % (other.name, inverse.name))
        if name in self.tables and inverse.to_many:
            return list(self.connection.execute(
                'SELECT _target, _source FROM "%s" ORDER BY _target, %s'
                % (name, "_inverse_position, _source" if item.ordered else "_source")))
        return None

    def of_column(self, item, inverse):
        """The pairs of a to-many relationship whose inverse is a to-one: a column of the destination."""
        destination = self.model.entities[item.destination]
        root, other = destination.root, destination.declaring(inverse.name)
        column = self.columns(root)[(other.name, inverse.name)]
        query = 'SELECT "{c}", _id FROM "{t}" WHERE "{c}" IS NOT NULL ORDER BY "{c}", _id'
        return list(self.connection.execute(query.format(c=column, t=self.table(root.name))))


def main():
    parser = argparse.ArgumentParser(description="Prints the canonical document of a decrypted store.")
    parser.add_argument("database")
    for document in Database(parser.parse_args().database).lines():
        print(canonical.line(document))


if __name__ == "__main__":
    main()
