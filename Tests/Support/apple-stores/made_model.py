"""Models made by hand for test stores, and their archives."""

from archive_writer import Boxed, Made, archive, array, dictionary

NUMBERS = {
    "integer16": 100, "integer32": 200, "integer64": 300, "decimal": 400, "double": 500, "float": 600,
    "string": 700, "boolean": 800, "date": 900, "binary": 1000, "uuid": 1100, "uri": 1200,
    "transformable": 1800, "composite": 2100,
}
CLASSES = {
    "decimal": "NSDecimalNumber", "string": "NSString", "date": "NSDate", "binary": "NSData",
    "uuid": "NSUUID", "uri": "NSURL", "composite": "NSDictionary",
}
MORE_FLAGS = 0xF1


class Field:
    """An attribute, a relationship or a fetched property of a made entity."""

    def __init__(self, name, kind, **more):
        self.name, self.kind = name, kind
        self.optional = more.get("optional", True)
        self.transient = more.get("transient", False)
        self.external = more.get("external", False)
        self.elements = more.get("elements", [])
        self.derivation = more.get("derivation")
        self.content = more.get("content")  # what kind of transformable
        self.cases = more.get("cases")  # the cases without payload of an enum's composite
        self.default = more.get("default")
        self.renaming = more.get("renaming", name)
        self.destination = more.get("destination")
        self.inverse = more.get("inverse")
        self.ordered = more.get("ordered", False)
        self.to_many = kind == "many"

    @property
    def is_relationship(self):
        return self.kind in ("one", "many")


class Kind:
    """A made entity."""

    def __init__(self, name, fields, parent=None, abstract=False, renaming=None, unique=()):
        self.name, self.fields, self.parent, self.abstract = name, fields, parent, abstract
        self.renaming = renaming or name
        self.unique = list(unique)
        self.children = []
        if parent:
            parent.children.append(self)

    @property
    def root(self):
        return self.parent.root if self.parent else self

    @property
    def family(self):
        return [self] + [item for child in self.children for item in child.family]

    @property
    def all(self):
        return (self.parent.all if self.parent else []) + self.fields

    def is_kind_of(self, name):
        return self.name == name or (self.parent is not None and self.parent.is_kind_of(name))


def attributes():
    """An attribute of every type, and of every way to keep one."""
    street = [Field("street", "string"), Field("zip", "integer32")]
    nested = [Field("latitude", "double"), Field("longitude", "double"),
              Field("address", "composite", elements=street)]
    enum = [Field("none", "string"), Field("after", "composite", elements=[Field("_0", "integer64")]),
            Field("custom", "composite", elements=[Field("_0", "string"), Field("since", "date")])]
    coded = [Field("arguments", "binary", content="json"), Field("key", "string")]
    return [
        Field("small", "integer16"), Field("middle", "integer32"), Field("large", "integer64"),
        Field("serial", "integer64", optional=False), Field("amount", "decimal"), Field("exact", "double"),
        Field("rough", "float"), Field("text", "string"), Field("name", "string", optional=False),
        Field("flag", "boolean", optional=False, default=Boxed(False)), Field("moment", "date"),
        Field("bytes", "binary"), Field("scan", "binary", external=True), Field("ident", "uuid"),
        Field("link", "uri"), Field("_hidden", "string"), Field("memory", "string", transient=True),
        Field("list", "transformable", content="array"),
        Field("facts", "transformable", content="dictionary"),
        Field("shade", "transformable", content="unknown"), Field("own", "transformable", content="opaque"),
        Field("portrait", "transformable", content="unknown", external=True),
        Field("names", "transformable", content="jsonarray"),
        Field("single", "transformable", content="single"),
        Field("place", "composite", elements=nested), Field("home", "composite", elements=nested),
        Field("policy", "composite", elements=enum, cases=["none"]),
        Field("title", "composite", elements=coded),
        Field("loudName", "string", derivation=("call", "uppercase:", "name")),
    ]


