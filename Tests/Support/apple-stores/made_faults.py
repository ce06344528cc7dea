"""Plants the faults that real stores have, and more, into a made store."""

MISSING = 9000001


def plant(maker):
    """Plants each fault once, each on objects of its own as far as they would disturb each other."""
    for make in (_dangling, _dangling_join, _one_sided, _unknown_entity, _reflexive, _external, _mandatory,
                 _order, _entity_column, _derived, _range):
        make(maker)
    root = "Tag"
    largest = maker.maxima[root]
    largest = max(thing.key for thing in maker.all_of(root))
    maker.maxima[root] = largest - 1
    maker.faults.append({"fault": "Z_MAX too low", "table": "ZTAG", "entity": root, "key": largest,
                         "maximum": largest - 1})


def _where(maker, thing, name, word="relationship"):
    return {"table": maker.schema.table(thing.kind), "entity": thing.kind.name, "key": thing.key, word: name}


def _dangling(maker):
    """A to-one key without a row; the line is in no order."""
    thing = next(line for line in maker.things["Line"] if line.relationships["order"] is None)
    thing.row["ZORDER"] = MISSING
    maker.faults.append(dict(_where(maker, thing, "order"), fault="dangling", destination=MISSING))


def _dangling_join(maker):
    folder = maker.things["Folder"][0]
    join = maker.schema.joins[("Folder", "tags")]
    back = maker.schema.joins[("Tag", "folders")]
    maker.joined[join.table].append(
        {join.owner: folder.key, join.destination: MISSING, join.order: 1, back.order: 1})
    maker.faults.append({"fault": "dangling", "table": join.table, "entity": "Folder", "key": folder.key,
                         "relationship": "tags", "destination": MISSING})
    maker.faults.append({"fault": "dangling", "table": join.table, "entity": "Tag", "key": MISSING,
                         "relationship": "folders", "destination": folder.key})


def _one_sided(maker):
    passport = next(thing for thing in maker.things["Passport"] if thing.relationships["holder"])
    account = maker.by_key[("Account", passport.relationships["holder"][1])]
    passport.relationships["holder"] = passport.row["ZHOLDER"] = None
    maker.faults.append(dict(_where(maker, account, "pass"), fault="one-sided", destination=passport.key,
                             inverse="holder", back=None))


def _unknown_entity(maker):
    maker.maxima["Order"] += 1
    key = maker.maxima["Order"]
    maker.extra_rows.append(("ZORDER", {"Z_PK": key, "Z_ENT": 77, "Z_OPT": 1}))
    maker.faults.append({"fault": "unknown entity", "table": "ZORDER", "key": key, "number": 77})


def _reflexive(maker):
    """A pair of a relationship that is its own inverse, stored one way only."""
    join = maker.schema.joins[("Folder", "peers")]
    rows = maker.joined[join.table]
    row = next(row for row in rows if row[join.owner] != row[join.destination])
    rows.remove(row)
    owner = maker.by_key[("Folder", row[join.owner])]
    owner.relationships["peers"].remove(["Folder", row[join.destination]])
    maker.faults.append({"fault": "one-sided", "table": join.table, "entity": "Folder",
                         "key": row[join.destination], "relationship": "peers", "destination": owner.key})


def _external(maker):
    thing = maker.things["Account"][0]
    name = maker.values.file_name()
    thing.row["ZSCAN"] = b"\x02" + name.encode() + b"\0"
    thing.attributes["scan"] = None
    maker.faults.append(dict(_where(maker, thing, "scan", "property"), fault="value",
                             message="a file of external storage that is not there: " + name))


def _mandatory(maker):
    thing = maker.things["Account"][1]
    maker.set(thing, "name", None)
    maker.set(thing, "loudName", None)
    maker.faults.append(dict(_where(maker, thing, "name", "property"), fault="value",
                             message="a mandatory value that is null"))


def _order(maker):
    """Two favorites at one place: the order of their keys decides."""
    join = maker.schema.joins[("Folder", "favorites")]
    folder = next(thing for thing in maker.things["Folder"] if len(thing.relationships["favorites"]) > 1)
    rows = [row for row in maker.joined[join.table] if row[join.owner] == folder.key]
    rows.sort(key=lambda row: row[join.order])
    rows[1][join.order] = rows[0][join.order]
    links = folder.relationships["favorites"]
    links[:2] = sorted(links[:2], key=lambda link: link[1])
    maker.faults.append({"fault": "order", "message": "one place in the order for several",
                         "table": join.table, "entity": "Folder", "key": folder.key,
                         "relationship": "favorites"})


def _entity_column(maker):
    line = next(thing for thing in maker.things["Line"] if thing.relationships["subject"])
    column = "Z%d_SUBJECT" % maker.schema.numbers["Animal"]
    line.row[column] = maker.schema.numbers["Animal"]
    maker.faults.append(dict(_where(maker, line, "subject"), fault="entity column", column=column,
                             number=line.row[column]))


def _derived(maker):
    order = maker.things["Order"][0]
    count = order.attributes["lineCount"]
    maker.set(order, "lineCount", count + 5)
    maker.faults.append(dict(_where(maker, order, "lineCount", "property"), fault="derived",
                             stored=count + 5, computed=count))


def _range(maker):
    thing = maker.things["Account"][2]
    maker.set(thing, "small", 70000)
    maker.faults.append(dict(_where(maker, thing, "small", "property"), fault="value",
                             message="an integer beyond its type"))
