import MappingModels

/// What a mapping model does, as a table with a row for each entity and property.
struct MappingTable {
  let text: String

  init(_ mapping: MappingModel) {
    let printer = RowPrinter(
      columns: ["mapping", "from", "to", "property", "value"], format: .table, widest: 90)
    text = printer.text(
      mapping.entityMappings.flatMap { entity -> [[Cell]] in
        let whole = [entity.name, entity.sourceEntityName ?? "", entity.destinationEntityName ?? "", ""]
        let properties = (entity.attributeMappings + entity.relationshipMappings).map {
          ["", "", "", $0.name, Self.value($0)]
        }
        return ([whole + [Self.work(entity)]] + properties).map { $0.map { Cell.text($0) } }
      })
  }

  private static func work(_ entity: EntityMapping) -> String {
    var parts: [String] = []
    if let filter = entity.sourceFilter { parts.append("where \(filter)") }
    if let policy = entity.entityMigrationPolicyClassName { parts.append("policy \(policy)") }
    switch (entity.sourceEntityName, entity.destinationEntityName) {
    case (nil, nil): parts.append("nothing")
    case (nil, _): parts.append("new")
    case (_, nil): parts.append("dropped")
    default: break
    }
    return parts.joined(separator: ", ")
  }

  private static func value(_ property: PropertyMapping) -> String {
    if let expression = property.valueExpression { return short(expression.formatText) }
    if let keyPath = property.sourceKeyPath {
      return keyPath + (property.sourceMappingName.map { " by \($0)" } ?? "")
    }
    return property.generatesExpression ? "by name" : "default"
  }

  /// What is made of objects by a mapping, as one reads it: the call is the same in most rows.
  private static func short(_ text: String) -> String {
    let call =
      #/FUNCTION\(\$manager, "destinationInstancesFor(\w+)Named:sourceInstances:", "([^"]*)", (.*)\)/#
    guard let match = text.wholeMatch(of: call) else { return text }
    return match.1 == "EntityMapping" ? "\(match.3) by \(match.2)" : "\(match.3) by its mappings"
  }
}
