/// The models of a fetch, read a batch at a time as they are looked at.
public struct FetchResultsCollection<Element: PersistentModel>: RandomAccessCollection {
  private let objects: [ModelObject]

  init(_ identifiers: [PersistentIdentifier], batchSize: Int, in context: ModelContext) throws {
    var objects: [ModelObject] = []
    objects.reserveCapacity(identifiers.count)
    let size = batchSize > 0 ? batchSize : Swift.max(identifiers.count, 1)
    for start in stride(from: 0, to: identifiers.count, by: size) {
      // Faults of one batch fire together, when the first of them is looked at.
      objects += try context.objects(Array(identifiers[start..<Swift.min(start + size, identifiers.count)]))
    }
    self.objects = objects
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of models.
  public var endIndex: Int { objects.count }
  /// The model at an index.
  public subscript(position: Int) -> Element { objects[position].shown(as: Element.self) }
}
