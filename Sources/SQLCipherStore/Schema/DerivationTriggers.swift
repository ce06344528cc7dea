import CipherDatabase
import ObjectModel
import ObjectQuery
import StoreContract

/// The triggers that update derived attributes with every write: of a save, of a batch, of another
/// process.
///
/// A count and a sum of integers are updated by the difference of each change; other sums are
/// computed again over all objects of the owner.
struct DerivationTriggers {
  let model: ManagedObjectModel
  let tables: [EntityTable]
  let joinTables: [ObjectIdentifier: JoinTable]
  let entityNumbers: [Int64]

  /// A trigger's event, and the statements it runs.
  private struct Trigger {
    let table: String
    let event: String
    let body: [String]
  }

  func all(naming: inout Naming) -> [String] {
    var triggers: [Trigger] = []
    for entity in model.entities {
      for attribute in entity.attributes where attribute.entity === entity {
        guard let derivation = attribute.derivation else { continue }
        triggers += own(attribute, derivation) + others(attribute, derivation)
      }
    }
    return triggers.map { trigger in
      let name = naming.own("_derive")
      return
        "CREATE TRIGGER \(name.quoted) AFTER \(trigger.event) ON \(trigger.table.quoted) BEGIN "
        + trigger.body.map { $0 + "; " }.joined() + "END"
    }
  }

  /// Computes an attribute of all objects again.
  func refreshing(_ attribute: AttributeDescription, _ derivation: Derivation) -> String {
    set(attribute, to: value(attribute, derivation), where: "1")
  }

  // MARK: Pieces

  private func column(_ attribute: AttributeDescription) -> String {
    quotedName(tables[attribute.entity.index].column(attribute))
  }

  private func column(_ toOne: RelationshipDescription) -> String {
    quotedName(tables[toOne.entity.index].column(toOne))
  }

  private func quotedName(_ column: EntityTable.Column?) -> String {
    guard let column else { preconditionFailure("A derived attribute reads what has no column") }
    return column.name.quoted
  }

  /// The column of a to-many's inverse; a to-many without an inverse has a join table.
  private func inverseColumn(_ toMany: RelationshipDescription) -> String {
    guard let inverse = toMany.inverse else {
      preconditionFailure("\(toMany.name) has neither a join table nor an inverse")
    }
    return column(inverse)
  }

  private func entityNumbers(_ entity: EntityDescription) -> String {
    "_entity IN (\(entity.hierarchy.map { String(entityNumbers[$0.index]) }.joined(separator: ", ")))"
  }

  private func set(_ attribute: AttributeDescription, to value: String, where condition: String) -> String {
    "UPDATE \(tables[attribute.entity.index].name.quoted) SET \(column(attribute)) = \(value)"
      + " WHERE \(condition) AND \(entityNumbers(attribute.entity))"
  }

  /// The value for the row of the owner's table that is being updated.
  private func value(_ attribute: AttributeDescription, _ derivation: Derivation) -> String {
    let owner = tables[attribute.entity.index].name.quoted
    switch derivation {
    // Seconds since 2001-01-01 UTC, in milliseconds.
    case .now: return "(julianday('now') - 2451910.5) * 86400.0"
    case .copy(let step, let source, let folding):
      var sql = step == nil ? column(source) : "s.\(column(source))"
      if let folding { sql = "\(folding.function)(\(sql))" }
      guard let step else { return sql }
      return
        "(SELECT \(sql) FROM \(tables[step.destination.index].name.quoted) AS s WHERE s._id ="
        + " \(owner).\(column(step)))"
    case .count(let relationship): return "(SELECT count(*) FROM \(destinations(relationship, owner)))"
    case .sum(let relationship, let source):
      let sum = "sum(c.\(column(source)))"
      return "(SELECT ifnull(\(sum), 0) FROM \(destinations(relationship, owner)))"
    }
  }

  /// The destinations `c` of a row's to-many.
  private func destinations(_ relationship: RelationshipDescription, _ owner: String) -> String {
    let destination = tables[relationship.destination.index].name.quoted
    guard let link = joinTables[ObjectIdentifier(relationship.joinTableOwner)] else {
      return "\(destination) AS c WHERE c.\(inverseColumn(relationship)) = \(owner)._id"
    }
    let (near, far) = columns(relationship, link)
    return
      "\(link.name.quoted) AS l JOIN \(destination) AS c ON c._id = l.\(far) WHERE l.\(near) = \(owner)._id"
  }

