import CipherDatabase
import ObjectModel

/// Reads a to-one relationship, and checks where it leads.
final class AppleToOneReader {
  private let relationship: RelationshipDescription
  private let column: Int32
  private let entityColumn: Int32?
  private let objects: AppleObjects
  private let layout: AppleLayout
  /// Selects what the other side of a one-to-one references.
  private let back: PlainQuery?

  init(
    _ relationship: RelationshipDescription, _ column: Int32, _ entityColumn: Int32?, _ store: AppleStore,
    _ objects: AppleObjects
  ) throws {
    self.relationship = relationship
    self.column = column
    self.entityColumn = entityColumn
    self.objects = objects
    layout = store.layout
    if let inverse = relationship.inverse, !inverse.isToMany, let table = layout.table(of: inverse.entity),
      let toOne = layout.toOne(inverse)
    {
      let (name, other) = (PlainDatabase.quoted(toOne.column), PlainDatabase.quoted(table))
      back = try store.database.query("SELECT \(name) FROM \(other) WHERE Z_PK = ?")
    } else {
      back = nil
    }
  }

  /// The key of the destination; nil for none, and for one that is not there.
  func read(
    _ row: PlainQuery, _ key: Int64, _ completions: OneToOneCompletion,
    _ fault: (AppleStoreFault.Kind, String) -> Void
  ) throws -> Int64? {
    guard row.kind(column) != .null else {
      if !relationship.isOptional {
        fault(.missingDestination, "a mandatory relationship without destination")
      }
      return nil
    }
    guard row.kind(column) == .integer else {
      fault(.value, "a reference that is no key; it is left out")
      return nil
    }
    let target = row.integer(column)
    guard let found = try objects.entity(of: target, in: relationship.destination.root) else {
      fault(.dangling, "it references row \(target), which is not there; it is left out")
      return nil
    }
    guard found.isKind(of: relationship.destination) else {
      fault(.wrongDestination, "it references row \(target), which is a \(found.name); it is left out")
      return nil
    }
    if let entityColumn, row.integer(entityColumn) != layout.numbers[found.index] {
      fault(.entityColumn, "the entity noted beside it is not that of row \(target)")
    }
    return try isAnswered(target, key, completions, fault) ? target : nil
  }

  /// Whether the other side of a one-to-one agrees, or can.
  private func isAnswered(
    _ target: Int64, _ key: Int64, _ completions: OneToOneCompletion,
    _ fault: (AppleStoreFault.Kind, String) -> Void
  ) throws -> Bool {
    guard let back, let inverse = relationship.inverse else { return true }
    back.restart(target)
    guard try back.step() else { return true }
    if back.kind(0) == .null {
      fault(.oneSided, "row \(target) does not reference it back; that is completed")
      completions.add(relationship, key, target)
      return true
    }
    if back.integer(0) == key { return true }
    fault(.oneSided, "the \(inverse.name) of row \(target) is another; it is left out")
    return false
  }
}

/// One-to-one references whose other side is null, to be completed once all rows are there.
final class OneToOneCompletion {
  private(set) var pairs: [(relationship: RelationshipDescription, key: Int64, target: Int64)] = []

  func add(_ relationship: RelationshipDescription, _ key: Int64, _ target: Int64) {
    pairs.append((relationship, key, target))
  }
}
