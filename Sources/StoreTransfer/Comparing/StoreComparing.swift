import ObjectModel
import StoreContract

/// Compares what two stores of one model have.
struct StoreComparing {
  private let source: StorePages
  private let copy: StorePages
  private let model: ManagedObjectModel
  /// The numbers of the source's objects in the copy; nil where they are the same.
  private let numbers: ObjectNumbers?
  private let progress: ProgressCount
  private var result = StoreComparison()

  init(
    _ source: StorePages, _ copy: StorePages, _ model: ManagedObjectModel, numbers: ObjectNumbers? = nil,
    progress: @escaping (StoreMoveProgress) -> Void
  ) throws {
    (self.source, self.copy, self.model, self.numbers) = (source, copy, model, numbers)
    self.progress = try ProgressCount(.comparing, source, model, progress)
  }

  consuming func run() throws -> StoreComparison {
    if StoreMetadata.programs(source.store.metadata) != StoreMetadata.programs(copy.store.metadata) {
      result.add("the store", nil, nil, "the program's metadata is another")
    }
    for entity in model.entities where !entity.isAbstract { try compareRows(of: entity) }
    for owner in model.joinTableOwners {
      try compareLinks(of: owner, isCounted: true)
      if let inverse = owner.orderedInverse { try compareLinks(of: inverse, isCounted: false) }
    }
    return result
  }

  private func number(_ reference: Int64, _ entity: EntityDescription) -> Int64? {
    numbers.map { $0[reference, of: entity] } ?? reference
  }

  // MARK: Rows

  private mutating func compareRows(of entity: EntityDescription) throws {
    let counts = (try source.count(entity), try copy.count(entity))
    result.objectCounts[entity.name] = counts.0
    if counts.0 != counts.1 {
      result.add(entity.name, nil, nil, "there are \(counts.1) objects in place of \(counts.0)")
    }
    let isBytes = entity.storedFields.map(\.isStoredAsBytes)
    try source.eachPiece(of: entity, .rows(of: entity)) { references in
      let own = try source.store.newValues(for: references, of: entity)
      let others = try copy.store.newValues(
        for: references.map { number($0, entity) ?? 0 }, of: entity)
      var size = 0
      for (place, reference) in references.enumerated() {
        guard let node = own[place] else { continue }
        guard let other = others[place], other.entity === entity else {
          result.add(entity.name, reference, nil, "there is no such object")
          continue
        }
        let pair = (
          try source.store.whole(node, isBytes), try copy.store.whole(other, isBytes)
        )
        size += pair.0.byteCount
        compare(pair.0, pair.1)
      }
      progress.add(references.count)
      return size
    }
  }

  private mutating func compare(_ node: IncrementalStoreNode, _ other: IncrementalStoreNode) {
    let entity = node.entity
    if numbers == nil, node.version != other.version {
      result.add(entity.name, node.reference, nil, "it has another version")
    }
    for (place, field) in entity.storedFields.enumerated() {
      if numbers != nil, case .attribute(let attribute) = field, attribute.derivation != nil { continue }
      count(field, node.isNull(place))
      if !isSame(node, other, place, field) {
        result.add(entity.name, node.reference, field.name, "it has another value")
      }
    }
  }

  /// Counts a to-one that is set; one whose inverse has a join table is counted there.
  private mutating func count(_ field: StoredField, _ isNull: Bool) {
    guard case .toOne(let relationship) = field else { return result.valueCount += 1 }
    if !isNull, !relationship.hasJoinTable { result.linkCount += 1 }
  }

  private func isSame(
    _ node: IncrementalStoreNode, _ other: IncrementalStoreNode, _ place: Int, _ field: StoredField
  ) -> Bool {
    if node.isNull(place) || other.isNull(place) { return node.isNull(place) == other.isNull(place) }
    if field.isStoredAsBytes {
      return node.withBytes(place) { own in
        other.withBytes(place) { own.count == $0.count && own.elementsEqual($0) }
      }
    }
    if case .toOne(let relationship) = field {
      return number(node.integer(place), relationship.destination) == other.integer(place)
    }
    return node.integer(place) == other.integer(place)
  }

  // MARK: Links

  private mutating func compareLinks(of relationship: RelationshipDescription, isCounted: Bool) throws {
    for entity in relationship.entity.hierarchy {
      try source.eachPiece(of: entity, .links) { references in
        let own = try source.store.newValues(for: relationship, of: references)
        let others = try copy.store.newValues(
          for: relationship, of: references.map { number($0, entity) ?? 0 })
        for (place, reference) in references.enumerated() {
          let wanted = own.destinations(at: place).map { number($0, relationship.destination) ?? 0 }
          let found = Array(others.destinations(at: place))
          if isCounted { result.linkCount += wanted.count }
          if wanted == found { continue }
          if wanted.sorted() != found.sorted() {
            result.add(entity.name, reference, relationship.name, "it has other destinations")
          } else if relationship.isOrdered {
            result.add(entity.name, reference, relationship.name, "its destinations have another order")
          }
        }
        progress.add(references.count)
        return own.references.count * 64
      }
    }
  }
}
