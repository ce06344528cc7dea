public import Foundation
import ObjectModel

/// Places in ordered to-manys.
extension ManagedObject {
  /// Puts an object into an ordered to-many at an index, and keeps the inverse in step.
  ///
  /// What is in it already moves there; the index counts the places without it. The first read of
  /// the relationship issues one statement. One statement for the batch when the order was not read
  /// yet.
  /// - Throws: `unknownKey`, `notOrdered`, `wrongIndex`, `objectOfAnotherContext`.
  public final func insert(_ destination: ManagedObject, into name: String, at index: Int) throws {
    let relationship = try ordered(name)
    try check(destination, relationship)
    let graph = try liveGraph()
    let count = try destinations(relationship).count
    let others = toManyState(relationship).lacks(destination.reference) ? count : count - 1
    guard index >= 0, index <= others else { throw wrongIndex(index, relationship) }
    try graph.relationships.link(self, relationship, destination)
    try graph.relationships.move(destination.reference, in: self, relationship, to: index)
  }

  /// Moves objects of an ordered to-many, as `Array.move(fromOffsets:toOffset:)` does.
  ///
  /// One statement for the batch when the order was not read yet.
  /// - Throws: `unknownKey`, `notOrdered`, `wrongIndex`.
  public final func move(fromOffsets source: IndexSet, toOffset destination: Int, in name: String) throws {
    let relationship = try ordered(name)
    let order = Array(try destinations(relationship).references)
    if let last = source.last, last >= order.count { throw wrongIndex(last, relationship) }
    guard destination >= 0, destination <= order.count else { throw wrongIndex(destination, relationship) }
    let moved = source.map { order[$0] }
    let before = order.indices.filter { $0 < destination && !source.contains($0) }.map { order[$0] }
    let after = order.indices.filter { $0 >= destination && !source.contains($0) }.map { order[$0] }
    try liveGraph().relationships.reorder(self, relationship, before + moved + after)
  }

  /// Puts another object in the place of one of an ordered to-many, and keeps the inverses in step.
  ///
  /// An object that is in it already moves there.
  /// - Throws: `unknownKey`, `notOrdered`, `wrongIndex`, `objectOfAnotherContext`.
  public final func replace(at index: Int, in name: String, with destination: ManagedObject) throws {
    let relationship = try ordered(name)
    try check(destination, relationship)
    let graph = try liveGraph()
    let present = try destinations(relationship)
    guard present.indices.contains(index) else { throw wrongIndex(index, relationship) }
    let old = present[index]
    if old === destination { return }
    let other = present.references.firstIndex(of: destination.reference)
    var order = Array(present.references)
    order[index] = destination.reference
    if let other { order.remove(at: other - present.references.startIndex) }
    try graph.relationships.unlink(self, relationship, old)
    try graph.relationships.link(self, relationship, destination)
    try graph.relationships.reorder(self, relationship, order)
  }

  /// Takes the object at an index out of an ordered to-many, and keeps the inverse in step.
  /// - Throws: `unknownKey`, `notOrdered`, `wrongIndex`.
  public final func remove(at index: Int, from name: String) throws {
    let relationship = try ordered(name)
    let present = try destinations(relationship)
    guard present.indices.contains(index) else { throw wrongIndex(index, relationship) }
    try liveGraph().relationships.unlink(self, relationship, present[index])
  }

  private func ordered(_ name: String) throws -> RelationshipDescription {
    let relationship = try relationship(name, toMany: true)
    guard relationship.isOrdered else {
      throw ContextError(
        .notOrdered, "\(entity.name).\(name) is not ordered; add and remove objects without an index")
    }
    return relationship
  }

  private func wrongIndex(_ index: Int, _ relationship: RelationshipDescription) -> ContextError {
    ContextError(.wrongIndex, "the index \(index) is out of range for \(entity.name).\(relationship.name)")
  }
}