def full_model(renamed=False, self_table="first"):
    """Every kind of relationship and of inheritance that stores are known to have."""
    account = Kind("Account", attributes() + [
        Field("pass", "one", destination="Passport", inverse="holder"),
        Field("watched", "many", destination="Folder"),
        Field("queue", "many", destination="Line", ordered=True),
        Field("trusts", "many", destination="Account", inverse="trustedBy"),
        Field("trustedBy", "many", destination="Account", inverse="trusts"),
        Field("latest", "fetched"),
    ], unique=[["serial"], ["name", "serial"]])
    animal = Kind("Animal", [
        Field("name", "string", default="nobody"), Field("keeper", "one", destination="Account"),
        Field("lines", "many", destination="Line", inverse="subject")], abstract=True)
    kind = "Feline" if renamed else "Cat"
    cat = Kind(kind, [Field("label", "string"), Field("lives", "integer16", default=Boxed(9))], animal,
               renaming="Cat")
    dog = Kind("Dog", [Field("label", "string"), Field("barks", "boolean", default=Boxed(True))], animal)
    puppy = Kind("Puppy", [Field("weeks", "integer16"), Field("mother", "one", destination="Dog",
                                                              inverse="litter")], dog)
    dog.fields.append(Field("litter", "many", destination="Puppy", inverse="mother"))
    folder = Kind("Folder", [
        Field("title", "string"),
        Field("parent", "one", destination="Folder", inverse="children"),
        Field("children", "many", destination="Folder", inverse="parent", ordered=True),
        Field("favorites", "many", destination="Folder", inverse="favoriteOf", ordered=True),
        Field("favoriteOf", "many", destination="Folder", inverse="favorites"),
        Field("peers", "many", destination="Folder", inverse="peers"),
        Field("tags", "many", destination="Tag", inverse="folders", ordered=True),
        Field("marks", "many", destination="Tag", inverse="markedFolders"),
    ])
    line = Kind("Line", [
        Field("count", "integer32", optional=False), Field("price", "double"),
        Field("order", "one", destination="Order", inverse="lines"),
        Field("subject", "one", destination="Animal", inverse="lines")])
    order = Kind("Order", [
        Field("placed", "date"), Field("lines", "many", destination="Line", inverse="order"),
        Field("lineCount", "integer64", derivation=("call", "count:", "lines")),
        Field("total", "integer64", derivation=("path", "lines.@sum.count"))])
    passport = Kind("Passport", [
        Field("number", "string"), Field("holder", "one", destination="Account", inverse="pass")])
    tag = Kind("Tag", [
        Field("word", "string"),
        Field("folders", "many", destination="Folder", inverse="tags", ordered=True),
        Field("markedFolders", "many", destination="Folder", inverse="marks")])
    return [account, animal, cat, dog, puppy, folder, line, order, passport, tag]


def path_expression(path):
    specifier = Made("NSKeyPathSpecifierExpression", NSExpressionType=10, NSKeyPath=path)
    return Made("NSKeyPathExpression", NSExpressionType=3, NSSelectorName="valueForKeyPath:",
                NSOperand=Made("NSSelfExpression", NSExpressionType=1),
                NSArguments=array([specifier], "NSMutableArray"))


def derivation_expression(derivation):
    if derivation[0] == "path":
        return path_expression(derivation[1])
    utilities = Made("NSConstantValueExpression", NSExpressionType=0,
                     NSConstantValueClassName="_NSPredicateUtilities")
    return Made("NSFunctionExpression", NSExpressionType=4, NSSelectorName=derivation[1], NSOperand=utilities,
                NSArguments=array([path_expression(derivation[2])]))


