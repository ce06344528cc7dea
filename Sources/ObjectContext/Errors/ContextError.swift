public import Foundation
public import ObjectModel
public import StoreContract

/// Why a context, an object or a container could not do what it was asked.
public struct ContextError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The entity has no property of that name, or the model no such entity.
    public static let unknownKey = Code(description: "unknownKey")
    /// A value is not of its attribute's type.
    public static let wrongType = Code(description: "wrongType")
    /// An object's row is no longer in the store.
    public static let objectNotFound = Code(description: "objectNotFound")
    /// The object has no context: that was reset or deallocated.
    public static let noContext = Code(description: "noContext")
    /// No transformer is registered under the name that the model has for an attribute.
    public static let noTransformer = Code(description: "noTransformer")
    /// The store computes the attribute; it cannot be set.
    public static let derivedAttribute = Code(description: "derivedAttribute")
    /// An object of another context or store was given.
    public static let objectOfAnotherContext = Code(description: "objectOfAnotherContext")
    /// The object, or the value that is to be written past it, has changes that are not saved.
    public static let unsaved = Code(description: "unsaved")
    /// Objects to be saved break rules of the model; see `failures`.
    public static let validation = Code(description: "validation")
    /// No store is loaded, or the kind of store is not registered.
    public static let noStore = Code(description: "noStore")
    /// The configurations of two stores have an entity in common, or a relationship crosses from
    /// one to the other.
    public static let configuration = Code(description: "configuration")
    /// Some stores of a save were committed and others not.
    ///
    /// Changes of the objects of `savedStores` are saved, and the others are still unsaved in the context.
    public static let partiallySaved = Code(description: "partiallySaved")
    /// Rows were changed or deleted elsewhere since they were read; see `conflicts`.
    public static let conflict = Code(description: "conflict")
    /// Objects have the same values where a uniqueness constraint forbids it; see `conflicts`.
    public static let notUnique = Code(description: "notUnique")
    /// There is no such place in an ordered relationship.
    public static let wrongIndex = Code(description: "wrongIndex")
    /// The relationship has no order.
    public static let notOrdered = Code(description: "notOrdered")
    /// The entity is abstract: only its subentities have objects.
    public static let abstractEntity = Code(description: "abstractEntity")
  }

  /// One rule that one object breaks.
  public struct Failure: Sendable, CustomStringConvertible {
    /// The object.
    public let objectID: ManagedObjectID
    /// The property; nil when the object as a whole is refused.
    public let property: String?
    /// The rule, with its bound.
    public let rule: ValidationRule
    /// The value that was refused, for the form it came from; nil where the rule is about no single
    /// value, as one about the number of objects is.
    ///
    /// It is the user's: the text of this failure and of its error leave it out, and so should
    /// logs.
    public let value: AttributeValue?
    /// What an overridden validation threw.
    public let cause: (any Error)?

    /// The rule in words, with its bound, which is the model's.
    ///
    /// Holds no value.
    public var message: String { rule.description }
    /// Entity, property, rule and bound.
    ///
    /// Holds no value.
    public var description: String { "\(objectID.entity.name)\(property.map { "." + $0 } ?? ""): \(rule)" }
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do.
  ///
  /// Never holds a stored value.
  public let message: String
  /// Every broken rule, for `validation`.
  public let failures: [Failure]
  /// Every object that stands against the store or another object, for `conflict` and `notUnique`.
  public let conflicts: [MergeConflict]
  /// The stores that were saved, for `partiallySaved`.
  public let savedStores: Set<UUID>
  /// The error underneath.
  public let cause: (any Error)?
  /// Where it was thrown.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  init(
    _ code: Code, _ message: String, failures: [Failure] = [], conflicts: [MergeConflict] = [],
    savedStores: Set<UUID> = [], cause: (any Error)? = nil, fileID: String = #fileID,
    line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.failures = failures
    self.conflicts = conflicts
    self.savedStores = savedStores
    self.cause = cause
    self.fileID = fileID
    self.line = line
  }

  /// Code, message and the first failures or conflicts.
  public var description: String {
    let parts = failures.map(\.description) + conflicts.map(\.description)
    let shown = parts.prefix(10).joined(separator: "; ")
    return "\(code): \(message)" + (shown.isEmpty ? "" : " (\(shown))")
  }
}

extension ContextError: LocalizedError {
  /// As `description`.
  public var errorDescription: String? { description }
}

extension ContextError {
  /// The class of a store's type was not named.
  static func noStoreType(_ type: String) -> ContextError {
    ContextError(
      .noStore,
      "no store of type \(type) is registered; call PersistentStoreCoordinator.registerStoreClass with its"
        + " class first, for a server's PostgresStore.self of StrongroomPostgres")
  }
}
