import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery

/// Where the value of a statement's parameter comes from: a constant of the request that is
/// executed.
struct Binding: Sendable {
  enum Source: Sendable {
    case constant(Int)
    /// One of a list.
    case element(Int, Int)
    /// A whole list of whole numbers or objects, as one parameter.
    case integers(Int, SQLKind)
    /// Those of a list that are of a kind, as one parameter.
    case list(Int, SQLKind)
    /// The same in every request of the shape.
    case fixed(AttributeValue)
  }

  /// What a constant becomes on its way.
  enum Conversion: Sendable {
    case none
    /// A whole number beside decimals.
    case decimal
    case folded(ComparisonOptions)
    /// A search as the index wants it.
    case search
    /// Whether the index finds too much of it.
    case searchCheck
  }

  let source: Source
  var conversion = Conversion.none

  func value(_ constants: [FetchExpression]) -> SQLValue {
    switch source {
    case .constant(let index): return .plain(convert(constants[index].constant ?? .null))
    case .element(let index, let place): return .plain(convert(list(constants[index])[place]))
    case .fixed(let value): return .plain(convert(value))
    case .integers(let index, let kind):
      return .integers(
        list(constants[index]).compactMap { element in
          switch (kind, element) {
          case (.number, .integer(let number)), (.object, .reference(let number)): number
          default: nil
          }
        })
    case .list(let index, let kind):
      return .list(
        list(constants[index]).compactMap { SQLKind($0).isBeside(kind) ? convert($0) : nil })
    }
  }

  private func list(_ constant: FetchExpression) -> [AttributeValue] {
    if case .list(let list) = constant { list.map { $0.constant ?? .null } } else { [] }
  }

  private func convert(_ value: AttributeValue) -> FunctionResult {
    switch (conversion, value) {
    case (.decimal, .integer(let integer)): FunctionResult(.decimal(Decimal(integer)))
    case (.decimal, .boolean(let flag)): FunctionResult(.decimal(flag ? 1 : 0))
    case (.search, .string(let text)): .text(TextQuery(text).indexText)
    case (.searchCheck, .string(let text)): .integer(TextQuery(text).needsCheck ? 1 : 0)
    case (.folded(let options), .string(let text)): .text(TextFolding.fold(text, options))
    default: FunctionResult(value)
    }
  }
}

extension SQLKind {
  /// Whether a constant of this kind can stand in a list beside values of another.
  func isBeside(_ other: SQLKind) -> Bool { compares(with: other) || other == .decimal && isNumeric }
}

extension FetchExpression {
  var constant: AttributeValue? {
    if case .value(let value) = self { value } else { nil }
  }
}
