#!/usr/bin/env python3
"""Prints the canonical document of a store that Core Data or SwiftData wrote.

    apple_store.py STORE [--model MOM] [--faults]

With --faults only the faults are printed. The store is copied first, its log with it, since opening a
store changes its files. Exit code 0, or 2 where there is no model to read the store by.
"""

import argparse
import os
import plistlib
import shutil
import sqlite3
import sys
import tempfile

import apple_model
import canonical
from apple_faults import Faults
from apple_layout import Layout
from apple_links import Links
from apple_values import ValueReader, support_folder


class Store:
    """A copy of a store's files, opened."""

    def __init__(self, path, model_path=None):
        self.path = path
        self.folder = tempfile.mkdtemp()
        copy = os.path.join(self.folder, "store")
        shutil.copyfile(path, copy)
        if os.path.exists(path + "-wal"):
            shutil.copyfile(path + "-wal", copy + "-wal")
        self.connection = sqlite3.connect(copy)
        self.connection.text_factory = _text
        self.metadata = self._metadata()
        self.model = self._model(model_path)

    def close(self):
        self.connection.close()
        shutil.rmtree(self.folder)

    def _has(self, table):
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
        return self.connection.execute(query, (table,)).fetchone()[0] == 1

    def _metadata(self):
        if not self._has("Z_METADATA"):
            return {}
        row = self.connection.execute("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA").fetchone()
        return dict(plistlib.loads(row[2]), Z_VERSION=row[0], Z_UUID=row[1]) if row else {}

    def _model(self, model_path):
        if model_path:
            with open(model_path, "rb") as file:
                return apple_model.load(file.read())
        row = None
        if self._has("Z_MODELCACHE"):
            row = self.connection.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()
        if row is None:
            raise SystemExit("the store contains no model; name one with --model")
        return apple_model.load(row[0])

    def history(self):
        tables = ("ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING")
        count = "SELECT count(*) FROM %s"
        return {table: self.connection.execute(count % table).fetchone()[0]
                for table in tables if self._has(table)}


def _text(data):
    """Text of a column; bytes where it is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return bytes(data)


class Reader:
    """Reads a store into canonical lines."""

    def __init__(self, store):
        self.store = store
        self.layout = Layout(store.model, store.connection)
        self.faults = Faults()
        for problem in self.layout.problems:
            self.faults.add(**problem)
        self.where = {}
        self.values = ValueReader(support_folder(store.path), self._value_fault)
        self.entities = {}  # by root: key to entity
        self.counts = {"objects": 0, "values": 0, "links": 0}
        self.links = None

    def _value_fault(self, message):
        self.faults.add(fault="value", message=message, **self.where)

    def lines(self):
        """The document's lines: the store, the objects, the faults."""
        self._find_objects()
        self.links = Links(self.store, self.layout, self.entities, self.faults)
        yield self._header()
        for root in self.layout.roots:
            if root in self.layout.root_tables:
                yield from self._objects(root)
        self.links.check()
        yield from self.faults.lines()

    def _header(self):
        layout, metadata = self.layout, self.store.metadata
        rows = {}
        for found in self.entities.values():
            for entity in found.values():
                rows[entity.name] = rows.get(entity.name, 0) + 1
        entities = [{"name": entity.name, "number": number, "root": entity.root.name,
                     "objects": rows.get(entity.name, 0),
                     "ordered": sorted(name for name, item in entity.all.items() if item.ordered)}
                    for entity, number in sorted(layout.numbers.items(), key=lambda pair: pair[1])]
        return {"kind": "store", "uuid": metadata.get("Z_UUID"), "entities": entities,
                "framework": metadata.get("NSPersistenceFrameworkVersion"),
                "identifiers": metadata.get("NSStoreModelVersionIdentifiers"),
                "renamed": layout.renamed, "history": self.store.history()}

    def _find_objects(self):
        """Which entity every key is of."""
        layout = self.layout
        for root, table in layout.root_tables.items():
            found = self.entities[root] = {}
            largest = 0
            for key, number in self.store.connection.execute(
                    "SELECT Z_PK, Z_ENT FROM \"%s\" ORDER BY Z_PK" % table):
                largest = max(largest, key)
                entity = layout.names.get(number)
                if entity is None or entity.root is not root:
                    self.faults.add(fault="unknown entity", table=table, key=key, number=number)
                    continue
                if entity.abstract:
                    self.faults.add(fault="abstract entity", table=table, key=key, entity=entity.name)
                found[key] = entity
            maximum = layout.maxima.get(layout.numbers[root])
            if largest > (maximum or 0):
                self.faults.add(fault="Z_MAX too low", table=table, entity=root.name, key=largest,
                                maximum=maximum)

    def _objects(self, root):
        layout, table = self.layout, self.layout.root_tables[root]
        names = layout.tables[table]
        query = "SELECT %s FROM \"%s\" ORDER BY Z_PK" % (", ".join('"%s"' % name for name in names), table)
        for row in self.store.connection.execute(query):
            values = dict(zip(names, row))
            entity = self.entities[root].get(values["Z_PK"])
            if entity is not None:
                yield self._object(root, table, entity, values)

    def _object(self, root, table, entity, row):
        key = row["Z_PK"]
        result = {"kind": "object", "root": root.name, "entity": entity.name, "key": key,
                  "attributes": {}, "relationships": {}}
        for name, item in entity.all.items():
            if not item.stored:
                continue
            self.where = {"table": table, "entity": entity.name, "key": key, "property": name}
            if item.kind == "attribute":
                place = self.layout.columns.get((entity, name))
                value = self._attribute(item, place, row)
                if value is None and not item.optional and item.derivation is None \
                        and item.type != "composite":
                    self.faults.add(fault="value", message="a mandatory value that is null", **self.where)
                result["attributes"][name] = value
                self.counts["values"] += 1
            else:
                links = self.links.of(entity, item, key, row, table)
                result["relationships"][name] = links
                self.counts["links"] += len(links) if item.to_many else links is not None
        self.counts["objects"] += 1
        self.links.check_derived(entity, key, row, table)
        return result

    def _attribute(self, item, place, row):
        if item.type == "composite":
            return canonical.composite({element.name: self._attribute(element, column, row)
                                        for element, column in place or []})
        return None if place is None else self.values.read(item, row[place])


def main():
    parser = argparse.ArgumentParser(description="Prints the canonical document of a store.")
    parser.add_argument("store")
    parser.add_argument("--model", help="a compiled model, for a store without one")
    parser.add_argument("--faults", action="store_true", help="print the faults only")
    arguments = parser.parse_args()
    store = Store(arguments.store, arguments.model)
    try:
        reader = Reader(store)
        for document in reader.lines():
            if not arguments.faults or document["kind"] == "fault":
                print(canonical.line(document))
        counts = reader.counts
        print("objects %d, values %d, links %d, faults %d"
              % (counts["objects"], counts["values"], counts["links"], len(reader.faults.found)),
              file=sys.stderr)
    finally:
        store.close()


if __name__ == "__main__":
    main()
