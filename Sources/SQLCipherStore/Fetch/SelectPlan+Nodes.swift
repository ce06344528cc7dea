import CipherDatabase
import ObjectModel
import StoreContract

extension SelectPlan {
  /// Makes the node of the row a statement stands on, or takes the one the context has already.
  func node(
    _ statement: Statement, builder: NodeBuilder, opened: SQLCipherStore.Opened, lookup: (any NodeLookup)?
  ) throws -> IncrementalStoreNode {
    let reference = statement.int64(0)
    let version = statement.int64(1)
    if let known = lookup?.registeredNode(entity.root, reference), known.version == version { return known }
    let index = hasEntityColumn ? try opened.entityIndex(number: statement.int64(2)) : entity.index
    let member = opened.storeEntities[index]
    try decode(statement, index, into: builder)
    return builder.finish(member, reference: reference, version: version)
  }
}

extension SQLCipherStore.Opened {
  func entityIndex(number: Int64) throws -> Int {
    guard let index = schema.entityIndex(number: number) else {
      throw StoreError(.modelMismatch, "the store holds objects of an entity that the model does not have")
    }
    return index
  }
}