  private func columns(_ relationship: RelationshipDescription, _ link: JoinTable) -> (
    near: String, far: String
  ) {
    relationship === link.owner ? ("_source", "_target") : ("_target", "_source")
  }

  // MARK: Triggers

  /// When the owner itself is written.
  private func own(_ attribute: AttributeDescription, _ derivation: Derivation) -> [Trigger] {
    let table = tables[attribute.entity.index]
    let update = set(attribute, to: value(attribute, derivation), where: "_id = NEW._id")
    var triggers = [Trigger(table: table.name, event: "INSERT", body: [update])]
    switch derivation {
    case .now:
      triggers.append(Trigger(table: table.name, event: "UPDATE OF _version", body: [update]))
    case .copy(let step, let source, _):
      let watched = step.map { column($0) } ?? column(source)
      triggers.append(Trigger(table: table.name, event: "UPDATE OF \(watched)", body: [update]))
    case .count, .sum: break
    }
    return triggers
  }

  /// When what the owner looks at is written.
  private func others(_ attribute: AttributeDescription, _ derivation: Derivation) -> [Trigger] {
    switch derivation {
    case .now, .copy(nil, _, _): return []
    case .copy(let step?, let source, _):
      let table = tables[step.destination.index].name
      let update = set(attribute, to: value(attribute, derivation), where: "\(column(step)) = NEW._id")
      // A save may insert the owner before its destination.
      return ["INSERT", "UPDATE OF \(column(source))"].map {
        Trigger(table: table, event: $0, body: [update])
      }
    case .count(let relationship): return following(attribute, derivation, relationship, nil)
    case .sum(let relationship, let source): return following(attribute, derivation, relationship, source)
    }
  }

  private func following(
    _ attribute: AttributeDescription, _ derivation: Derivation, _ relationship: RelationshipDescription,
    _ source: AttributeDescription?
  ) -> [Trigger] {
    let destination = tables[relationship.destination.index].name
    let isExact = source?.type.isInteger ?? true
    /// The owner's value after a destination came (+) or went (-).
    func change(_ sign: String, _ owner: String, _ amount: String) -> String {
      guard isExact else { return recompute(attribute, derivation, "= \(owner)") }
      return set(
        attribute, to: "ifnull(\(column(attribute)), 0) \(sign) ifnull(\(amount), 0)", where: "_id = \(owner)"
      )
    }
    if let link = joinTables[ObjectIdentifier(relationship.joinTableOwner)] {
      let (near, far) = columns(relationship, link)
      func amount(_ row: String) -> String {
        source.map { "(SELECT \(column($0)) FROM \(destination.quoted) WHERE _id = \(row).\(far))" } ?? "1"
      }
      var triggers = [
        Trigger(table: link.name, event: "INSERT", body: [change("+", "NEW.\(near)", amount("NEW"))]),
        Trigger(table: link.name, event: "DELETE", body: [recompute(attribute, derivation, "= OLD.\(near)")]),
      ]
      if let source {
        let owners = "IN (SELECT \(near) FROM \(link.name.quoted) WHERE \(far) = NEW._id)"
        triggers.append(
          Trigger(
            table: destination, event: "UPDATE OF \(column(source))",
            body: [recompute(attribute, derivation, owners)]))
      }
      return triggers
    }
    let key = inverseColumn(relationship)
    let watched = [key] + (source.map { [column($0)] } ?? [])
    func amount(_ row: String) -> String { source.map { "\(row).\(column($0))" } ?? "1" }
    return [
      Trigger(table: destination, event: "INSERT", body: [change("+", "NEW.\(key)", amount("NEW"))]),
      Trigger(table: destination, event: "DELETE", body: [change("-", "OLD.\(key)", amount("OLD"))]),
      Trigger(
        table: destination, event: "UPDATE OF \(watched.joined(separator: ", "))",
        body: [change("-", "OLD.\(key)", amount("OLD")), change("+", "NEW.\(key)", amount("NEW"))]),
    ]
  }

  private func recompute(_ attribute: AttributeDescription, _ derivation: Derivation, _ owners: String)
    -> String
  {
    set(attribute, to: value(attribute, derivation), where: "_id \(owners)")
  }
}

extension Derivation.Folding {
  /// The SQL function of the same meaning.
  var function: String { "_\(rawValue)" }
}
