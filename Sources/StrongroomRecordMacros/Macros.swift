@_exported public import StrongroomRecords

/// Makes a struct a `Record`: declares its primary key and the defaults of columns that were added
/// later.
///
/// The key is the property marked `@PrimaryKey`, or `id`. A `var` whose default value is a literal,
/// an enumeration's case or a list of these becomes a `RecordColumn` with that default, so that
/// rows that were stored before have it.
///
///     @Record struct Book {
///       @PrimaryKey var isbn: String
///       @Column(originalName: "name", indexed: true) var title: String
///       var pages = 0
///     }
///
/// - Parameter originalName: The former name of a renamed type, under which its table is stored.
@attached(
  extension, conformances: Record, names: named(primaryKey), named(columns), named(originalTableName))
public macro Record(originalName: String? = nil) =
  #externalMacro(module: "StrongroomMacros", type: "RecordMacro")

/// Marks the property of a record that identifies a value. Requires a written type.
@attached(peer)
public macro PrimaryKey() = #externalMacro(module: "StrongroomMacros", type: "PropertyMarkerMacro")

/// Gives the column of a record's property a former name or an index.
///
/// - Parameters:
///   - originalName: The former name of a renamed column; its data stays.
///   - indexed: Whether the column has an index of its own.
@attached(peer)
public macro Column(originalName: String? = nil, indexed: Bool = false) =
  #externalMacro(module: "StrongroomMacros", type: "PropertyMarkerMacro")
