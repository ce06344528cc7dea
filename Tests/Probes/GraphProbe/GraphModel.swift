import Strongroom

/// The types of fields, by the names that attributes have for them.
enum FieldType: String, Sendable {
  case integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary, uuid, uri
}

/// An attribute, in plain words.
struct Field: Sendable {
  let name: String
  let type: FieldType
  var isOptional = true
  var isUnique = false
  /// Long values lie apart from the row, and are read only when asked for.
  var isExternal = false
  var initial = Value.null

  init(
    _ name: String, _ type: FieldType, required: Bool = false, unique: Bool = false, external: Bool = false,
    initial: Value = .null
  ) {
    self.name = name
    self.type = type
    isOptional = !required
    isUnique = unique
    isExternal = external
    self.initial = initial
  }
}

/// What becomes of the other end when an object is deleted.
enum Rule: Sendable { case nullify, cascade, deny }

/// A relationship, in plain words.
struct Link: Sendable {
  let name: String
  let destination: String
  let inverse: String?
  let isToMany: Bool
  var isOrdered = false
  var isOptional = true
  var rule = Rule.nullify
  /// The kind it leads to, and the place of the inverse among that kind's links.
  var kind = 0
  var back: Int?
  var isOwnInverse = false

  init(to destination: String, _ name: String, back: String?, required: Bool = false, rule: Rule = .nullify) {
    (self.name, self.destination, inverse, isToMany) = (name, destination, back, false)
    isOptional = !required
    self.rule = rule
  }

  init(
    toMany destination: String, _ name: String, back: String?, ordered: Bool = false, rule: Rule = .nullify
  ) {
    (self.name, self.destination, inverse, isToMany) = (name, destination, back, true)
    isOrdered = ordered
    self.rule = rule
  }
}

/// An entity, in plain words.
struct Kind: Sendable {
  let name: String
  let parent: String?
  var fields: [Field]
  var links: [Link]
  /// The kinds that are this one or inherit from it.
  var family: Set<Int> = []
  /// How often it is made, beside the others.
  let weight: Int

  init(_ name: String, parent: String? = nil, weight: Int = 1, _ fields: [Field], _ links: [Link]) {
    self.name = name
    self.parent = parent
    self.weight = weight
    self.fields = fields
    self.links = links
  }
}

/// The model of the walk: every form of relationship and every delete rule.
enum GraphModel {
  /// The attribute that tells an object's handle.
  static let handle = "handle"
  /// An attribute that is never stored.
  static let mood = "mood"
  /// An attribute that the store computes: how many a link leads to.
  static let count = "count"
  /// The links that are counted, by the kind that counts them.
  static let counted = ["Group": "members", "Address": "residents"]

  private static let declared = [
    Kind(
      "Person", weight: 4,
      [
        Field(handle, .integer64), Field("name", .string),
        Field("age", .integer32, required: true, initial: .whole(18)), Field("born", .date),
        Field("height", .double), Field("active", .boolean, initial: .flag(true)), Field("key", .uuid),
        Field("page", .uri), Field("portrait", .binary, external: true),
        Field("badge", .string, unique: true),
      ],
      [
        Link(to: "Person", "spouse", back: "spouse"),
        Link(toMany: "Person", "friends", back: "friends"),
        Link(to: "Person", "manager", back: "reports"),
        Link(toMany: "Person", "reports", back: "manager"),
        Link(to: "Address", "home", back: "residents"),
        Link(to: "Address", "office", back: "workers"),
        Link(to: "Desk", "desk", back: "owner", rule: .cascade),
        Link(toMany: "Task", "tasks", back: "owner", ordered: true, rule: .cascade),
        Link(toMany: "Loan", "loans", back: "borrower", rule: .deny),
        Link(toMany: "Label", "labels", back: "people"),
        Link(toMany: "Group", "groups", back: "members", ordered: true),
        Link(toMany: "Shape", "favourites", back: nil, ordered: true),
      ]),
    Kind(
      "Address",
      [Field(handle, .integer64), Field("street", .string, required: true), Field("city", .string)],
      [Link(toMany: "Person", "residents", back: "home"), Link(toMany: "Person", "workers", back: "office")]),
    Kind(
      "Desk", [Field(handle, .integer64), Field("number", .integer16)],
      [Link(to: "Person", "owner", back: "desk")]),
    Kind(
      "Task", weight: 3,
      [
        Field(handle, .integer64), Field("title", .string, required: true), Field("weight", .float),
        Field("scan", .binary, external: true), Field("serial", .string, unique: true),
      ],
      [
        Link(to: "Person", "owner", back: "tasks", required: true),
        Link(toMany: "Step", "steps", back: "task", ordered: true, rule: .cascade),
        Link(to: "Task", "next", back: "previous", rule: .cascade),
        Link(to: "Task", "previous", back: "next"),
      ]),
    Kind(
      "Step", weight: 2, [Field(handle, .integer64), Field("text", .string), Field("minutes", .integer64)],
      [Link(to: "Task", "task", back: "steps")]),
    Kind(
      "Loan",
      [Field(handle, .integer64), Field("amount", .decimal, required: true, initial: .exact(1))],
      [Link(to: "Person", "borrower", back: "loans")]),
    Kind(
      "Label", [Field(handle, .integer64), Field("name", .string), Field("mark", .string, unique: true)],
      [Link(toMany: "Person", "people", back: "labels", ordered: true)]),
    Kind(
      "Group", weight: 2,
      [Field(handle, .integer64), Field("name", .string), Field("sign", .string, unique: true)],
      [Link(toMany: "Person", "members", back: "groups", ordered: true)]),
    Kind(
      "Shape", [Field(handle, .integer64), Field("code", .string, unique: true), Field("colour", .string)],
      [Link(to: "Drawing", "drawing", back: "shapes")]),
    Kind(
      "Circle", parent: "Shape", weight: 2, [Field("radius", .double, required: true, initial: .real(1))],
      [Link(toMany: "Square", "squares", back: "circle", rule: .cascade)]),
    Kind(
      "Square", parent: "Shape", weight: 2, [Field("side", .float), Field("made", .date)],
      [Link(to: "Circle", "circle", back: "squares")]),
    Kind(
      "Drawing", [Field(handle, .integer64), Field("title", .string), Field("plate", .string, unique: true)],
      [
        Link(toMany: "Shape", "shapes", back: "drawing", ordered: true),
        Link(to: "Shape", "cover", back: nil),
      ]),
  ]

