package import ObjectModel

/// Values that are the same only bit for bit, as SQL groups them: to Swift a letter with its mark is the same composed and
/// decomposed.
package struct ExactValues: Hashable {
  package let values: [AttributeValue]

  package init(_ values: [AttributeValue]) { self.values = values }

  package static func == (left: ExactValues, right: ExactValues) -> Bool {
    left.values.elementsEqual(right.values) { a, b in
      if case .string(let a) = a, case .string(let b) = b { return a.utf8.elementsEqual(b.utf8) }
      return a == b
    }
  }

  /// Equal texts have equal hashes; those that only look equal may share one.
  package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
