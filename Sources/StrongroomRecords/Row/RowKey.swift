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
    return left.utf8.elementsEqual(right.utf8)
  }

  func hash(into hasher: inout Hasher) {
    guard case .string(let text) = value else { return value.hash(into: &hasher) }
    let wasHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if wasHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }
}
