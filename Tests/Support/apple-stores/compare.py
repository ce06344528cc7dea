#!/usr/bin/env python3
"""Compares two canonical documents and prints every difference.

    compare.py A B [--match key|order|source] [--map FILE] [--explained] [--limit N]

Objects are matched by the key `source` of B's objects ([entity, key] or the key in A), by a file of lines
`["Entity", key in A, key in B]`, else by equal keys, else by their order within each entity. With
--explained a difference at a place that A lists a fault of is counted apart. The last line is
`objects N, values N, links N, differences N`; the exit code is 1 where there are differences.
"""

import argparse
import json
import sys


class Document:
    def __init__(self, path):
        self.objects, self.faults, self.ordered, self.roots = {}, [], set(), {}
        with open(path, encoding="utf-8", newline="\n") as file:
            for text in file:
                self.add(json.loads(text))

    def add(self, item):
        if item["kind"] == "fault":
            self.faults.append(item)
        elif item["kind"] == "object":
            self.objects[(item["root"], item["key"])] = item
        else:
            for entity in item["entities"]:
                self.roots[entity["name"]] = entity["root"]
                self.ordered.update((entity["name"], name) for name in entity.get("ordered", []))

    def by_entity(self):
        result = {}
        for place, item in self.objects.items():
            result.setdefault(item["entity"], []).append(place)
        return result


class Matching:
    """Which object of B is which of A; an object is a pair of root entity and key."""

    def __init__(self, first, second, how, path):
        self.to_first = {}
        if path:
            with open(path, encoding="utf-8") as file:
                for entity, one, other in map(json.loads, file):
                    self.to_first[(second.roots[entity], other)] = (first.roots[entity], one)
        elif how == "source" or (how is None and any("source" in item for item in second.objects.values())):
            self.by_source(first, second)
        elif how == "key" or (how is None and self.same_keys(first, second)):
            for place, item in second.objects.items():
                root = first.roots.get(item["entity"])
                if root is not None:
                    self.to_first[place] = (root, place[1])
        else:
            mine, theirs = first.by_entity(), second.by_entity()
            for entity, places in theirs.items():
                self.to_first.update(zip(places, mine.get(entity, [])))

    def by_source(self, first, second):
        for place, item in second.objects.items():
            if "source" in item:
                source = item["source"]
                entity, key = source if isinstance(source, list) else (item["entity"], source)
                self.to_first[place] = (first.roots.get(entity, entity), key)

    @staticmethod
    def same_keys(first, second):
        mine = {(item["entity"], item["key"]) for item in first.objects.values()}
        return mine == {(item["entity"], item["key"]) for item in second.objects.values()}


def equal(one, other):
    """Whether two canonical values are the same value."""
    if one is None or other is None or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    if not isinstance(one, dict) or not isinstance(other, dict):
        return type(one) is type(other) and one == other
    kinds = (next(iter(one)), next(iter(other)))
    if kinds == ("date", "date"):
        return float(one["date"]) == float(other["date"])
    if kinds == ("composite", "composite"):
        names = set(one["composite"]) | set(other["composite"])
        return all(equal(one["composite"].get(name), other["composite"].get(name)) for name in names)
    if kinds[0] in ("binary", "transformable") and kinds[1] in ("binary", "transformable"):
        return equal_bytes(one[kinds[0]], other[kinds[1]])
    return same_text(one, other)


