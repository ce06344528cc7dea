import Glibc
import ObjectModel

/// A primary key as a dictionary's key.
///
/// Strings are compared by their bytes, as in the file, and not by canonical equivalence, as Swift
/// does.
struct RowKey: Hashable {
  /// The stored form.
  let value: AttributeValue

  static func == (left: RowKey, right: RowKey) -> Bool {
    guard case .string(let left) = left.value, case .string(let right) = right.value else {
      return left.value == right.value
    }
    let isEqual = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in
        guard let first = left.baseAddress, let second = right.baseAddress else {
          return left.isEmpty && right.isEmpty
        }
        return left.count == right.count && memcmp(first, second, left.count) == 0
      }
    }
    return (isEqual ?? nil) ?? left.utf8.elementsEqual(right.utf8)
  }

  func hash(into hasher: inout Hasher) {
    guard case .string(let text) = value else { return value.hash(into: &hasher) }
    let wasHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if wasHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }
}
