public import ObjectQuery

/// A Codable type with a primary key, whose values are rows of an encrypted store.
///
///     struct Book: Record {
///       static var primaryKey: KeyPath<Book, String> { \.isbn }
///       var isbn: String
///       var title: String
///       var pages = 0
///     }
///
/// Each coded property is a column: plain types and raw values are stored as such, any other
/// Codable type as JSON that predicates can look into. The primary key of an `Identifiable` type is
/// `id` by default.
public protocol Record: Codable, Sendable, QueryableModel {
  /// The type of the primary key: text, a number, a UUID, a date, a URL, bytes, or an enumeration
  /// with a plain raw value.
  associatedtype Key: Codable & Hashable & Sendable
  /// Identifies a value: `push` inserts a new key and updates a stored one.
  static var primaryKey: KeyPath<Self, Key> { get }
  /// The name of the table, which is the entity's name in the store; the type's name by default.
  static var tableName: String { get }
  /// The former name of a renamed table; nil by default.
  static var originalTableName: String? { get }
  /// Options of single columns: defaults of added ones, former names of renamed ones, indexes. None
  /// by default.
  static var columns: [RecordColumn<Self>] { get }
}

extension Record {
  /// The type's name.
  public static var tableName: String { String(describing: Self.self) }
  /// None.
  public static var originalTableName: String? { nil }
  /// None.
  public static var columns: [RecordColumn<Self>] { [] }
  /// None; `propertyName(of:)` finds them.
  public static var propertyNames: [AnyKeyPath: String] { [:] }
  /// The coded name of the stored property that a key path reads, found by evaluating it on sample
  /// values; nil when it reads none.
  public static func propertyName(of keyPath: AnyKeyPath) -> String? {
    try? CodableSchema.of(Self.self).name(of: keyPath)
  }
}

extension Record where Self: Identifiable, Key == ID {
  /// `\.id`.
  public static var primaryKey: KeyPath<Self, ID> { \.id }
}
