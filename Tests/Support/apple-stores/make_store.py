#!/usr/bin/env python3
"""Makes a store in Core Data's format from nothing, and the canonical document that a reader must print.

    make_store.py STORE EXPECTED [--seed N] [--objects N] [--log none|half|all] [--faults] [--renamed]
                  [--external-model MOM]

The same seed makes the same store. With --log the rows are in the log beside the file only, half or all of
them. --renamed makes a store that was migrated in place: an entity has another name in its model, and rows
hold defaults in columns that are not theirs. --external-model leaves the model out of the store.
"""

import argparse
import os
import plistlib
import random
import shutil
import sqlite3
import tempfile
import uuid
import zlib

import canonical
from made_faults import plant
from made_model import ModelArchive, full_model
from made_schema import HISTORY, Schema
from made_values import Values

SHARES = {"Account": 5, "Cat": 2, "Feline": 2, "Dog": 2, "Puppy": 2, "Folder": 6, "Line": 10, "Order": 3,
          "Passport": 3, "Tag": 4}


class Thing:
    """An object of a made store: its row and its canonical form."""

    def __init__(self, kind, key, number):
        self.kind, self.key = kind, key
        self.row = {"Z_PK": key, "Z_ENT": number, "Z_OPT": 1}
        self.attributes, self.relationships = {}, {}

    @property
    def link(self):
        return [self.kind.name, self.key]

    def document(self):
        return {"kind": "object", "root": self.kind.root.name, "entity": self.kind.name, "key": self.key,
                "attributes": self.attributes, "relationships": self.relationships}


