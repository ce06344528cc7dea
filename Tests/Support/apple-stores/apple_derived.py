"""Recomputes derived attributes and compares them with what a store holds."""

AGGREGATES = ("count", "sum", "min", "max", "avg")


class Unknown(Exception):
    """A derivation that is not recomputed."""


class Derived:
    def __init__(self, store, layout, links):
        self.store, self.layout, self.links = store, layout, links
        self.checked = 0
        self.rows = {}

    def check(self, entity, key, row, table):
        for name, item in entity.all.items():
            if item.kind != "attribute" or item.derivation is None:
                continue
            column = self.layout.columns.get((entity, name))
            if column is None:
                continue
            try:
                expected = self.value(item.derivation, entity, key, row)
            except Unknown:
                continue
            self.checked += 1
            if not self.same(expected, row[column]):
                self.links.faults.add(fault="derived", table=table, entity=entity.name, key=key,
                                      property=name, stored=row[column], computed=expected)

    @staticmethod
    def same(computed, stored):
        if isinstance(computed, float) and isinstance(stored, (int, float)):
            return abs(computed - stored) <= 1e-9 * max(1.0, abs(computed))
        return computed == stored or (computed is None and stored in (0, None))

    def value(self, derivation, entity, key, row):
        if derivation[0] == "path":
            return self.path(derivation[1].split("."), entity, key, row)
        if derivation[0] == "call" and derivation[2]:
            argument = [part for part in derivation[2] if part[0] == "path"]
            if len(argument) == 1:
                return self.call(derivation[1], argument[0][1].split("."), entity, key, row)
        raise Unknown

    def call(self, selector, path, entity, key, row):
        name = selector.rstrip(":")
        if name in ("uppercase", "lowercase"):
            text = self.path(path, entity, key, row)
            if not isinstance(text, str):
                return None
            return text.upper() if name == "uppercase" else text.lower()
        if name in AGGREGATES:
            item = entity.all.get(path[0])
            if item is not None and item.kind == "relationship" and item.to_many:
                operator = ["@" + name]
                return self.path(path[:1] + operator + path[1:], entity, key, row)
        raise Unknown

    def path(self, path, entity, key, row):
        """The value of a key path: attributes, to-one relationships, and one aggregate over a to-many."""
        item = entity.all.get(path[0])
        if item is None or not item.stored:
            raise Unknown
        if item.kind == "attribute":
            column = self.layout.columns.get((entity, item.name))
            if len(path) != 1 or not isinstance(column, str) or item.derivation is not None:
                raise Unknown
            return row[column]
        if item.to_many:
            return self.aggregate(path, entity, item, key)
        target = row.get(self.layout.columns.get((entity, item.name)))
        found = self.links.link(item.destination, target) if target is not None else None
        if found is None or len(path) < 2:
            return None
        return self.path(path[1:], *self.object(found))

    def object(self, link):
        """An object's entity, key and row."""
        entity = self.layout.model.entities[link[0]]
        table = self.layout.root_tables[entity.root]
        if (table, link[1]) not in self.rows:
            names = self.layout.tables[table]
            row = self.store.connection.execute('SELECT * FROM "%s" WHERE Z_PK = ?' % table, (link[1],))
            self.rows[(table, link[1])] = dict(zip(names, row.fetchone()))
        return entity, link[1], self.rows[(table, link[1])]

    def aggregate(self, path, entity, item, key):
        links = self.links.many(entity, item).get(key, [])
        operators = [part for part in path[1:] if part.startswith("@")]
        if len(operators) != 1 or operators[0][1:] not in AGGREGATES:
            raise Unknown
        operator = operators[0][1:]
        rest = [part for part in path[1:] if not part.startswith("@")]
        if operator == "count" and not rest:
            return len(links)
        if not rest:
            raise Unknown
        values = [self.path(rest, *self.object(link)) for link in links]
        values = [value for value in values if value is not None]
        if operator == "count":
            return len(values)
        if operator == "sum":
            return sum(values)
        if not values:
            return None
        return sum(values) / len(values) if operator == "avg" else {"min": min, "max": max}[operator](values)
