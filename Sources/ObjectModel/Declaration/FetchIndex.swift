/// One element of a fetch index: a property or an expression.
public struct FetchIndexElement: Sendable, Hashable, Codable {
  /// The property; nil for an expression.
  public var propertyName: String?
  /// The expression; nil for a property.
  public var expression: String?
  /// The direction.
  public var isAscending: Bool
  /// Whether the index is an R-tree rather than a B-tree: of up to five attributes that are numbers
  /// or dates, for ranges in several of them at once.
  public var isRTree: Bool
  /// Whether the index is of the words of texts rather than a B-tree.
  public var isFullText: Bool {
    get { fullText == true }
    set { fullText = newValue ? true : nil }
  }
  // Absent where it is not so: models in stores were written before it was there.
  private var fullText: Bool?
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String]?

  /// An element over a property.
  public init(_ propertyName: String, ascending: Bool = true, rTree: Bool = false, fullText: Bool = false) {
    self.propertyName = propertyName
    isAscending = ascending
    isRTree = rTree
    isFullText = fullText
  }
}

/// One index as a model declares it.
public struct FetchIndex: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// What is indexed, in order.
  public var elements: [FetchIndexElement]
  /// The condition of a partial index, as format text.
  public var partialPredicate: String?
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String]?

  /// Declares an index.
  public init(_ name: String, _ elements: [FetchIndexElement], where partialPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }

  /// Declares an index of the words of texts, for SEARCH.
  public static func fullText(_ name: String, on attributeNames: String...) -> FetchIndex {
    FetchIndex(name, attributeNames.map { FetchIndexElement($0, fullText: true) })
  }

  /// Declares an index for ranges in up to five attributes at once, which are numbers or dates.
  public static func rTree(_ name: String, on attributeNames: String...) -> FetchIndex {
    FetchIndex(name, attributeNames.map { FetchIndexElement($0, rTree: true) })
  }

  /// Declares an ascending index over properties.
  public init(_ name: String, on propertyNames: String...) {
    self.init(name, propertyNames.map { FetchIndexElement($0) })
  }
}

/// Properties whose values no two objects of an entity may share.
public struct UniquenessConstraint: Sendable, Hashable, Codable {
  /// The attributes or to-ones.
  public var propertyNames: [String]

  /// Declares a constraint over the properties together.
  public init(_ propertyNames: String...) { self.propertyNames = propertyNames }

  /// Declares a constraint over the properties together.
  public init(_ propertyNames: [String]) { self.propertyNames = propertyNames }
}

/// A named fetch request of a model.
public struct FetchRequestTemplate: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// The entity fetched.
  public var entityName: String
  /// The condition, as format text.
  public var predicateString: String?
  /// The greatest number of objects.
  public var fetchLimit: Int?
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String] = [:]

  /// Declares a template.
  public init(_ name: String, entityName: String, predicate: String? = nil, limit: Int? = nil) {
    self.name = name
    self.entityName = entityName
    predicateString = predicate
    fetchLimit = limit
  }
}

/// A property that is fetched by a request each time it is read.
public struct FetchedProperty: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// The request; `$FETCH_SOURCE` in it is the object.
  public var fetchRequest: FetchRequestTemplate
  /// The program's own notes.
  public var userInfo: [String: String] = [:]
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String] = [:]

  /// Declares a fetched property.
  public init(_ name: String, _ fetchRequest: FetchRequestTemplate) {
    self.name = name
    self.fetchRequest = fetchRequest
  }
}
