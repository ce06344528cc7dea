import ObjectModel

/// The objects of a to-many as they were when it was read: changing the relationship while walking
/// it is safe.
///
/// Objects come as faults that fire together. Walking issues no statement by itself.
public struct RelatedObjects: RandomAccessCollection {
  let references: ArraySlice<Int64>
  let destination: EntityDescription
  let batch: FetchBatch?
  /// Where the first stands in the batch, while they stand there in this order.
  let offset: Int?
  let graph: ObjectGraph

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { references.count }

  /// The object at a position.
  ///
  /// O(1).
  public subscript(position: Int) -> ManagedObject {
    graph.faulting.materialize(
      references[references.startIndex + position], destination, batch, hint: offset.map { $0 + position })
  }

  /// Whether an object is among them.
  ///
  /// O(n), issues no statement.
  public func contains(_ object: ManagedObject) -> Bool {
    object.entity.isKind(of: destination) && references.contains(object.reference)
  }
}
