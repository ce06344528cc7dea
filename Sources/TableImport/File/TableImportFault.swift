/// Something in a table that does not fit the model.
///
/// The rest of the table comes in all the same.
public struct TableImportFault: Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A line that is no row: it is left out.
    case line
    /// A value that cannot be converted to its attribute's type, and is left out, or that loses
    /// something when it is.
    case value
    /// A mandatory value that is null; it stays null.
    case missingValue
    /// A value that breaks a rule of its attribute: a least or greatest value or length, a regular
    /// expression. It stays.
    case brokenRule
    /// A reference to a row that is not there; it is left out.
    case dangling
    /// The same link twice; there is one.
    case repeatedLink
    /// A row that breaks a uniqueness constraint; it is left out.
    case notUnique
  }

  /// What kind of fault it is.
  public let kind: Kind
  /// The table.
  public let table: String
  /// The row's number, which is its object's too; the line's in a text file that is not read yet.
  public let row: Int64?
  /// The column, or the columns of a foreign key.
  public let column: String?
  /// What is wrong, and what became of it; never holds a stored value.
  public let message: String

  init(_ kind: Kind, _ table: String, _ row: Int64?, _ column: String?, _ message: String) {
    self.kind = kind
    self.table = table
    self.row = row
    self.column = column
    self.message = message
  }

  /// Where it is and what it is, in one line.
  public var description: String {
    var position = [table, column].compactMap { $0 }.joined(separator: ".")
    if let row { position += kind == .line ? " line \(row)" : " of row \(row)" }
    return "\(position): \(message)"
  }
}
