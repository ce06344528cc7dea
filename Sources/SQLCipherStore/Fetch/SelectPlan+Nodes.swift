import CipherDatabase
import ObjectModel
import StoreContract

extension SelectPlan {
  /// Makes the node of the row a statement stands on.
  @inline(__always)
  func node(
    _ statement: Statement, builder: NodeBuilder, opened: SQLCipherStore.Opened
  ) throws -> IncrementalStoreNode {
    try node(statement, statement.int64(0), statement.int64(1), builder, opened)
  }

  /// Makes the node of the row a statement stands on, or takes the one the context has already.
  @inline(__always)
  func node(
    _ statement: Statement, builder: NodeBuilder, opened: SQLCipherStore.Opened, lookup: any NodeLookup
  ) throws -> IncrementalStoreNode {
    let reference = statement.int64(0)
    let version = statement.int64(1)
    if !hasDerived, let known = lookup.registeredNode(entity.root, reference), known.version == version {
      return known
    }
    return try node(statement, reference, version, builder, opened)
  }

  private func node(
    _ statement: Statement, _ reference: Int64, _ version: Int64, _ builder: NodeBuilder,
    _ opened: SQLCipherStore.Opened
  ) throws -> IncrementalStoreNode {
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
