public import Foundation
public import KeyedArchive

/// An `NSExpression` of an archive, as a tree.
///
/// Models have them in predicates and derived attributes, mapping models as the values of
/// properties.
public indirect enum ArchivedExpression: Sendable, Hashable {
  /// What becomes of two collections.
  public enum SetOperation: String, Sendable, Hashable, CaseIterable {
    /// The elements of either.
    case union
    /// The elements of both.
    case intersect
    /// The elements of the first that the second does not have.
    case minus
  }

  /// A constant; an unknown value stands for the class of its name.
  case constant(FoundationValue)
  /// `SELF`.
  case selfObject
  /// `$name`.
  case variable(String)
  /// A key path, followed from the value of an expression.
  case keyPath(ArchivedExpression, String)
  /// A selector sent to a target with arguments; without a target, a function of Foundation's own,
  /// such as `count:` or `add:to:`.
  case function(ArchivedExpression?, String, [ArchivedExpression])
  /// `{a, b}`.
  case list([ArchivedExpression])
  /// `SUBQUERY(collection, $variable, predicate)`.
  case subquery(ArchivedExpression, String, ArchivedPredicate)
  /// `TERNARY(predicate, a, b)`.
  case conditional(ArchivedPredicate, ArchivedExpression, ArchivedExpression)
  /// `a UNION b`.
  case setOperation(SetOperation, ArchivedExpression, ArchivedExpression)
  /// `FIRST`, `LAST` or `SIZE`, where an index is expected.
  case symbol(String)
  /// `FETCH(request, context, countOnly)`.
  case fetchRequest(ArchivedExpression, ArchivedExpression, Bool)
  /// An expression of a class that has no case here, by the name of the class.
  case unknown(String)

  /// Reads an expression of an archive.
  ///
  /// - Throws: `KeyedArchiveError` when it is none, lacks a part, contains itself, or is nested too
  ///   deeply.
  public init(_ value: ArchivedValue) throws(KeyedArchiveError) {
    var reader = ExpressionReader()
    self = try reader.expression(value)
  }

  /// Reads an archive whose root is an expression, as mapping models have them.
  ///
  /// - Throws: as `init(_:)` does, and when the bytes are no archive.
  public init(archive data: Data) throws(KeyedArchiveError) {
    try self.init(try KeyedArchive(data).root)
  }
}
