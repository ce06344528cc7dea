"""Reads keyed archives: the object graph, and the Foundation classes that are plain values."""

import plistlib
import uuid

import canonical


class NotDecodable(Exception):
    """An archive of something that is no plain value."""


class Archive:
    """The objects of a keyed archive, which refer to each other by number."""

    def __init__(self, data):
        try:
            plist = plistlib.loads(data)
        except Exception as error:
            raise NotDecodable("no property list: %s" % error)
        if not isinstance(plist, dict) or "$objects" not in plist or "$top" not in plist:
            raise NotDecodable("no keyed archive")
        self.objects = plist["$objects"]
        top = plist["$top"]
        self.root = self.resolve(top.get("root", next(iter(top.values()), None)))

    def resolve(self, value):
        """What a reference stands for; `$null` is nothing."""
        if isinstance(value, plistlib.UID):
            if value.data == 0:
                return None
            value = self.objects[value.data]
        return value

    def get(self, item, key):
        return self.resolve(item.get(key))

    def class_name(self, item):
        """The class of an object, or nothing for a plain value."""
        if isinstance(item, dict) and "$class" in item:
            return self.resolve(item["$class"])["$classname"]
        return None

    def class_chain(self, item):
        return self.resolve(item["$class"]).get("$classes", [self.class_name(item)])

    def text(self, value):
        """A text, which newer archives hold plainly and older ones as an object."""
        value = self.resolve(value)
        if isinstance(value, dict) and "NS.string" in value:
            value = self.resolve(value["NS.string"])
        return value

    def items(self, value):
        """The members of an array or a set."""
        value = self.resolve(value)
        if value is None:
            return []
        if "NS.objects" in value:
            return [self.resolve(member) for member in value["NS.objects"]]
        members = []
        while "NS.object.%d" % len(members) in value:
            members.append(self.resolve(value["NS.object.%d" % len(members)]))
        return members

    def pairs(self, value):
        """The keys and values of a dictionary, of one with known keys as well."""
        value = self.resolve(value)
        if value is None:
            return []
        if "searchMapping" in value:
            keys = self.items(self.get(value, "searchMapping")["keys"])
            return [(self.text(key), item) for key, item in zip(keys, self.items(value["values"]))]
        keys = [self.resolve(key) for key in value["NS.keys"]]
        values = [self.resolve(item) for item in value["NS.objects"]]
        return list(zip(keys, values))


def root_class(data):
    """The class of an archive's root, "streamtyped" for the older kind of archive, nothing for others."""
    if data[2:13] == b"streamtyped":
        return "streamtyped"
    try:
        archive = Archive(data)
    except NotDecodable:
        return None
    name = archive.class_name(archive.root)
    if name is not None:
        return name
    plain = {str: "NSString", bytes: "NSData", bool: "NSNumber", int: "NSNumber", float: "NSNumber"}
    return plain.get(type(archive.root))


def decode(data):
    """The canonical form of an archived plain value."""
    archive = Archive(data)
    return Decoder(archive).value(archive.root)


def _decimal(archive, item):
    length, mantissa = item["NS.length"], item["NS.mantissa"]
    mantissa = archive.resolve(mantissa)
    if isinstance(mantissa, dict):
        mantissa = archive.resolve(mantissa["NS.data"])
    if length == 0:
        return canonical.decimal_text("NaN" if item["NS.negative"] else "0")
    order = "little" if item.get("NS.mantissa.bo", 1) == 1 else "big"
    words = [int.from_bytes(mantissa[2 * at:2 * at + 2], order) for at in range(length)]
    number = sum(word << (16 * at) for at, word in enumerate(words))
    sign = "-" if item["NS.negative"] else ""
    return canonical.decimal_text("%s%dE%d" % (sign, number, item["NS.exponent"]))


class Decoder:
    """Makes canonical values of archived ones; refuses every class that it does not know."""

    def __init__(self, archive):
        self.archive = archive
        self.open = []

    def value(self, item):
        if item is None:
            return None
        if isinstance(item, (bool, str)):
            return item
        if isinstance(item, int):
            return canonical.integer(item)
        if isinstance(item, float):
            return canonical.double(item)
        if isinstance(item, bytes):
            documents = canonical.json_bytes(item) if item is self.archive.root else []
            return {"json": documents[0]} if documents else canonical.binary(item)
        if not isinstance(item, dict):
            raise NotDecodable(type(item).__name__)
        if any(item is outer for outer in self.open):
            raise NotDecodable("a ring of objects")
        self.open.append(item)
        try:
            return self.object(item)
        finally:
            self.open.pop()

    def object(self, item):
        archive = self.archive
        name = archive.class_name(item)
        if name is None:
            raise NotDecodable("an object without class")
        name = name.replace("NSMutable", "NS")
        if name == "NSString":
            return archive.text(item)
        if name == "NSData":
            return self.value_of_data(item)
        if name in ("NSArray", "NSOrderedSet"):
            return {"array": [self.value(member) for member in archive.items(item)]}
        if name == "NSSet":
            return {"set": sorted(map(self.value, archive.items(item)), key=canonical.sort_key)}
        if name == "NSDictionary":
            pairs = [[self.value(key), self.value(value)] for key, value in archive.pairs(item)]
            return {"dictionary": sorted(pairs, key=canonical.sort_key)}
        return self.small(name, item)

    def value_of_data(self, item):
        data = self.archive.resolve(item["NS.data"])
        documents = canonical.json_bytes(data) if item is self.archive.root else []
        return {"json": documents[0]} if documents else canonical.binary(data)

    def small(self, name, item):
        archive = self.archive
        if name == "NSDate":
            return canonical.date(item["NS.time"])
        if name == "NSUUID":
            return {"uuid": str(uuid.UUID(bytes=archive.resolve(item["NS.uuidbytes"])))}
        if name == "NSURL":
            base = archive.get(item, "NS.base")
            if base is not None:
                raise NotDecodable("a URL with a base")
            return canonical.uri(archive.text(item["NS.relative"]))
        if name == "NSNull":
            return {"null": True}
        if name in ("NSDecimalNumber", "NSDecimalNumberPlaceholder"):
            return _decimal(archive, item)
        raise NotDecodable(name)
