"""Reads the relationships of a store, and checks them."""

import apple_derived


class Links:
    """Destinations by relationship and owner; to-many ones are read in one query each."""

    def __init__(self, store, layout, entities, faults):
        self.store, self.layout, self.entities, self.faults = store, layout, entities, faults
        self.to_many = {}
        self.derived = apple_derived.Derived(store, layout, self)

    def link(self, entity_name, key):
        """A link to an object: its entity and key, or nothing where no row is."""
        root = self.layout.model.entities[entity_name].root
        entity = self.entities.get(root, {}).get(key)
        return None if entity is None else [entity.name, key]

    def of(self, entity, item, key, row, table):
        """The canonical form of a relationship of an object."""
        if item.to_many:
            return self.many(entity, item).get(key, [])
        column = self.layout.columns.get((entity, item.name))
        return self._one(entity, item, key, row, table, column)

    def _one(self, entity, item, key, row, table, column):
        where = {"table": table, "entity": entity.name, "key": key, "relationship": item.name}
        target = row.get(column)
        if target is None:
            if not item.optional:
                self.faults.add(fault="mandatory relationship without destination", **where)
            return None
        link = self.link(item.destination, target)
        if link is None:
            self.faults.add(fault="dangling", destination=target, **where)
            return None
        self._check_destination(item, link, where)
        beside = self.layout.entity_column(table, column)
        if beside:
            number = self.layout.numbers[self.layout.model.entities[link[0]]]
            if row[beside] != number:
                self.faults.add(fault="entity column", column=beside, number=row[beside], **where)
        self._check_one_to_one(item, key, link, where)
        return link

    def _check_destination(self, item, link, where):
        model = self.layout.model
        if not model.entities[link[0]].is_kind_of(model.entities[item.destination]):
            self.faults.add(fault="destination of another entity", destination=link[1], found=link[0],
                            **where)

    def _check_one_to_one(self, item, key, link, where):
        """The other side of a one-to-one relationship must lead back."""
        layout = self.layout
        inverse = layout.model.inverse_of(item)
        if inverse is None or inverse.to_many:
            return
        other = layout.model.entities[link[0]]
        column = layout.columns.get((other, inverse.name))
        if column is None:
            return
        back = self._back(layout.root_tables[other.root], column).get(link[1])
        if back != key:
            self.faults.add(fault="one-sided", destination=link[1], inverse=inverse.name, back=back, **where)

    def _back(self, table, column):
        cached = self.to_many.get((table, column))
        if cached is None:
            query = 'SELECT Z_PK, "%s" FROM "%s" WHERE "%s" IS NOT NULL' % (column, table, column)
            cached = self.to_many[(table, column)] = dict(self.store.connection.execute(query))
        return cached

    # To-many

    def many(self, entity, item):
        """The destinations of a to-many relationship by owner."""
        owner = entity.owner_of(item.name)
        name = (owner.name, item.name)
        if name not in self.to_many:
            self.to_many[name] = self._read_many(owner, item)
        return self.to_many[name]

    def _read_many(self, owner, item):
        layout = self.layout
        inverse = layout.model.inverse_of(item)
        if inverse is None:
            place = layout.hidden.get((owner.name, item.name))
            return self._read_column(owner, item, *place) if place else {}
        if inverse.to_many:
            side = layout.joins.get((owner.name, item.name))
            return self._read_join(owner, item, inverse, side) if side else {}
        destination = layout.model.entities[item.destination]
        table = layout.root_tables.get(destination.root)
        column = layout.columns.get((destination, inverse.name))
        if table is None or column is None:
            return {}
        order = layout.order_column(table, column) if item.ordered else None
        return self._read_column(owner, item, table, column, order)

    def _read_column(self, owner, item, table, column, order):
        """Destinations whose own column names the owner."""
        query = 'SELECT "{c}", Z_PK, {o} FROM "{t}" WHERE "{c}" IS NOT NULL ORDER BY "{c}", {o}, Z_PK'
        query = query.format(c=column, t=table, o='"%s"' % order if order else "NULL")
        hidden = self.layout.model.inverse_of(item) is None
        result, orders = {}, {}
        for source, key, place in self.store.connection.execute(query):
            link = self.link(item.destination, key)
            where = {"table": table, "entity": owner.name, "key": source, "relationship": item.name}
            if self.link(owner.name, source) is None:
                if hidden:
                    self.faults.add(fault="dangling", source=source, destination=key, **where)
                continue
            if link is None:
                continue
            if not self._belongs(item, link, where, hidden):
                continue
            result.setdefault(source, []).append(link)
            if order:
                self._check_order(orders, source, place, where)
        return result

    def _belongs(self, item, link, where, hidden):
        """Whether a row owns the column: others of the table may hold a default there."""
        model = self.layout.model
        if model.entities[link[0]].is_kind_of(model.entities[item.destination]):
            return True
        if hidden:
            self.faults.add(fault="destination of another entity", destination=link[1], found=link[0],
                            **where)
        return False

    def _read_join(self, owner, item, inverse, side):
        order = '"%s"' % side.order if side.order and item.ordered else "NULL"
        query = 'SELECT "{a}", "{b}", {o} FROM "{t}" ORDER BY "{a}", {o}, "{b}"'
        query = query.format(a=side.owner, b=side.destination, t=side.table, o=order)
        result, orders, pairs = {}, {}, set()
        for source, key, place in self.store.connection.execute(query):
            where = {"table": side.table, "entity": owner.name, "key": source, "relationship": item.name}
            here, link = self.link(owner.name, source), self.link(item.destination, key)
            if here is None or link is None:
                self.faults.add(fault="dangling", destination=key, **where)
                continue
            if (source, key) in pairs:
                self.faults.add(fault="repeated link", destination=key, **where)
                continue
            pairs.add((source, key))
            self._check_destination(item, link, where)
            result.setdefault(source, []).append(link)
            if side.order and item.ordered:
                self._check_order(orders, source, place, where)
        if inverse is item:
            for source, key in sorted(pairs):
                if (key, source) not in pairs:
                    self.faults.add(fault="one-sided", table=side.table, entity=owner.name, key=source,
                                    relationship=item.name, destination=key)
        return result

    def _check_order(self, orders, source, place, where):
        seen = orders.setdefault(source, set())
        if place is None:
            self.faults.add(fault="order", message="no place in the order", **where)
        elif place in seen:
            self.faults.add(fault="order", message="one place in the order for several", **where)
        seen.add(place)

    # Checks over the whole store

    def check(self):
        """Reads what no object asked for, so that its faults are found as well."""
        for entity in self.layout.model.entities.values():
            if entity not in self.layout.numbers:
                continue
            for item in entity.own.values():
                if item.kind == "relationship" and item.stored and item.to_many:
                    self.many(entity, item)

    def check_derived(self, entity, key, row, table):
        self.derived.check(entity, key, row, table)
