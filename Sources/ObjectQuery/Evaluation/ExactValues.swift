package import ObjectModel

/// Values that are the same as SQL groups them: texts bit for bit, though to Swift a letter with its mark is the same composed and
/// decomposed, and a whole number and a floating one by their value.
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

  /// Equal values have equal hashes; texts that only look equal may share one.
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
