"""The tables of a made store: numbers of entities, names of columns and of join tables."""

TYPES = {
    "integer16": "INTEGER", "integer32": "INTEGER", "integer64": "INTEGER", "boolean": "INTEGER",
    "decimal": "DECIMAL", "double": "FLOAT", "float": "FLOAT", "string": "VARCHAR", "uri": "VARCHAR",
    "date": "TIMESTAMP", "uuid": "BLOB", "binary": "BLOB", "transformable": "BLOB", "one": "INTEGER",
}
ORDER = ["INTEGER", "DECIMAL", "TIMESTAMP", "FLOAT", "VARCHAR", "BLOB"]
HISTORY = """
CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
  ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT );
CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 1, 1, 1, NULL), (2, 16001, 1, 0, 1, 2, 1, NULL);
INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 1000.5);
"""


class Join:
    """A join table, from one side: the columns of the owner and the destination, and the order's."""

    def __init__(self, table, owner, destination, order):
        self.table, self.owner, self.destination, self.order = table, owner, destination, order


class Schema:
    def __init__(self, kinds, later_side=False):
        """Names everything; `later_side` gives self-referencing join tables the other side's name."""
        self.kinds = {kind.name: kind for kind in kinds}
        self.later_side = later_side
        self.numbers, self.names = {}, []
        for root in sorted((kind for kind in kinds if not kind.parent), key=lambda kind: kind.renaming):
            self.number(root)
        self.columns, self.tables, self.joins, self.hidden = {}, {}, {}, {}
        for kind in self.names:
            if not kind.parent:
                self.name_columns(kind)
        for kind in self.names:
            for field in kind.fields:
                if field.kind == "many":
                    self.name_to_many(kind, field)

    def number(self, kind):
        self.numbers[kind.name] = len(self.numbers) + 1
        self.names.append(kind)
        for child in sorted(kind.children, key=lambda child: child.renaming):
            self.number(child)

    def table(self, kind):
        return "Z" + kind.root.name.upper()

    def name_columns(self, root):
        columns = self.tables[self.table(root)] = {}
        family = [kind for kind in self.names if kind.root is root]
        for kind in family:
            for field in sorted(kind.fields, key=lambda field: field.name):
                if field.kind not in ("many", "fetched") and not field.transient:
                    self.name_column(kind, (field.name,), field, columns)

    def name_column(self, kind, path, field, columns):
        if field.kind == "composite":
            for element in field.elements:
                self.name_column(kind, path + (element.name,), element, columns)
            return
        name = "Z" + field.name.upper()
        taken, number = name, 0
        while taken in columns:
            number += 1
            taken = "%s%d" % (name, number)
        columns[taken] = TYPES[field.kind]
        for member in kind.family:
            self.columns[(member.name,) + path] = taken
        if field.kind == "one":
            destination = self.kinds[field.destination]
            if destination.children:
                columns["Z%d_%s" % (self.numbers[destination.name], taken[1:])] = "INTEGER"
            inverse = self.inverse(field)
            if inverse is not None and inverse.ordered:
                columns["Z_FOK_" + taken[1:]] = "INTEGER"

    def entity_column(self, field, column):
        destination = self.kinds[field.destination]
        if not destination.children:
            return None
        return "Z%d_%s" % (self.numbers[destination.name], column[1:])

    def inverse(self, field):
        if field.inverse is None:
            return None
        return next(item for item in self.kinds[field.destination].all if item.name == field.inverse)

    def name_to_many(self, kind, field):
        number = self.numbers[kind.name]
        if field.inverse is None:
            name = "%d%s" % (number, field.name.upper())
            columns = self.tables[self.table(self.kinds[field.destination])]
            columns["Z" + name] = "INTEGER"
            if field.ordered:
                columns["Z_FOK_" + name] = "INTEGER"
            self.hidden[(kind.name, field.name)] = ("Z" + name, "Z_FOK_" + name if field.ordered else None)
            return
        inverse = self.inverse(field)
        if inverse.kind != "many" or (kind.name, field.name) in self.joins:
            return
        self.name_join(kind, field, inverse)

    def name_join(self, kind, field, inverse):
        here, there = self.numbers[kind.name], self.numbers[field.destination]
        named = inverse if self.later_side and here == there else field
        table = "Z_%d%s" % (here, named.name.upper())
        destination = "Z_%d%s" % (there, field.name.upper())
        if field is inverse:
            self.joins[(kind.name, field.name)] = Join(table, "REFLEXIVE", destination, None)
            self.tables[table] = {destination: "INTEGER", "REFLEXIVE": "INTEGER"}
            return
        owner = "Z_%d%s" % (here, inverse.name.upper())
        columns = self.tables[table] = {owner: "INTEGER", destination: "INTEGER"}
        orders = ["Z_FOK_" + column[2:] if item.ordered else None
                  for column, item in ((destination, field), (owner, inverse))]
        for order in orders:
            if order:
                columns[order] = "INTEGER"
        self.joins[(kind.name, field.name)] = Join(table, owner, destination, orders[0])
        self.joins[(field.destination, inverse.name)] = Join(table, destination, owner, orders[1])

    def statements(self):
        for table, columns in self.tables.items():
            if table.startswith("Z_"):
                keys = [name for name in columns if not name.startswith("Z_FOK_")]
                parts = ["%s INTEGER" % name for name in columns] + ["PRIMARY KEY (%s)" % ", ".join(keys)]
            else:
                parts = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
                parts += ["%s %s" % item for item in sorted(columns.items(), key=self.place)]
            yield "CREATE TABLE %s ( %s )" % (table, ", ".join(parts))
        yield "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER," \
              " Z_MAX INTEGER)"
        yield "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"
        yield "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

    @staticmethod
    def place(item):
        return ORDER.index(item[1])
