import ObjectModel
import StoreContract

/// Makes the join table rows of a save those that follow from the to-ones it writes.
///
/// An ordered to-many whose inverse is a to-one is stored twice: in the to-one and, for its order,
/// in a join table. What a context knows of the list can lack a change, after a refresh or an undo,
/// so the to-one decides and the list only gives the order of new rows.
struct LinkCompletion {
  private struct Move {
    let source: Int64
    let (old, new): (Int64?, Int64?)
  }

  private var moves: [RelationshipDescription: [Move]] = [:]

  /// Adds a to-one that the save writes.
  mutating func add(_ toOne: RelationshipDescription, of object: Int64, from old: Int64?, to new: Int64?) {
    if old == new { return }
    moves[toOne.joinTableOwner, default: []].append(Move(source: object, old: old, new: new))
  }

  /// Completes the changes of all relationships of a save.
  func complete(_ changes: inout [RelationshipChanges]) {
    for relationship in moves.keys where !changes.contains(where: { $0.relationship === relationship }) {
      changes.append(RelationshipChanges(relationship: relationship))
    }
    for place in changes.indices {
      let relationship = changes[place].relationship
      guard let inverse = relationship.inverse else { continue }
      if !inverse.isToMany {
        complete(&changes[place], moves[relationship] ?? [])
      } else if inverse === relationship {
        completeBothWays(&changes[place])
      }
    }
  }

  private func complete(_ changes: inout RelationshipChanges, _ moves: [Move]) {
    typealias Row = RelationshipChanges.JoinTableRow
    let added = moves.compactMap { move in move.new.map { Row(source: $0, destination: move.source) } }
    let wanted = Set(added)
    let ordered = changes.added.filter(wanted.contains)
    changes.added = ordered
    if ordered.count < added.count {
      let known = Set(ordered)
      changes.added += added.filter { !known.contains($0) }
    }
    changes.removed = moves.compactMap { move in
      move.old.map { Row(source: $0, destination: move.source) }
    }
  }

  /// A to-many that is its own inverse has a row for each direction.
  private func completeBothWays(_ changes: inout RelationshipChanges) {
    func bothWays(_ rows: [RelationshipChanges.JoinTableRow]) -> [RelationshipChanges.JoinTableRow] {
      let known = Set(rows)
      return rows
        + rows.map { .init(source: $0.destination, destination: $0.source) }.filter { !known.contains($0) }
    }
    changes.added = bothWays(changes.added)
    let added = Set(changes.added)
    changes.removed = bothWays(changes.removed).filter { !added.contains($0) }
  }
}
