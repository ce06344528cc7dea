import ObjectModel
import StoreContract

/// The indexes and uniqueness constraints that a model asks for.
struct ModelIndexes {
  let entities: [EntityDescription]
  /// By entity index.
  let tables: [ServerTable]
  let numbers: [String: Int64]

  private func column(_ property: String, of entity: EntityDescription) -> ServerTable.Column? {
    entity.storedFields.first { $0.name == property }.flatMap { tables[entity.index].column($0) }
  }

  func uniqueness(naming: inout ServerNaming) -> [ServerSchema.Uniqueness] {
    var all: [ServerSchema.Uniqueness] = []
    for entity in entities {
      for constraint in entity.declaration.uniquenessConstraints {
        let columns = constraint.propertyNames.compactMap { column($0, of: entity) }
        if columns.count != constraint.propertyNames.count { continue }
        let name = naming.own("_\(entity.name)_unique_\(constraint.propertyNames.joined(separator: "_"))")
        all.append(.init(name: name, entity: entity, columns: columns))
      }
    }
    return all
  }

  /// Checked at the end of a save, so that objects can exchange their values; a subentity's covers its own
  /// rows only, and sealed values are equal in a part, which the server has exclusion constraints for.
  func index(_ uniqueness: ServerSchema.Uniqueness) -> ServerIndex {
    let table = tables[uniqueness.entity.index].name
    let names = uniqueness.columns.map(\.name.quoted)
    var terms = "UNIQUE (\(names.joined(separator: ", ")))"
    let isOfAll = uniqueness.entity.superentity == nil
    if !isOfAll || uniqueness.columns.contains(where: { $0.type == .sealed }) {
      let pairs = uniqueness.columns.map { "\($0.comparable) WITH =" }.joined(separator: ", ")
      terms = "EXCLUDE USING btree (\(pairs))"
      if !isOfAll { terms += " WHERE (\(numbers.condition(uniqueness.entity.hierarchy)))" }
    }
    return ServerIndex(
      name: uniqueness.name, table: table, terms: terms + " DEFERRABLE INITIALLY DEFERRED",
      isConstraint: true)
  }

  /// Every to-one, attributes marked indexed or sealed with equality, and the declared fetch indexes of
  /// plain columns; of texts their beginnings, since a text may be longer than an index takes.
  func others(naming: inout ServerNaming) -> [ServerIndex] {
    var indexes: [ServerIndex] = []
    for table in entities.filter({ $0.superentity == nil }).map({ tables[$0.index] }) {
      for column in table.columns where column.wantsIndex {
        let name = naming.own("_\(table.name)_\(column.name)")
        indexes.append(ServerIndex(name: name, table: table.name, terms: "(\(column.indexed()))"))
      }
    }
    for entity in entities {
      for index in entity.fetchIndexes where !index.elements.contains(where: \.isFullText) {
        let names = index.elements.map(\.propertyName)
        let columns = names.compactMap { $0.flatMap { column($0, of: entity) } }
        if columns.isEmpty || columns.count != names.count || !columns.allSatisfy(\.fits) { continue }
        let table = tables[entity.index]
        let terms = Self.fitting(columns, index.elements).map { $0.indexed(isAscending: $1.isAscending) }
        let name = naming.own("_\(table.name)_\(index.name)")
        indexes.append(
          ServerIndex(name: name, table: table.name, terms: "(\(terms.joined(separator: ", ")))"))
      }
    }
    return indexes
  }

  /// Whether an attribute has an index where the model asks for one, and else none.
  static func takes(_ attribute: AttributeDescription) -> Bool {
    attribute.sealing == nil && ServerType(.attribute(attribute)) != .bytes
  }

  /// The columns up to the fourth text, which is as many as a row of an index takes.
  private static func fitting(
    _ columns: [ServerTable.Column], _ elements: [FetchIndexElement]
  ) -> [(ServerTable.Column, FetchIndexElement)] {
    var texts = 0
    return zip(columns, elements).prefix { column, _ in
      if column.type == .text { texts += 1 }
      return texts <= 4
    }
  }
}

extension ServerTable.Column {
  fileprivate var wantsIndex: Bool {
    switch field {
    case .attribute(let attribute):
      attribute.sealing == .equality || attribute.declaration.isIndexed && fits
    case .toOne: true
    }
  }

  /// Whether it is in indexes: bytes may be longer than a third of a page, and are not compared there.
  fileprivate var fits: Bool {
    if case .attribute(let attribute) = field, type == .sealed { return attribute.sealing == .equality }
    return type != .bytes
  }

  /// What of it is in an index, in the order in which a fetch asks for it: nulls are least.
  fileprivate func indexed(isAscending: Bool = true) -> String {
    let term = type == .text ? Self.beginning(name.quoted) : comparable
    return "\(term) \(isAscending ? "NULLS FIRST" : "DESC NULLS LAST")"
  }
}

extension [String: Int64] {
  /// That a row is of one of some entities.
  func condition(_ entities: [EntityDescription]) -> String {
    "_entity IN (\(entities.compactMap { self[$0.name] }.map(String.init).joined(separator: ", ")))"
  }
}
