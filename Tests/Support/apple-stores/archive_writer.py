"""Writes keyed archives of hand-made objects."""

import plistlib

CHAINS = {
    "NSMutableArray": ["NSArray"], "NSMutableDictionary": ["NSDictionary"], "NSMutableSet": ["NSSet"],
    "NSMutableString": ["NSString"], "NSMutableData": ["NSData"], "NSDecimalNumber": ["NSNumber", "NSValue"],
    "NSAttributeDescription": ["NSPropertyDescription"],
    "NSCompositeAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
    "NSDerivedAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
    "NSRelationshipDescription": ["NSPropertyDescription"],
    "NSFetchedPropertyDescription": ["NSPropertyDescription"],
    "NSKnownKeysDictionary1": ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"],
    "NSKnownKeysMappingStrategy1": ["NSKnownKeysMappingStrategy"],
    "NSKeyPathSpecifierExpression": ["NSExpression"],
    "NSKeyPathExpression": ["NSFunctionExpression", "NSExpression"],
    "NSSelfExpression": ["NSExpression"], "NSConstantValueExpression": ["NSExpression"],
    "NSFunctionExpression": ["NSExpression"], "NSFetchRequest": ["NSPersistentStoreRequest"],
}


class Made:
    """An object to archive: its class and its keys. Numbers and truth values stay in place."""

    def __init__(self, name, /, **keys):
        self.name = name
        self.keys = keys


class Boxed:
    """A number that is an object of its own, as in arrays and as a default value."""

    def __init__(self, number):
        self.number = number


def array(members, name="NSArray"):
    return Made(name, **{"NS.objects": list(members)})


def dictionary(pairs, name="NSMutableDictionary"):
    pairs = list(pairs)
    return Made(name, **{"NS.keys": [key for key, _ in pairs], "NS.objects": [item for _, item in pairs]})


class Writer:
    def __init__(self):
        self.objects = ["$null"]
        self.made, self.kept, self.texts, self.classes = {}, [], {}, {}

    def data(self, root):
        top = {"root": self.reference(root)}
        plist = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": top, "$objects": self.objects}
        return plistlib.dumps(plist, fmt=plistlib.FMT_BINARY, sort_keys=False)

    def add(self, item):
        self.objects.append(item)
        return plistlib.UID(len(self.objects) - 1)

    def reference(self, item):
        if item is None:
            return plistlib.UID(0)
        if isinstance(item, str):
            if item not in self.texts:
                self.texts[item] = self.add(item)
            return self.texts[item]
        if isinstance(item, Boxed):
            return self.add(item.number)
        if isinstance(item, bytes):
            return self.add(item)
        if id(item) in self.made:
            return self.made[id(item)]
        place = self.made[id(item)] = self.add(None)
        self.kept.append(item)
        keys = {key: self.inner(value) for key, value in item.keys.items()}
        keys["$class"] = self.class_of(item.name)
        self.objects[place.data] = keys
        return place

    def inner(self, value):
        if isinstance(value, list):
            return [self.reference(member) for member in value]
        if isinstance(value, (bool, int, float)):
            return value
        return self.reference(value)

    def class_of(self, name):
        if name not in self.classes:
            chain = [name] + CHAINS.get(name, []) + ["NSObject"]
            self.classes[name] = self.add({"$classname": name, "$classes": chain})
        return self.classes[name]


def archive(root):
    return Writer().data(root)
