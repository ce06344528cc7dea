import ObjectModel
import StoreContract

/// The to-many table of a relationship pair: one row a link, clustered by source, indexed by
/// destination.
final class JoinTable: Sendable {
  let owner: RelationshipDescription
  let name: String
  let indexName: String
  /// Whether the owner's order is stored in `_position`.
  let hasPosition: Bool
  /// Whether the inverse's order is stored in `_inverse_position`.
  let hasInversePosition: Bool
  var isOrdered: Bool { hasPosition || hasInversePosition }

  init(owner: RelationshipDescription, naming: inout Naming) {
    self.owner = owner
    name = naming.unique("\(owner.entity.name)_\(owner.name)")
    indexName = naming.own("_\(name)_by_target")
    hasPosition = owner.isOrdered && owner.isToMany
    hasInversePosition = owner.inverse.map { $0 !== owner && $0.isOrdered && $0.isToMany } ?? false
  }

  var creation: [String] {
    var columns = ["_source INTEGER NOT NULL", "_target INTEGER NOT NULL"]
    if hasPosition { columns.append("_position INTEGER NOT NULL DEFAULT 0") }
    if hasInversePosition { columns.append("_inverse_position INTEGER NOT NULL DEFAULT 0") }
    columns.append("PRIMARY KEY (_source, _target)")
    return [
      "CREATE TABLE \(name.quoted) (\(columns.joined(separator: ", "))) WITHOUT ROWID",
      "CREATE INDEX \(indexName.quoted) ON \(name.quoted) (_target, _source)",
    ]
  }
}