class ModelArchive:
    """Makes the archive of a model."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.model = Made("NSManagedObjectModel")
        self.made = {kind.name: Made("NSEntityDescription") for kind in kinds}
        self.fields = {}

    def data(self):
        for kind in self.kinds:
            for field in kind.fields:
                self.fields[(kind.name, field.name)] = Made(self.class_of(field))
        for kind in self.kinds:
            for field in kind.fields:
                self.fill(self.fields[(kind.name, field.name)], kind, field)
            self.fill_entity(kind)
        names = [kind.name for kind in self.kinds]
        token = "__empty_slot_token_4c24_98dc_ac1e_b773__"
        strategy = Made("NSKnownKeysMappingStrategy1", keys=array(names), length=len(names), version=1)
        entities = Made("NSKnownKeysDictionary1", searchMapping=strategy, emptyToken=token, version=1,
                        values=array([self.made[name] for name in names]))
        everything = Made("NSSet", **{"NS.objects": list(self.made.values())})
        self.model.keys = {
            "NSEntities": entities, "NSFetchRequestTemplates": None,
            "NSVersionIdentifiers": Made("NSSet", **{"NS.objects": ["1.0.0"]}),
            "NSConfigurations": dictionary([("default", everything)])}
        return archive(self.model)

    def fill_entity(self, kind):
        made = self.made[kind.name]
        chain, above = [], kind
        while above:
            chain.insert(0, above)
            above = above.parent
        properties = [(field.name, self.fields[(owner.name, field.name)])
                      for owner in chain for field in owner.fields]
        made.keys = {
            "NSEntityName": kind.name, "NSClassNameForEntity": None, "NSManagedObjectModel": self.model,
            "NSSuperentity": self.made[kind.parent.name] if kind.parent else None,
            "NSSubentities": dictionary([(child.name, self.made[child.name]) for child in kind.children]),
            "NSProperties": dictionary(properties), "NSRenamingIdentifier": kind.renaming,
            "NSVersionHashModifier": None, "NSUserInfo": dictionary([], "NSDictionary")}
        if kind.abstract:
            made.keys["NSIsAbstract"] = True
        if kind.unique:
            made.keys["NSUniqueTuples"] = array(
                [array(group, "NSMutableArray") for group in kind.unique], "NSMutableArray")

    @staticmethod
    def class_of(field):
        if field.is_relationship:
            return "NSRelationshipDescription"
        if field.kind == "fetched":
            return "NSFetchedPropertyDescription"
        if field.derivation:
            return "NSDerivedAttributeDescription"
        return "NSCompositeAttributeDescription" if field.kind == "composite" else "NSAttributeDescription"

    def fill(self, made, kind, field):
        fetched, derived = field.kind == "fetched", field.derivation is not None
        flags = MORE_FLAGS | (2 if field.optional else 0) | (0x400 if field.ordered else 0)
        flags |= (8 if field.transient or fetched else 0) | (4 if fetched or derived else 0)
        made.keys = {"_P": flags, "NSPropertyName": field.name, "NSRenamingIdentifier": field.renaming,
                     "NSEntity": self.made[kind.name]}
        if field.optional:
            made.keys["NSIsOptional"] = True
        if field.transient or fetched:
            made.keys["NSIsTransient"] = True
        if fetched or derived:
            made.keys["NSIsReadOnly"] = True
        if field.is_relationship:
            self.fill_relationship(made, field)
        elif fetched:
            request = Made("NSFetchRequest", NSEntity=self.made[kind.name], NSPredicate=None,
                           NSHasFetchRequestFlags=True, NSFetchRequestFlags=30, NSFetchLimit=3)
            made.keys.update({"NSFetchRequest": request, "_NSFetchRequestEntityName": kind.name})
        else:
            self.fill_attribute(made, kind, field)

    def fill_relationship(self, made, field):
        inverse = None
        if field.inverse:
            inverse = next(item for (entity, name), item in self.fields.items()
                           if name == field.inverse and self.declares(field.destination, entity))
        made.keys.update({
            "NSDestinationEntity": self.made[field.destination],
            "_NSDestinationEntityName": field.destination,
            "NSInverseRelationship": inverse, "_NSInverseRelationshipName": field.inverse,
            "NSMaxCount": 0 if field.to_many else 1, "NSMinCount": 0, "NSDeleteRule": 1})
        if field.ordered:
            made.keys["NSIsOrdered"] = True

    def declares(self, destination, entity):
        kind = next(kind for kind in self.kinds if kind.name == destination)
        return kind.is_kind_of(entity)

    def fill_attribute(self, made, kind, field):
        secure = field.content in ("array", "dictionary", "jsonarray", "single")
        transformer = "NSSecureUnarchiveFromData" if secure else None
        if field.content == "opaque":
            transformer = "OwnTransformer"
        value_class = CLASSES.get(field.kind, "NSNumber")
        if field.kind == "transformable":
            value_class = "Array<String>" if field.content == "jsonarray" else None
        made.keys.update({
            "NSAttributeType": NUMBERS[field.kind], "NSAttributeValueClassName": value_class,
            "NSDefaultValue": field.default, "NSValueTransformerName": transformer,
            "NSFlagsKey": 4 if field.external else 0})
        if field.cases:
            made.keys["NSUserInfo"] = dictionary(
                [("enum", array(field.cases)), ("EnumType", Boxed(True))], "NSDictionary")
        if field.elements:
            elements = []
            for element in field.elements:
                item = Made(self.class_of(element))
                self.fill(item, kind, element)
                elements.append(item)
            made.keys["NSCompositeElements"] = array(elements, "NSMutableArray")
        if field.derivation:
            made.keys["NSDerivationExpression"] = derivation_expression(field.derivation)
