import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// A value on its way into a statement.
///
/// Always bound, never written into SQL text.
enum SQLValue: Sendable {
  case plain(FunctionResult)
  case integers([Int64])
  case list([FunctionResult])

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .plain(let value): value.bind(to: statement, at: index)
    case .integers(let integers): statement.bind(index, integers: IntegerArray(integers))
    case .list(let list): statement.bind(index, integers: IntegerArray(others: list))
    }
  }
}

extension FunctionResult {
  fileprivate func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .integer(let integer): statement.bind(index, integer)
    case .real(let double): statement.bind(index, double)
    case .text(let text): statement.bind(index, text)
    case .blob(let bytes): bytes.withUnsafeBytes { statement.bind(index, blob: $0, copy: true) }
    case .null, .failure: statement.bindNull(index)
    }
  }
}
