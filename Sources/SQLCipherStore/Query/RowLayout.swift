import ObjectModel

/// How the columns of an enumeration are packed into a row.
struct RowLayout: Sendable {
  let names: [String]
  let types: [AttributeType]
  let kinds: [SelectPlan.Kind]

  /// Nil where an integer sum may overflow, since a column has one type.
  init?(_ columns: [DictionaryColumn]) {
    if columns.contains(where: \.mayOverflow) { return nil }
    names = columns.map(\.name)
    types = columns.map { $0.isReference ? .objectID : $0.type }
    kinds = types.map { SelectPlan.Kind(column: $0) }
  }
}

extension SelectPlan.Kind {
  init(column type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .objectID: self = .integer
    case .double, .float, .date: self = .double
    case .string, .uri, .composite, .undefined: self = .text
    case .uuid, .decimal, .binary, .transformable: self = .blob
    }
  }
}
