/// The values that a deleted model left behind: those of its attributes that are
/// `.preserveValueOnDeletion`.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
  private let names: [String]
  private let values: [any Sendable]

  init(_ values: [(name: String, value: any Sendable)]) {
    names = values.map(\.name)
    self.values = values.map(\.value)
  }

  /// The value of an attribute; nil when it was not preserved, or was nil.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    guard let path = ModelSchema.of(Model.self).path(of: keyPath), path.count == 1 else { return nil }
    return names.firstIndex(of: path[0]).map { values[$0] }
  }

  /// Goes through the values, in the order of the class's attributes.
  public func makeIterator() -> Iterator { Iterator(values: values.makeIterator()) }

  /// Goes through the values of a tombstone.
  public struct Iterator: IteratorProtocol {
    fileprivate var values: IndexingIterator<[any Sendable]>

    /// The next value; nil after the last.
    public mutating func next() -> Any? { values.next() }
  }
}
