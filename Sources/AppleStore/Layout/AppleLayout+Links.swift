import ObjectModel

extension AppleLayout {
  /// Finds where the links of a to-many relationship are.
  mutating func placeLinks(of relationship: RelationshipDescription) {
    guard let inverse = relationship.inverse else { return placeHiddenColumn(of: relationship) }
    if inverse.isToMany {
      placeJoinTable(of: relationship, inverse)
    } else if relationship.isOrdered {
      placeOrder(of: relationship, inverse)
    }
  }

  /// An ordered to-many with a to-one inverse: beside the inverse's column is one for the order.
  private mutating func placeOrder(
    of relationship: RelationshipDescription, _ inverse: RelationshipDescription
  ) {
    guard let table = table(of: inverse.entity), let column = toOne(inverse)?.column else { return }
    let order = "Z_FOK_" + column.dropFirst()
    let found = tables[table]?.first { $0 == order }
    if let found {
      claimed[table, default: []].insert(found)
    } else {
      report(relationship.entity.name, relationship.name, "the store has no column \(order) for its order")
    }
    links[ObjectIdentifier(relationship)] = AppleLinks(
      table: table, owner: column, destination: "Z_PK", order: found)
  }

  /// A to-many without an inverse: a column of the destination's table, called after the number of
  /// the entity that has it.
  private mutating func placeHiddenColumn(of relationship: RelationshipDescription) {
    guard let table = table(of: relationship.destination), let number = numbers[relationship.entity.index]
    else { return }
    let name = String(number) + relationship.name.uppercased()
    let columns = tables[table] ?? []
    guard let column = columns.first(where: { $0.isNumbered("Z" + name) }) else {
      return report(
        relationship.entity.name, relationship.name,
        "the store has no column Z\(name) for it; it has no links")
    }
    let order = columns.first { $0 == "Z_FOK_" + name || $0 == "Z_FOK_Z" + name }
    claimed[table, default: []].formUnion([column, order, entityColumn(of: column, table)].compactMap { $0 })
    links[ObjectIdentifier(relationship)] = AppleLinks(
      table: table, owner: column, destination: "Z_PK", order: order)
  }

  // MARK: Join tables

  /// A many-to-many: a table of its own, under the name of either side.
  private mutating func placeJoinTable(
    of relationship: RelationshipDescription, _ inverse: RelationshipDescription
  ) {
    let names = [relationship, inverse].compactMap { side in
      numbers[side.entity.index].map { "Z_\($0)\(side.name.uppercased())" }
    }
    let sorted = tables.keys.sorted { (names.contains($0) ? 0 : 1, $0) < (names.contains($1) ? 0 : 1, $1) }
    for table in sorted where names.contains(where: table.isNumbered) {
      guard let found = joinTable(table, relationship, inverse) else { continue }
      if relationship.isOrdered, found.order == nil {
        report(
          relationship.entity.name, relationship.name, "the store has no column in \(table) for its order")
      }
      links[ObjectIdentifier(relationship)] = found
      claimed[table, default: []].formUnion([found.owner, found.destination, found.order].compactMap { $0 })
      return
    }
    report(relationship.entity.name, relationship.name, "the store has no join table for it; it has no links")
  }

  /// The column of the destinations' keys has the destination's number and the relationship's name.
  private func joinTable(
    _ table: String, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription
  ) -> AppleLinks? {
    let columns = tables[table] ?? []
    guard
      let there = keyColumn(
        columns, related(inverse.entity, relationship.destination), relationship.name, except: nil)
    else { return nil }
    let order = "Z_FOK_" + there.dropFirst(2)
    let found = columns.first { $0 == order }
    if inverse === relationship, columns.contains("REFLEXIVE") {
      return AppleLinks(
        table: table, owner: "REFLEXIVE", destination: there, order: found, isReflexive: true)
    }
    guard
      let here = keyColumn(
        columns, related(relationship.entity, inverse.destination), inverse.name, except: there)
    else { return nil }
    return AppleLinks(table: table, owner: here, destination: there, order: found)
  }

  /// The entities whose number a column may have: the one that declares the inverse, the
  /// destination, and their relatives.
  private func related(_ declaring: EntityDescription, _ destination: EntityDescription)
    -> [EntityDescription]
  {
    var found = [declaring, destination]
    var above = declaring.superentity
    while let entity = above {
      found.append(entity)
      above = entity.superentity
    }
    return found + declaring.hierarchy
  }

  private func keyColumn(
    _ columns: [String], _ entities: [EntityDescription], _ name: String, except other: String?
  ) -> String? {
    for number in entities.compactMap({ numbers[$0.index] }) {
      let base = "Z_\(number)\(name.uppercased())"
      let found = columns.filter { $0 != other && $0.isNumbered(base) }
      if let shortest = found.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) { return shortest }
    }
    return nil
  }
}

extension String {
  /// Whether it is a base, or the base and a number that keeps equal names apart.
  fileprivate func isNumbered(_ base: String) -> Bool {
    hasPrefix(base) && dropFirst(base.count).utf8.allSatisfy { (48...57).contains($0) }
  }
}
