@_exported public import StrongroomValues

/// Makes a struct a `Record`: names its primary key, and has rows that were stored before a property was added read its default value.
///
/// The key is the property marked `@PrimaryKey`, or `id`. A `var` with a literal, an enumeration's case or a list of such for its default
/// value becomes a `RecordColumn` with that default.
///
///     @Record struct Book {
///       @PrimaryKey var isbn: String
///       @Column(originalName: "name", indexed: true) var title: String
///       var pages = 0
///     }
///
/// - Parameter originalName: What the type was called before; its table is found by that.
@attached(
  extension, conformances: Record, names: named(primaryKey), named(columns), named(originalTableName))
public macro Record(originalName: String? = nil) =
  #externalMacro(module: "StrongroomMacros", type: "RecordMacro")

/// Marks the property of a record that tells one value from another. Its type has to be written.
@attached(peer)
public macro PrimaryKey() = #externalMacro(module: "StrongroomMacros", type: "PropertyMarkerMacro")

/// Says how a property of a record is stored.
///
/// - Parameters:
///   - originalName: the column's name before; its data stays.
///   - indexed: whether the column has an index of its own.
@attached(peer)
public macro Column(originalName: String? = nil, indexed: Bool = false) =
  #externalMacro(module: "StrongroomMacros", type: "PropertyMarkerMacro")
