"""Where a store keeps what its model describes: entity numbers, tables, columns and join tables."""

import re

HISTORY = 16000  # entity numbers above are the history's


class JoinSide:
    """How to read a many-to-many relationship: the columns of the owner, the destination and the order."""

    def __init__(self, table, owner, destination, order):
        self.table, self.owner, self.destination, self.order = table, owner, destination, order


class Layout:
    """The place of every property of a model in a store.

    `columns[(root, entity, property)]` is the column of an attribute or a to-one relationship; that of a
    composite is a list of pairs of element and column (or list).
    """

    def __init__(self, model, connection):
        self.model = model
        self.problems, self.tables, self.renamed = [], {}, {}
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            columns = [row[1] for row in connection.execute("PRAGMA table_info(\"%s\")" % name)]
            self.tables[name] = columns
        self.numbers, self.names, self.maxima = {}, {}, {}
        self._number_entities(connection)
        self.columns, self.hidden, self.joins = {}, {}, {}
        self.root_tables = {}
        self.claimed = {}
        for root in self.roots:
            self._lay_out(root)
        for entity in model.entities.values():
            for relationship in entity.own.values():
                if relationship.kind == "relationship" and relationship.stored and relationship.to_many:
                    self._lay_out_to_many(entity, relationship)
        self._find_unclaimed()

    @property
    def roots(self):
        """The root entities that the store numbers, by number."""
        found = [entity for entity in self.numbers if entity.parent is None]
        return sorted(found, key=lambda entity: self.numbers[entity])

    def problem(self, **what):
        self.problems.append(dict(fault="layout", **what))

    # Entity numbers

    def _number_entities(self, connection):
        """Entities by number.

        A store that was migrated in place keeps former names, so an entity is found by its name, else by its
        renaming identifier, else by being the only one left beneath its parent.
        """
        query = "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"
        rows = list(connection.execute(query))
        rows = [row for row in rows if row[0] < HISTORY]
        left = dict(self.model.entities)
        open_rows = []
        for number, name, parent, maximum in rows:
            self.maxima[number] = maximum
            if name in left:
                self._number(number, left.pop(name), name)
            else:
                open_rows.append((number, name, parent))
        still_open = []
        for number, name, parent in open_rows:
            match = [entity for entity in left.values() if entity.renaming == name]
            if len(match) == 1:
                self._number(number, left.pop(match[0].name), name)
            else:
                still_open.append((number, name, parent))
        for number, name, parent in still_open:
            above = next((entity for entity, n in self.numbers.items() if n == parent), None)
            match = [entity for entity in left.values() if entity.parent is above]
            rivals = [row for row in still_open if row[2] == parent]
            if len(match) == 1 and len(rivals) == 1:
                self._number(number, left.pop(match[0].name), name)
            else:
                self.problem(message="an entity of the store is not in the model", entity=name)
        for name in left:
            self.problem(message="an entity of the model is not in the store", entity=name)

    def _number(self, number, entity, stored_name):
        self.numbers[entity] = number
        self.names[number] = entity
        if stored_name != entity.name:
            self.renamed[stored_name] = entity.name

    # Tables and columns

    def table(self, name):
        """A table of a name, in any case."""
        return next((table for table in self.tables if table.upper() == name.upper()), None)

    def _lay_out(self, root):
        table = self.table("Z" + root.name.upper()) or self.table("Z" + root.renaming.upper())
        if table is None:
            self.problem(message="no table", entity=root.name)
            return
        self.root_tables[root] = table
        self.claimed.setdefault(table, set()).update(["Z_PK", "Z_ENT", "Z_OPT"])
        taken = {"Z_PK", "Z_ENT", "Z_OPT"}
        family = sorted((item for item in root.family if item in self.numbers), key=self.numbers.get)
        for entity in family:
            for name in sorted(entity.own):
                item = entity.own[name]
                if not item.stored or (item.kind == "relationship" and item.to_many):
                    continue
                place = self._place(table, entity, item, taken)
                for member in entity.family:
                    self.columns[(member, name)] = place

    def _place(self, table, entity, item, taken):
        """The column of a property, or pairs of element and column for a composite."""
        if item.type == "composite":
            return [(element, self._place(table, entity, element, taken)) for element in item.elements]
        base = "Z" + item.name.upper()
        column, number = base, 0
        while column in taken:
            number += 1
            column = base + str(number)
        taken.add(column)
        if column not in self.tables[table]:
            self.problem(message="no column", table=table, entity=entity.name, property=item.name,
                         column=column)
            return None
        self.claimed[table].add(column)
        if item.kind == "relationship":
            for beside in self.tables[table]:
                if re.fullmatch(r"Z(\d+)_%s" % re.escape(column[1:]), beside):
                    self.claimed[table].add(beside)
        return column

    def entity_column(self, table, column):
        """The column that says which entity a to-one relationship's destination is of."""
        if column is None:
            return None
        pattern = re.compile(r"Z(\d+)_%s" % re.escape(column[1:]))
        return next((name for name in self.tables[table] if pattern.fullmatch(name)), None)

    # To-many relationships

    def _lay_out_to_many(self, entity, relationship):
        if entity not in self.numbers:
            return
        inverse = self.model.inverse_of(relationship)
        if inverse is None:
            self._lay_out_hidden(entity, relationship)
        elif inverse.to_many:
            self._lay_out_join(entity, relationship, inverse)
        else:
            self._claim_order(entity, relationship, inverse)

    def _claim_order(self, entity, relationship, inverse):
        destination = self.model.entities[relationship.destination]
        table, column = self.root_tables.get(destination.root), self.columns.get((destination, inverse.name))
        if relationship.ordered and table and column:
            order = "Z_FOK_" + column[1:]
            if order in self.tables[table]:
                self.claimed[table].add(order)
            else:
                self.problem(message="no column for the order", table=table, entity=entity.name,
                             relationship=relationship.name, column=order)

    def order_column(self, table, column):
        order = "Z_FOK_" + column[1:]
        return order if order in self.tables[table] else None

    def _lay_out_hidden(self, entity, relationship):
        """A to-many relationship without inverse: a column in the destination's table."""
        destination = self.model.entities[relationship.destination]
        table = self.root_tables.get(destination.root)
        suffix = "%d%s" % (self.numbers[entity], relationship.name.upper())
        columns = self.tables.get(table, [])
        pattern = re.compile("Z" + re.escape(suffix) + r"\d*")
        column = next((name for name in columns if pattern.fullmatch(name)), None)
        if column is None:
            self.problem(message="no column of a relationship without inverse", entity=entity.name,
                         relationship=relationship.name, column="Z" + suffix)
            return
        order = next((name for name in columns if name in ("Z_FOK_" + suffix, "Z_FOK_Z" + suffix)), None)
        self.claimed[table].update([column] + ([order] if order else []))
        beside = self.entity_column(table, column)
        if beside:
            self.claimed[table].add(beside)
        self.hidden[(entity.name, relationship.name)] = (table, column, order)

    def _lay_out_join(self, entity, relationship, inverse):
        """A many-to-many relationship: a table of its own, under the name of either side.

        The column of the destination's keys has the destination's number and the relationship's name.
        """
        destination = self.model.entities[relationship.destination]
        other = destination.owner_of(inverse.name)
        mine = "Z_%d%s" % (self.numbers[entity], relationship.name.upper())
        theirs = "Z_%d%s" % (self.numbers[other], inverse.name.upper())
        for table in sorted(self.tables, key=lambda name: (name not in (mine, theirs), name)):
            if not (re.fullmatch(re.escape(mine) + r"\d*", table)
                    or re.fullmatch(re.escape(theirs) + r"\d*", table)):
                continue
            side = self._join_side(table, entity, relationship, other, inverse)
            if side:
                self.joins[(entity.name, relationship.name)] = side
                claimed = self.claimed.setdefault(table, set())
                claimed.update(name for name in (side.owner, side.destination, side.order) if name)
                return
        self.problem(message="no join table", entity=entity.name, relationship=relationship.name)

    def _join_side(self, table, entity, relationship, other, inverse):
        columns = self.tables[table]
        numbers_there = [self.numbers[item] for item in self._related(other, relationship.destination)]
        numbers_here = [self.numbers[item] for item in self._related(entity, inverse.destination)]
        there = self._key_column(columns, numbers_there, relationship.name, ())
        if there and other is entity and inverse is relationship and "REFLEXIVE" in columns:
            order = "Z_FOK_" + there[2:]
            return JoinSide(table, "REFLEXIVE", there, order if order in columns else None)
        here = self._key_column(columns, numbers_here, inverse.name, (there,))
        if there is None or here is None:
            return None
        order = "Z_FOK_" + there[2:]
        if relationship.ordered and order not in columns:
            self.problem(message="no column for the order", table=table, entity=entity.name,
                         relationship=relationship.name, column=order)
        return JoinSide(table, here, there, order if order in columns else None)

    def _related(self, entity, name):
        """The entities whose number a column may have: the one named, and the declaring one's family."""
        found = [entity, self.model.entities[name]] + entity.lineage + entity.family
        return [item for item in dict.fromkeys(found) if item in self.numbers]

    @staticmethod
    def _key_column(columns, numbers, name, without):
        for number in numbers:
            pattern = re.compile(r"Z_%d%s\d*" % (number, re.escape(name.upper())))
            found = [column for column in columns if pattern.fullmatch(column) and column not in without]
            if found:
                return min(found, key=len)
        return None

    def _find_unclaimed(self):
        """Tables and columns of a store that nothing in its model explains."""
        known = ("Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE")
        for table, columns in self.tables.items():
            if table in known or table.startswith(("sqlite_", "A")):
                continue
            if table not in self.claimed:
                self.problem(message="a table that the model does not explain", table=table)
                continue
            for column in columns:
                if column not in self.claimed[table]:
                    self.problem(message="a column that the model does not explain", table=table,
                                 column=column)