class Maker:
    def __init__(self, arguments):
        self.arguments = arguments
        self.random = random.Random(arguments.seed)
        folder, name = os.path.split(os.path.abspath(arguments.store))
        stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
        self.values = Values(self.random, os.path.join(folder, "." + stem + "_SUPPORT", "_EXTERNAL_DATA"))
        self.kinds = full_model(arguments.renamed)
        self.schema = Schema(self.kinds, later_side=arguments.seed % 2 == 1)
        self.things = {}  # by entity, those of subentities not among them
        self.by_key = {}
        self.joined = {}  # by table: rows as dictionaries
        self.maxima, self.faults, self.extra_rows = {}, [], []

    # Objects

    def make(self):
        total = sum(SHARES.get(kind.name, 0) for kind in self.kinds)
        for kind in self.kinds:
            count = 0 if kind.abstract else self.arguments.objects * SHARES[kind.name] // total
            self.things[kind.name] = []
            for _ in range(max(count, 0 if kind.abstract else 3)):
                self.add(kind)
        self.link_all()
        self.derive()
        if self.arguments.renamed:
            for thing in self.all_of("Animal"):
                thing.row.setdefault(self.schema.columns[("Feline", "lives")], 9)
        if self.arguments.faults:
            plant(self)

    def add(self, kind):
        root = kind.root.name
        self.maxima[root] = self.maxima.get(root, 0) + self.random.choice([1, 1, 1, 2])
        thing = Thing(kind, self.maxima[root], self.schema.numbers[kind.name])
        self.things[kind.name].append(thing)
        self.by_key[(root, thing.key)] = thing
        for field in kind.all:
            if field.is_relationship:
                thing.relationships[field.name] = [] if field.to_many else None
            elif field.kind != "fetched" and not field.transient and field.derivation is None:
                thing.attributes[field.name] = self.fill(thing, (field.name,), field)
        if kind.name == "Account":
            self.set(thing, "serial", thing.key)
        if kind.name == "Line":
            self.set(thing, "count", self.random.randrange(100))

    def set(self, thing, name, value):
        thing.attributes[name] = thing.row[self.schema.columns[(thing.kind.name, name)]] = value

    def fill(self, thing, path, field):
        """Fills the columns of an attribute; returns the canonical value."""
        if field.kind == "composite":
            return self.fill_composite(thing, path, field)
        stored, value = self.values.pair(field)
        thing.row[self.schema.columns[(thing.kind.name,) + path]] = stored
        return value

    def fill_composite(self, thing, path, field):
        if self.random.random() < 0.2:
            return None
        elements = {element.name: None for element in field.elements}
        chosen = field.elements
        if field.name == "policy":  # an enum: one case
            chosen = [self.random.choice(field.elements)]
        for element in chosen:
            if field.name == "policy" and element.kind == "string":
                elements[element.name] = element.name
                thing.row[self.schema.columns[(thing.kind.name,) + path + (element.name,)]] = element.name
            else:
                elements[element.name] = self.fill(thing, path + (element.name,), element)
        return canonical.composite(elements)

    def all_of(self, name):
        """The objects of an entity and its subentities."""
        return [thing for kind in self.schema.kinds[name].family for thing in self.things[kind.name]]

    # Links

    def link_all(self):
        done = set()
        for kind in self.kinds:
            for field in kind.fields:
                if not field.is_relationship or (kind.name, field.name) in done:
                    continue
                inverse = self.schema.inverse(field)
                if inverse is not None:
                    done.add((field.destination, inverse.name))
                if field.kind == "one":
                    self.link_one(kind, field, inverse)
                elif inverse is None:
                    self.link_hidden(kind, field)
                elif inverse.kind == "one":
                    self.link_one(self.schema.kinds[field.destination], inverse, field)
                else:
                    self.link_many(kind, field, inverse)
        self.sort()

    def sort(self):
        for thing in self.by_key.values():
            for field in thing.kind.all:
                if field.to_many and not field.ordered:
                    thing.relationships[field.name].sort(key=lambda link: link[1])

    def link_one(self, kind, field, inverse):
        """Links every object of an entity, or not, with one; the inverse is a to-many, a to-one or none."""
        targets = self.all_of(field.destination)
        free = self.random.sample(targets, len(targets))
        groups = {}
        for thing in self.all_of(kind.name):
            if self.random.random() < 0.2:
                continue
            if inverse is not None and inverse.kind == "one":
                if not free:
                    break
                target = free.pop()
                self.point(target, inverse, thing)
            else:
                target = self.random.choice(targets)
            if inverse is not None and inverse.to_many:
                groups.setdefault(target.key, (target, []))[1].append(thing)
            self.point(thing, field, target)
        if inverse is not None and inverse.to_many:
            for target, members in groups.values():
                self.gather(target, inverse, members, field)

    def point(self, thing, field, target):
        column = self.schema.columns[(thing.kind.name, field.name)]
        thing.row[column] = target.key
        beside = self.schema.entity_column(field, column)
        if beside:
            thing.row[beside] = self.schema.numbers[target.kind.name]
        thing.relationships[field.name] = target.link

    def gather(self, owner, to_many, members, to_one):
        """Orders the members of a to-many relationship whose inverse is a to-one."""
        if to_many.ordered:
            self.random.shuffle(members)
            for place, member in enumerate(members):
                column = self.schema.columns[(member.kind.name, to_one.name)]
                member.row["Z_FOK_" + column[1:]] = 2048 + 1024 * place
        owner.relationships[to_many.name] = [member.link for member in members]

    def link_hidden(self, kind, field):
        column, order = self.schema.hidden[(kind.name, field.name)]
        owners = self.all_of(kind.name)
        places = {}
        members = self.all_of(field.destination)
        for member in self.random.sample(members, len(members) // 2):
            owner = self.random.choice(owners)
            member.row[column] = owner.key
            if order:
                places[owner.key] = places.get(owner.key, 0) + 1
                member.row[order] = 1024 + 1024 * places[owner.key]
            owner.relationships[field.name].append(member.link)

    def link_many(self, kind, field, inverse):
        join = self.schema.joins[(kind.name, field.name)]
        rows = self.joined.setdefault(join.table, [])
        here, there = self.all_of(kind.name), self.all_of(field.destination)
        pairs = set()
        for _ in range(2 * len(here)):
            one, other = self.random.choice(here), self.random.choice(there)
            if (one.key, other.key) in pairs:
                continue
            pairs.add((one.key, other.key))
            if inverse is field:
                pairs.add((other.key, one.key))
                self.join(rows, join, field, one, other)
                if one is not other:
                    self.join(rows, join, field, other, one)
                continue
            row = self.join(rows, join, field, one, other)
            back = self.schema.joins[(field.destination, inverse.name)]
            if back.order:
                row[back.order] = 2048 + 1024 * len(other.relationships[inverse.name])
            other.relationships[inverse.name].append(one.link)

    def join(self, rows, join, field, one, other):
        row = {join.owner: one.key, join.destination: other.key}
        if join.order:
            row[join.order] = 2048 + 1024 * len(one.relationships[field.name])
        one.relationships[field.name].append(other.link)
        rows.append(row)
        return row

    def derive(self):
        for thing in self.things["Account"]:
            self.set(thing, "loudName", thing.attributes["name"].upper())
        for thing in self.things["Order"]:
            lines = [self.by_key[("Line", key)] for _, key in thing.relationships["lines"]]
            self.set(thing, "lineCount", len(lines))
            self.set(thing, "total", sum(line.attributes["count"] for line in lines))

    # Files

    def write(self):
        path = self.arguments.store
        for name in (path, path + "-wal", path + "-shm"):
            if os.path.exists(name):
                os.remove(name)
        folder = tempfile.mkdtemp()
        work = os.path.join(folder, "store")
        connection = sqlite3.connect(work)
        connection.execute("PRAGMA auto_vacuum = 2")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.write_schema(connection)
        rows = list(self.rows())
        cut = {"none": len(rows), "half": len(rows) // 2, "all": 0}[self.arguments.log]
        self.insert(connection, rows[:cut])
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.insert(connection, rows[cut:])
        if self.arguments.log == "none":
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(work, path)
        if self.arguments.log != "none":
            shutil.copyfile(work + "-wal", path + "-wal")
        connection.close()
        shutil.rmtree(folder)

    def write_schema(self, connection):
        for statement in self.schema.statements():
            connection.execute(statement)
        connection.executescript(HISTORY)
        for kind in self.schema.names:
            above = self.schema.numbers[kind.parent.name] if kind.parent else 0
            name = kind.renaming
            connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)", (
                self.schema.numbers[kind.name], name, above, self.maxima.get(kind.name, 0)))
        for number, name in ((16001, "CHANGE"), (16002, "TRANSACTION"), (16003, "TRANSACTIONSTRING")):
            connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, 2)", (number, name))
        self.uuid = str(uuid.UUID(bytes=self.random.randbytes(16))).upper()
        hashes = {kind.name: self.random.randbytes(32) for kind in self.kinds}
        plist = {"NSStoreModelVersionHashes": hashes, "NSStoreType": "SQLite", "_NSAutoVacuumLevel": "2",
                 "NSPersistenceFrameworkVersion": 1344, "NSStoreModelVersionHashesVersion": 3,
                 "NSStoreModelVersionIdentifiers": ["1.0.0"]}
        data = plistlib.dumps(plist, fmt=plistlib.FMT_BINARY)
        connection.execute("INSERT INTO Z_METADATA VALUES (1, ?, ?)", (self.uuid, data))
        model = ModelArchive(self.kinds).data()
        if self.arguments.external_model:
            connection.execute("DROP TABLE Z_MODELCACHE")
            with open(self.arguments.external_model, "wb") as file:
                file.write(model)
        else:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = packer.compress(model) + packer.flush()
            connection.execute("INSERT INTO Z_MODELCACHE VALUES (?)", (packed,))
        connection.commit()

    def rows(self):
        for thing in self.by_key.values():
            yield self.schema.table(thing.kind), thing.row
        yield from self.extra_rows
        for table, rows in self.joined.items():
            for row in rows:
                yield table, row

    @staticmethod
    def insert(connection, rows):
        for table, row in rows:
            names = list(row)
            statement = "INSERT INTO %s (%s) VALUES (%s)" % (
                table, ", ".join(names), ", ".join("?" * len(names)))
            connection.execute(statement, [row[name] for name in names])
        connection.commit()

    def document(self):
        """The lines of the expected document."""
        renamed = {kind.renaming: kind.name for kind in self.kinds if kind.renaming != kind.name}
        entities = [{"name": kind.name, "number": self.schema.numbers[kind.name], "root": kind.root.name,
                     "objects": len(self.things[kind.name]),
                     "ordered": sorted(field.name for field in kind.all if field.ordered)}
                    for kind in self.schema.names]
        yield {"kind": "store", "uuid": self.uuid, "entities": entities, "framework": 1344,
               "identifiers": ["1.0.0"], "renamed": renamed,
               "history": {"ACHANGE": 2, "ATRANSACTION": 1, "ATRANSACTIONSTRING": 0}}
        for kind in self.schema.names:
            if not kind.parent:
                for thing in sorted(self.all_of(kind.name), key=lambda thing: thing.key):
                    yield thing.document()
        for fault in self.faults:
            yield dict(fault, kind="fault")


def main():
    parser = argparse.ArgumentParser(description="Makes a store in Core Data's format.")
    parser.add_argument("store")
    parser.add_argument("expected")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--objects", type=int, default=200)
    parser.add_argument("--log", choices=["none", "half", "all"], default="none")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--renamed", action="store_true")
    parser.add_argument("--external-model")
    maker = Maker(parser.parse_args())
    maker.make()
    maker.write()
    with open(maker.arguments.expected, "w", encoding="utf-8") as file:
        for document in maker.document():
            file.write(canonical.line(document) + "\n")


if __name__ == "__main__":
    main()