def same_text(one, other):
    """Equal as JSON, where 1 and 1.0 are one number but 1 and true are two values."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_text(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_text, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def equal_bytes(one, other):
    """Bytes are equal, or what they decode to: an archive of JSON and the JSON itself are one value."""
    if one["sha256"] == other["sha256"]:
        return True
    values = [item["value"] if "value" in item else {"json": item["json"]} if "json" in item else None
              for item in (one, other)]
    if values[0] is None or values[1] is None:
        return False
    return same_text(*values) or same_text(*map(said_in_json, values))


def said_in_json(value):
    """An archived value as the JSON that says the same, where JSON has its kind; else the value."""
    if not isinstance(value, dict):
        return {"json": value}
    try:
        return value if "json" in value else {"json": plain(value)}
    except KeyError:
        return value


def plain(value):
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items()))
    if kind == "null":
        return None
    if kind == "array":
        return [plain(item) for item in content]
    if kind == "dictionary" and all(isinstance(key, str) for key, _ in content):
        return {key: plain(item) for key, item in content}
    raise KeyError(kind)


class Comparison:
    def __init__(self, first, second, matching, explained, limit):
        self.first, self.second, self.to_first = first, second, matching.to_first
        self.objects = self.values = self.links = self.differences = self.explained = 0
        self.limit = limit
        self.places = self.explanations() if explained else {}

    def explanations(self):
        """The places that A's faults explain: entity, key and property."""
        result = {}
        for fault in self.first.faults:
            entity, key = fault.get("entity"), fault.get("key")
            name = fault.get("relationship") or fault.get("property")
            root = self.first.roots.get(entity)
            if root is None:
                continue
            result[(root, key, name)] = fault["fault"]
            if fault["fault"] == "one-sided":
                item = self.first.objects.get((root, key), {"relationships": {}})["relationships"].get(name)
                back = fault.get("inverse", name)
                other = self.first.roots[item[0]] if isinstance(item, list) and len(item) == 2 \
                    and isinstance(item[0], str) else root
                result[(other, fault["destination"], back)] = "one-sided"
        return result

    def tell(self, place, name, message):
        fault = self.places.get(place + (name,))
        if fault:
            self.explained += 1
            message += " (explained: %s)" % fault
        else:
            self.differences += 1
        if self.differences + self.explained <= self.limit:
            item = self.first.objects.get(place) or self.second.objects.get(place) or {"entity": place[0]}
            print("%s %s%s: %s" % (item["entity"], place[1], " " + name if name else "", message))

    def run(self):
        found = set()
        for place, item in self.second.objects.items():
            mine = self.to_first.get(place)
            if mine is None or mine not in self.first.objects:
                self.tell(place, "", "an object of B that A does not have")
                continue
            if mine in found:
                self.tell(mine, "", "an object that B has twice")
                continue
            found.add(mine)
            self.object(mine, self.first.objects[mine], item)
        for place in self.first.objects:
            if place not in found:
                self.tell(place, "", "an object of A that B does not have")

    def object(self, place, one, other):
        self.objects += 1
        if one["entity"] != other["entity"]:
            self.tell(place, "", "entity %s, in B %s" % (one["entity"], other["entity"]))
        for name in sorted(set(one["attributes"]) | set(other["attributes"])):
            self.values += 1
            if name not in one["attributes"] or name not in other["attributes"]:
                owner = "A" if name in one["attributes"] else "B"
                self.tell(place, name, "an attribute of %s only" % owner)
            elif not equal(one["attributes"][name], other["attributes"][name]):
                self.tell(place, name, "%s, in B %s" % (
                    short(one["attributes"][name]), short(other["attributes"][name])))
        for name in sorted(set(one["relationships"]) | set(other["relationships"])):
            if name not in one["relationships"] or name not in other["relationships"]:
                owner = "A" if name in one["relationships"] else "B"
                self.tell(place, name, "a relationship of %s only" % owner)
            else:
                self.relationship(place, one, name, other["relationships"][name])

    def relationship(self, place, one, name, theirs):
        mine = one["relationships"][name]
        many = isinstance(mine, list) and (not mine or isinstance(mine[0], list))
        mine = list(map(tuple, mine)) if many else [tuple(mine)] if mine else []
        many_there = isinstance(theirs, list) and (not theirs or isinstance(theirs[0], list))
        if many and not many_there and theirs is None:
            theirs = []
        theirs = theirs if many_there or theirs == [] else [theirs] if theirs else []
        there = [self.link(link) for link in theirs]
        self.links += len(mine)
        if (one["entity"], name) not in self.first.ordered:
            mine, there = sorted(mine, key=str), sorted(there, key=str)
        if mine != there:
            self.tell(place, name, "%s, in B %s" % (short(mine), short(there)))

    def link(self, link):
        """A link of B, with A's key."""
        entity, key = link
        place = self.to_first.get((self.second.roots.get(entity), key))
        return (entity, place[1]) if place else ("B's " + str(entity), key)


def short(value):
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 300 else text[:300] + "…"


def main():
    parser = argparse.ArgumentParser(description="Compares two canonical documents.")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--match", choices=["key", "order", "source"])
    parser.add_argument("--map")
    parser.add_argument("--explained", action="store_true")
    parser.add_argument("--limit", type=int, default=1000, help="how many differences are printed")
    arguments = parser.parse_args()
    first, second = Document(arguments.first), Document(arguments.second)
    matching = Matching(first, second, arguments.match, arguments.map)
    comparison = Comparison(first, second, matching, arguments.explained, arguments.limit)
    comparison.run()
    if arguments.explained:
        print("explained by faults %d" % comparison.explained)
    print("objects %d, values %d, links %d, differences %d" % (
        comparison.objects, comparison.values, comparison.links, comparison.differences))
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
