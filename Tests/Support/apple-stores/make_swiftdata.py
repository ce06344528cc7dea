#!/usr/bin/env python3
"""Makes a small store in the shapes that SwiftData gives the properties of `@Model` classes.

    make_swiftdata.py STORE

Structures and enumerations are composites, lists of Codable values JSON, `[String]` an archive of JSON, a type
with a coding of its own a property list. The tests of the importer read it with classes of the same shape.
"""

import json
import os
import plistlib
import sqlite3
import sys
import uuid
import zlib

from archive_writer import archive
from made_model import Field, Kind, ModelArchive
from made_schema import HISTORY, Schema

FILE = "0D2C5E8A-41F3-4A7B-9C66-1B2F3E4D5C6B"


def need(name, kind, **more):
    return Field(name, kind, optional=False, **more)


def level():
    """`enum Level { case low, high; case custom(Int); case window(from: Date, to: Date?) }`"""
    return [Field("low", "string"), Field("high", "string"),
            Field("custom", "composite", elements=[Field("_0", "integer64")]),
            Field("window", "composite", elements=[Field("from", "date"), Field("to", "date")])]


def place():
    return [
        need("name", "string"),
        need("position", "composite", elements=[need("latitude", "double"), need("longitude", "double")]),
        Field("visited", "date"), Field("note", "string"), need("key", "uuid"), need("page", "uri"),
        need("icon", "binary"), need("price", "decimal"),
        need("level", "composite", elements=level(), cases=["low", "high"]),
        need("length", "composite", elements=[Field("high", "integer64"), Field("low", "integer64")]),
        need("rule", "binary"), need("days", "binary"),
    ]


def kinds():
    trip = Kind("Trip", [
        need("name", "string"), need("code", "uuid"), need("cost", "decimal"), Field("link", "uri"),
        need("start", "date"), Field("photo", "binary", external=True), need("grade", "integer64"),
        need("season", "string"), need("place", "composite", elements=place()),
        Field("stay", "composite", elements=place()),
        need("margin", "composite", elements=[Field("before", "integer64"), Field("after", "integer64")]),
        need("level", "composite", elements=level(), cases=["low", "high"]),
        need("mood", "composite", elements=[Field("good", "string"), Field("bad", "string")],
             cases=["good", "bad"]),
        need("tags", "transformable", content="jsonarray"), need("stops", "binary"),
        need("scores", "binary"),
        Field("legs", "many", destination="Leg", inverse="trip"),
        Field("vehicle", "one", destination="Vehicle"),
    ], unique=[["name"]])
    leg = Kind("Leg", [need("number", "integer64"), Field("trip", "one", destination="Trip", inverse="legs")])
    vehicle = Kind("Vehicle", [need("wheels", "integer64")])
    car = Kind("Car", [need("doors", "integer64"),
                       need("level", "composite", elements=level(), cases=["low", "high"])], vehicle)
    return [trip, leg, vehicle, car]


def text(value):
    return json.dumps(value, separators=(",", ":")).encode()


def a_place(name, level):
    rule = plistlib.dumps({"days": [1, 3], "isOn": True}, fmt=plistlib.FMT_BINARY)
    return {"name": name, "position": {"latitude": 48.5, "longitude": -9.25}, "visited": 700.5,
            "key": uuid.UUID(int=7).bytes, "page": "https://example.org/a", "icon": b"{}", "price": 10.25,
            "level": level, "length": {"high": 0, "low": -1}, "rule": rule, "days": text([2, 4])}


def rows():
    """The objects: entity, key, values by name."""
    place = a_place("Rome", {"window": {"from": 5.0}})
    yield "Vehicle", 1, {"wheels": 2}
    yield "Car", 2, {"wheels": 4, "doors": 5, "level": {"custom": {"_0": 3}}}
    yield "Trip", 1, {
        "name": "South", "code": uuid.UUID(int=1).bytes, "cost": 12.5, "link": "https://example.org/",
        "start": 1000.25, "photo": b"\x02" + FILE.encode() + b"\0", "grade": 2, "season": "warm",
        "place": place, "stay": a_place("Inn", {"high": "high"}), "level": {"low": "low"},
        "mood": {"bad": "bad"}, "tags": archive(text(["a", "b"])),
        "stops": text([{"name": "one", "level": {"custom": {"_0": 4}}}]), "scores": text({"x": 1}),
        "vehicle": ("Car", 2)}
    yield "Trip", 2, {
        "name": "North", "code": uuid.UUID(int=2).bytes, "cost": 1, "start": 0.0, "photo": b"\x01near",
        "grade": 1, "season": "cold", "place": a_place("Oslo", {"low": "low"}), "level": {"custom": {"_0": 7}},
        "margin": {"after": 3}, "mood": {"good": "good"}, "tags": archive(text([])), "stops": text([]),
        "scores": text({})}
    for number in (1, 2):
        yield "Leg", number, {"number": number, "trip": ("Trip", 1)}


def fill(row, schema, kind, path, field, value):
    if field.kind == "composite":
        for element in field.elements:
            if element.name in (value or {}):
                fill(row, schema, kind, path + (element.name,), element, value[element.name])
        return
    column = schema.columns[(kind.name,) + path]
    if field.kind == "one":
        beside = schema.entity_column(field, column)
        if beside:
            row[beside] = schema.numbers[value[0]]
        value = value[1]
    row[column] = value


def write(path):
    if os.path.exists(path):
        os.remove(path)
    made = kinds()
    schema = Schema(made)
    connection = sqlite3.connect(path)
    for statement in schema.statements():
        connection.execute(statement)
    connection.executescript(HISTORY)
    maxima = {}
    for entity, key, values in rows():
        kind = schema.kinds[entity]
        row = {"Z_PK": key, "Z_ENT": schema.numbers[entity], "Z_OPT": 1}
        for field in kind.all:
            if field.name in values:
                fill(row, schema, kind, (field.name,), field, values[field.name])
        connection.execute("INSERT INTO %s (%s) VALUES (%s)" % (
            schema.table(kind), ", ".join(row), ", ".join("?" * len(row))), list(row.values()))
        maxima[kind.root.name] = max(maxima.get(kind.root.name, 0), key)
    for kind in schema.names:
        above = schema.numbers[kind.parent.name] if kind.parent else 0
        connection.execute("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)", (
            schema.numbers[kind.name], kind.name, above, maxima.get(kind.name, 0)))
    plist = {"NSStoreModelVersionHashes": {kind.name: b"\0" * 32 for kind in made}, "NSStoreType": "SQLite",
             "_NSAutoVacuumLevel": "2", "NSPersistenceFrameworkVersion": 1447,
             "NSStoreModelVersionHashesVersion": 3, "NSStoreModelVersionIdentifiers": ["1.0.0"]}
    connection.execute("INSERT INTO Z_METADATA VALUES (1, ?, ?)", (
        str(uuid.UUID(int=9)).upper(), plistlib.dumps(plist, fmt=plistlib.FMT_BINARY)))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    model = packer.compress(ModelArchive(made).data()) + packer.flush()
    connection.execute("INSERT INTO Z_MODELCACHE VALUES (?)", (model,))
    connection.commit()
    connection.close()
    folder, name = os.path.split(os.path.abspath(path))
    files = os.path.join(folder, "." + name.rsplit(".", 1)[0] + "_SUPPORT", "_EXTERNAL_DATA")
    os.makedirs(files, exist_ok=True)
    with open(os.path.join(files, FILE), "wb") as file:
        file.write(b"far away")


if __name__ == "__main__":
    write(sys.argv[1])
