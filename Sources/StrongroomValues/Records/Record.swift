public import ObjectQuery

/// A plain Swift type whose values are rows of an encrypted store: any Codable type that names its
/// primary key.
///
///     struct Book: Record {
///       static var primaryKey: KeyPath<Book, String> { \.isbn }
///       var isbn: String
///       var title: String
///       var pages = 0
///     }
///
/// Each property that is coded is a column: plain types and raw values as the engine has them,
/// everything else Codable as JSON that conditions look into. A type with `id` (`Identifiable`)
/// needs no primary key beside it.
public protocol Record: Codable, Sendable, QueryableModel {
  /// The type of the primary key: text, a number, a UUID, a date, a URL, bytes, or an enumeration
  /// with a plain raw value.
  associatedtype Key: Codable & Hashable & Sendable
  /// Identifies a value; `push` inserts a new key and updates a known one.
  static var primaryKey: KeyPath<Self, Key> { get }
  /// The table, which is the entity's name in the store; the type's name unless said otherwise.
  static var tableName: String { get }
  /// What the table was called before.
  static var originalTableName: String? { get }
  /// What is to be said of single columns: defaults of new ones, old names of renamed ones,
  /// indexes. None unless said otherwise.
  static var columns: [RecordColumn<Self>] { get }
}

extension Record {
  /// The type's name.
  public static var tableName: String { String(describing: Self.self) }
  /// None.
  public static var originalTableName: String? { nil }
  /// None.
  public static var columns: [RecordColumn<Self>] { [] }
  /// None that is written down; see `propertyName(of:)`.
  public static var propertyNames: [AnyKeyPath: String] { [:] }
  /// The coded name of the stored property that a key path reads, found by asking it; nil when it
  /// reads none.
  public static func propertyName(of keyPath: AnyKeyPath) -> String? {
    try? CodableSchema.of(Self.self).name(of: keyPath)
  }
}

extension Record where Self: Identifiable, Key == ID {
  /// `\.id`.
  public static var primaryKey: KeyPath<Self, ID> { \.id }
}
