import ObjectModel
import ObjectQuery

/// Where the value of a statement's parameter comes from: a constant of the request that is executed.
struct Binding: Sendable {
  enum Source: Sendable {
    case constant(Int)
    /// One of a list.
    case element(Int, Int)
    /// A whole list, as one parameter.
    case integers(Int)
  }

  let source: Source
  /// What the value stands beside; nil for the object itself.
  let field: StoredField?

  /// Nil when SQL would not compare the value as memory does; another value of the shape might.
  func value(_ constants: [FetchExpression]) -> SQLValue? {
    switch source {
    case .constant(let index): return constants[index].constant.flatMap { SQLValue($0, comparedWith: field) }
    case .element(let index, let position):
      guard case .list(let list) = constants[index] else { return nil }
      return list[position].constant.flatMap { SQLValue($0, comparedWith: field) }
    case .integers(let index):
      guard case .list(let list) = constants[index] else { return nil }
      return .integers(
        list.compactMap { element in
          switch element {
          case .value(.integer(let number)), .value(.reference(let number)): number
          default: nil
          }
        })
    }
  }
}

extension FetchExpression {
  var constant: AttributeValue? {
    if case .value(let value) = self { value } else { nil }
  }
}