  /// Every kind with what it inherits, which comes first, so that a place is the same in the whole
  /// family.
  static let kinds: [Kind] = {
    var result: [Kind] = []
    for var kind in declared {
      if let parent = result.first(where: { $0.name == kind.parent }) {
        kind.fields = parent.fields + kind.fields
        kind.links = parent.links + kind.links
      }
      result.append(kind)
    }
    func place(_ name: String?) -> Int? { result.firstIndex { $0.name == name } }
    for index in result.indices {
      var next: Int? = index
      while let line = next {
        result[line].family.insert(index)
        next = place(result[line].parent)
      }
      for at in result[index].links.indices {
        let link = result[index].links[at]
        guard let destination = place(link.destination) else { continue }
        result[index].links[at].kind = destination
        result[index].links[at].back = result[destination].links.firstIndex { $0.name == link.inverse }
        result[index].links[at].isOwnInverse = link.inverse == link.name && destination == index
      }
    }
    return result
  }()

  /// The kinds that inherit from none.
  static let roots = kinds.filter { $0.parent == nil }.map(\.name)

  /// The same for the store.
  static func make() throws -> ManagedObjectModel {
    try ManagedObjectModel(ModelDeclaration(entities: declared.map(entity)))
  }

  private static func entity(_ kind: Kind) -> Entity {
    Entity(kind.name, parent: kind.parent, userInfo: [EntityDescription.recordsHistoryValuesKey: "YES"]) {
      for field in kind.fields { attribute(field) }
      if kind.parent == nil { Attribute(mood, .string, transient: true) }
      for link in counted.filter({ $0.key == kind.name }).values { attribute(counting: link) }
      for link in kind.links {
        link.isToMany
          ? Relationship(
            link.name, toMany: link.destination, inverse: link.inverse, ordered: link.isOrdered,
            deleteRule: link.rule.stored)
          : Relationship(
            link.name, to: link.destination, inverse: link.inverse, optional: link.isOptional,
            deleteRule: link.rule.stored)
      }
      for field in kind.fields where field.isUnique { UniquenessConstraint(field.name) }
    }
  }
}

extension GraphModel {
  private static func attribute(_ field: Field) -> Attribute {
    var attribute = Attribute(
      field.name, AttributeType(rawValue: field.type.rawValue) ?? .undefined, optional: field.isOptional,
      default: field.initial == .null ? nil : field.initial.stored)
    attribute.allowsExternalBinaryDataStorage = field.isExternal
    return attribute
  }

  private static func attribute(counting link: String) -> Attribute {
    var attribute = Attribute(count, .integer64)
    attribute.derivationExpression = "\(link).@count"
    return attribute
  }
}

extension Rule {
  fileprivate var stored: DeleteRule {
    switch self {
    case .nullify: .nullify
    case .cascade: .cascade
    case .deny: .deny
    }
  }
}

extension Value {
  /// The value as attributes have it.
  var stored: AttributeValue {
    switch self {
    case .null: .null
    case .flag(let flag): .boolean(flag)
    case .whole(let number): .integer(number)
    case .real(let number): .double(number)
    case .moment(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .text(let text): .string(text)
    case .bytes(let bytes): .data(bytes)
    case .identifier(let identifier): .uuid(identifier)
    case .address(let url): .uri(url)
    case .exact(let number): .decimal(number)
    }
  }
}
