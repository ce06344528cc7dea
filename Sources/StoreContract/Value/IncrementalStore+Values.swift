import Foundation
public import ObjectModel
import ObjectQuery

/// Pieces of long values for stores that cannot read or write them in place: the whole value is in
/// memory.
extension IncrementalStore {
  /// Gathers the pieces, and changes the object by a batch.
  public func writeValue(
    count: Int, of attribute: AttributeDescription, to reference: Int64, _ fill: (ValueWriter) throws -> Void
  ) throws -> Int64 {
    try attribute.checkPieces(count, limit: Int(Int32.max))
    guard try holder(attribute, reference) != nil else { throw StoreError.noObject(attribute, reference) }
    let bytes = GatheredBytes(count)
    let writer = ValueWriter(count: count) { piece, _ in bytes.data.append(contentsOf: piece) }
    do { try fill(writer) } catch {
      writer.end()
      throw error
    }
    try writer.finish()
    let object = FetchExpression.value(.reference(reference))
    let request = FetchRequest(
      attribute.entity.name, where: .comparison(FetchComparison(.selfObject, .in, .list([object]))))
    let result = try update(BatchUpdate(request, set: [attribute.name: .data(bytes.data)]))
    guard result.count == 1, let node = try holder(attribute, reference) else {
      throw StoreError.noObject(attribute, reference)
    }
    return node.version
  }

  /// Reads from the object's whole row.
  public func openValue(of attribute: AttributeDescription, of reference: Int64) throws -> ValueReader? {
    try attribute.checkPieces()
    guard let node = try wholeValues(for: reference, of: attribute.entity),
      node.entity.isKind(of: attribute.entity)
    else { throw StoreError.noObject(attribute, reference) }
    if node.isNull(attribute.field) { return nil }
    return ValueReader(count: node.withBytes(attribute.field) { $0.count }) { buffer, offset in
      node.withBytes(attribute.field) {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + buffer.count)]))
      }
    }
  }

  /// The row of an object that has the attribute; nil where there is none.
  private func holder(_ attribute: AttributeDescription, _ reference: Int64) throws -> IncrementalStoreNode? {
    let node = try newValues(for: [reference], of: attribute.entity)[0]
    return node.flatMap { $0.entity.isKind(of: attribute.entity) ? $0 : nil }
  }
}

private final class GatheredBytes {
  var data = Data()
  init(_ count: Int) { data.reserveCapacity(count) }
}

extension AttributeDescription {
  /// Refuses what cannot be read in pieces: all but stored binary data.
  /// - Throws: `StoreError` with code `invalidValue`.
  package func checkPieces() throws {
    let reason: String
    if type == .transformable {
      reason =
        "its bytes are what a transformer or a coder makes of the whole value; make it a binary attribute"
    } else if type != .binary {
      reason = "it is of type \(type.rawValue), and only binary data is read and written in pieces"
    } else if isTransient {
      reason = "it is transient, and nothing of it is stored"
    } else {
      return
    }
    throw StoreError(.invalidValue, "\(entity.name).\(name) has no pieces: \(reason)")
  }

  /// Refuses what cannot be written in pieces: besides, what an index, a constraint or another
  /// attribute needs whole, and a length that no value has.
  package func checkPieces(_ count: Int, limit: Int) throws {
    try checkPieces()
    if let reason = needOfWhole {
      throw StoreError(
        .invalidValue, "\(entity.name).\(name) cannot be written in pieces: \(reason); set it and save")
    }
    guard count >= 0, count <= limit else {
      throw StoreError(
        .invalidValue, "\(entity.name).\(name) cannot have \(count) bytes; the store takes 0 to \(limit)")
    }
  }

  /// What the whole value is needed for; nil for nothing.
  private var needOfWhole: String? {
    if derivation != nil { return "the store computes it" }
    if declaration.isIndexed { return "it is indexed" }
    for other in entity.hierarchy {
      if other.uniquenessConstraints.contains(where: { $0.propertyNames.contains(name) }) {
        return "it stands in a uniqueness constraint"
      }
      if other.fetchIndexes.contains(where: { $0.elements.contains { $0.propertyName == name } }) {
        return "it stands in the index of \(other.name)"
      }
    }
    let readers = entity.hierarchy.flatMap { [$0] + $0.derivedEntities }
    for case .copy(_, let source, _)? in readers.flatMap(\.attributes).map(\.derivation) where source === self
    {
      return "another attribute is derived from it"
    }
    return nil
  }
}

extension StoreError {
  package static func noObject(_ attribute: AttributeDescription, _ reference: Int64) -> StoreError {
    StoreError(.notFound, "\(attribute.entity.name) \(reference) is not in the store: it was deleted")
  }
}
