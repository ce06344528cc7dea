package import ObjectModel

/// Values that are equal where SQL groups them together: strings by their bytes, though Swift finds
/// composed and decomposed letters equal; integers and floating-point numbers by value.
package struct ExactValues: Hashable {
  package let values: [AttributeValue]

  package init(_ values: [AttributeValue]) { self.values = values }

  package static func == (left: ExactValues, right: ExactValues) -> Bool {
    left.values.elementsEqual(right.values) { a, b in
      switch (a, b) {
      case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
      case (.integer(let whole), .double(let floating)), (.double(let floating), .integer(let whole)):
        Int64(exactly: floating) == whole
      default: a == b
      }
    }
  }

  /// Equal values have equal hashes; strings that are equal only in Swift may share one.
  package func hash(into hasher: inout Hasher) {
    for value in values {
      if case .double(let floating) = value, let whole = Int64(exactly: floating) {
        hasher.combine(AttributeValue.integer(whole))
      } else {
        hasher.combine(value)
      }
    }
  }
}
