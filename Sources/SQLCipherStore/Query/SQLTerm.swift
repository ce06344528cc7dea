import ObjectModel
import ObjectQuery

/// A value in SQL: a constant that is still to be bound, or an expression.
enum SQLTerm {
  case constant(AttributeValue, Binding.Source)
  case expression(String, SQLKind)
  /// A column at the end of a path; the alias is of a join.
  case column(String, SQLKind, alias: String, StoredField?)

  var kind: SQLKind {
    switch self {
    case .constant(let value, _): SQLKind(value)
    case .expression(_, let kind), .column(_, let kind, _, _): kind
    }
  }

  /// Whether it is a constant, and not null.
  var isValue: Bool {
    if case .constant(let value, _) = self { !value.isNull } else { false }
  }

  /// The attribute whose column it is.
  var attribute: AttributeDescription? {
    if case .column(_, _, _, .attribute(let attribute)?) = self { attribute } else { nil }
  }

  var constant: AttributeValue? {
    if case .constant(let value, _) = self { value } else { nil }
  }
}
