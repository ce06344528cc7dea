import ObjectModel
import StoreContract

/// How the server stores the values of a field.
enum ServerType {
  case number, boolean, double, text, uuid, decimal, bytes
  /// Bytes that the server does not understand.
  case sealed

  init(_ field: StoredField) {
    switch field {
    case .toOne: self = .number
    case .attribute(let attribute) where attribute.sealing != nil: self = .sealed
    case .attribute(let attribute):
      switch attribute.type {
      case .integer16, .integer32, .integer64: self = .number
      case .boolean: self = .boolean
      // Dates are seconds since 2001: a timestamp of the server's has microseconds only.
      case .double, .float, .date: self = .double
      case .string, .uri, .objectID, .composite, .undefined: self = .text
      case .uuid: self = .uuid
      case .decimal: self = .decimal
      case .binary, .transformable: self = .bytes
      }
    }
  }

  /// The name of the column's type.
  var name: String {
    switch self {
    case .number: "bigint"
    case .boolean: "boolean"
    case .double: "double precision"
    // Ordered by their bytes, as everywhere else.
    case .text: "text COLLATE \"C\""
    case .uuid: "uuid"
    case .decimal: "numeric"
    case .bytes, .sealed: "bytea"
    }
  }

  /// The name of the type of a parameter with many values: decimals travel as texts.
  var arrayName: String {
    switch self {
    case .decimal, .text: "text[]"
    default: "\(name)[]"
    }
  }

  /// The object identifier of the type of an array's elements (`pg_type.dat` in PostgreSQL's sources).
  var elementIdentifier: UInt32 {
    switch self {
    case .number: 20
    case .boolean: 16
    case .double: 701
    case .text, .decimal: 25
    case .uuid: 2950
    case .bytes, .sealed: 17
    }
  }

  /// A parameter's element as a value of the column's type.
  func cast(_ term: String) -> String { self == .decimal ? "\(term)::numeric" : term }

  /// A parameter as a value of the column's type.
  func parameter(_ number: Int) -> String { self == .decimal ? "$\(number)::text::numeric" : "$\(number)" }

  /// A column as it is read.
  func selection(_ column: String) -> String { self == .decimal ? "\(column)::text" : column }
}
