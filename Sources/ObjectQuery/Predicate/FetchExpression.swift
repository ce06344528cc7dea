public import ObjectModel

/// One side of a comparison, or a part of it.
///
/// As `NSExpression`.
public indirect enum FetchExpression: Sendable, Hashable, Codable {
  /// A constant.
  case value(AttributeValue)
  /// Properties to follow. Core Data's collection operators may stand in it: `books.@count`,
  /// `books.@sum.pages`.
  case keyPath([String])
  /// Several expressions, for BETWEEN and IN.
  case list([FetchExpression])
  /// The object that the predicate is evaluated on, inside a subquery too.
  case selfObject
  /// A value given later, or an element of the subquery around it; a key path may follow the name.
  case variable(String)
  /// A function of other expressions; null where an argument is null or not of its kind.
  case function(FetchFunction, [FetchExpression])
  /// A number of values in one.
  case aggregate(FetchAggregate, FetchExpression)
  /// The elements of a collection that meet a predicate.
  case subquery(FetchSubquery)
  /// One of two expressions, by a predicate.
  case conditional(FetchPredicate, FetchExpression, FetchExpression)
  /// One element of a collection, and the properties to follow from it. Null where there is no
  /// element of that index.
  case element(FetchExpression, CollectionIndex, [String])

  /// Properties to follow, in dotted form.
  public static func path(_ dotted: String) -> FetchExpression {
    .keyPath(dotted.keyPathNames())
  }
}

/// The elements of a collection that meet a condition: `SUBQUERY(books, $b, $b.pages > 300)`.
public struct FetchSubquery: Sendable, Hashable, Codable {
  /// A key path over a to-many, from the object or from the element of a subquery around this one.
  public var collection: FetchExpression
  /// The name of the element in the condition, without `$`.
  public var variable: String
  /// The condition.
  ///
  /// Key paths in it begin at the object, `$variable.name` at the element.
  public var predicate: FetchPredicate
  /// The properties to follow from the elements found.
  public var keyPath: [String]

  /// Makes a subquery.
  public init(
    _ collection: FetchExpression, _ variable: String, where predicate: FetchPredicate, keyPath: [String] = []
  ) {
    self.collection = collection
    self.variable = variable
    self.predicate = predicate
    self.keyPath = keyPath
  }
}

/// An index of a collection: `chapters[FIRST]`.
///
/// Collections without an order are in the order of insertion.
public enum CollectionIndex: Sendable, Hashable, Codable {
  /// The first.
  case first
  /// The last.
  case last
  /// A number, from 0.
  case at(Int)
}

/// A function over several values.
public enum FetchAggregate: String, Sendable, Hashable, Codable, CaseIterable {
  /// How many there are. A column of a dictionary result counts those that are not null, as SQL
  /// does.
  case count
  /// The sum of those that are not null; 0 of none. Whole numbers that would overflow become
  /// floating.
  case sum
  /// The mean of those that are not null; null of none.
  case average
  /// The least that is not null.
  case min
  /// The greatest that is not null.
  case max
  /// The middle of those that are not null in their order, or the mean of the two in the middle.
  case median
}
