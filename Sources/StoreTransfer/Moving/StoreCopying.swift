import ObjectModel
import StoreContract

/// Writes what a store has into a new one.
struct StoreCopying {
  private let pages: StorePages
  private let model: ManagedObjectModel
  private let contents: any NewStoreContents
  private let progress: ProgressCount

  init(
    _ pages: StorePages, _ model: ManagedObjectModel, _ contents: any NewStoreContents,
    _ progress: @escaping (StoreMoveProgress) -> Void
  ) throws {
    (self.pages, self.model, self.contents) = (pages, model, contents)
    self.progress = try ProgressCount(.moving, pages, model, progress)
  }

  func run() throws {
    try contents.set(metadata: StoreMetadata.programs(pages.store.metadata))
    // A reference to a deleted object never leads to a new one.
    if let numbered = pages.store as? any NumberedStore {
      for root in model.entities where root.superentity == nil {
        contents.reserve(try numbered.lastNumber(of: root), root)
      }
    }
    for entity in model.entities { try copyRows(of: entity) }
    try contents.endRows()
    for owner in model.joinTableOwners {
      try eachDestination(of: owner) { try contents.link(owner, $0, $1, position: $2) }
      guard let inverse = owner.orderedInverse else { continue }
      try eachDestination(of: inverse) { try contents.place(inverse, $0, $1, position: $2) }
    }
  }

  private func copyRows(of entity: EntityDescription) throws {
    let isBytes = entity.storedFields.map(\.isStoredAsBytes)
    try pages.eachPiece(of: entity, .rows(of: entity)) { references in
      var size = 0
      for case let node? in try pages.store.newValues(for: references, of: entity) {
        let whole = try pages.store.whole(node, isBytes)
        size += whole.byteCount
        try contents.insert(entity, reference: node.reference, version: node.version) { builder in
          for field in isBytes.indices { builder.copy(field, from: whole, isBytes: isBytes[field]) }
        }
      }
      progress.add(references.count)
      return size
    }
  }

  private func eachDestination(
    of relationship: RelationshipDescription, _ body: (Int64, Int64, Int64) throws -> Void
  ) throws {
    for entity in relationship.entity.hierarchy {
      try pages.eachPiece(of: entity, .links) { references in
        let found = try pages.store.newValues(for: relationship, of: references)
        for (place, source) in references.enumerated() {
          for (position, destination) in found.destinations(at: place).enumerated() {
            try body(source, destination, Int64(position))
          }
        }
        progress.add(references.count)
        return found.references.count * 64
      }
    }
  }
}

extension IncrementalStore {
  /// A node with nothing left out; one statement where there is something.
  func whole(_ node: IncrementalStoreNode, _ isBytes: [Bool]) throws -> IncrementalStoreNode {
    guard isBytes.indices.contains(where: { isBytes[$0] && node.isUnread($0) }) else { return node }
    guard let whole = try wholeValues(for: node.reference, of: node.entity) else {
      throw StoreError(
        .notFound, "\(node.entity.name) \(node.reference) was deleted meanwhile; move again",
        objectIDs: [node.objectID])
    }
    return whole
  }
}
