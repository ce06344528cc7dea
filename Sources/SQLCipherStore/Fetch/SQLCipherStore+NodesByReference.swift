import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// The states of objects, in the order asked for; nil where there is none.
  ///
  /// One statement whatever their number.
  public func newValues(for references: [Int64], of entity: EntityDescription) throws
    -> [IncrementalStoreNode?]
  {
    if references.isEmpty { return [] }
    let opened = try open
    let plan = opened.plans[entity.index]
    return try translating(path) {
      try opened.pool.fetch { connection in
        let builder = NodeBuilder()
        if references.count == 1 {
          return [try plan.node(plan.byReference, references[0], connection, builder, opened)]
        }
        let statement = try connection.cached(plan.byReferences)
        defer { statement.reset() }
        // In key order neighbouring rows share a page.
        var order: [Int]?
        if !references.isAscending { order = references.indices.sorted { references[$0] < references[$1] } }
        statement.bind(1, integers: IntegerArray(order.map { $0.map { references[$0] } } ?? references))
        var nodes = [IncrementalStoreNode?](repeating: nil, count: references.count)
        while try statement.step() {
          let node = try plan.node(statement, builder: builder, opened: opened)
          let position = Int(statement.int64(plan.positionColumn))
          nodes[order?[position] ?? position] = node
        }
        return nodes
      }
    }
  }

  /// The state of an object with its external values, however long.
  ///
  /// One statement.
  public func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?
  {
    let opened = try open
    let plan = opened.plans[entity.index]
    return try translating(path) {
      try opened.pool.fetch { connection in
        try plan.node(plan.wholeByReference, reference, connection, NodeBuilder(), opened)
      }
    }
  }

  /// The destinations of a to-many relationship for many sources at once.
  ///
  /// One statement whatever their number.
  public func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    let opened = try open
    if references.isEmpty { return RelationshipDestinations() }
    return try translating(path) {
      try opened.pool.fetch { connection in
        let statement = try connection.cached(opened.destinationPlans.text(relationship, opened.schema))
        defer { statement.reset() }
        statement.bind(1, integers: IntegerArray(references))
        let polymorphic = relationship.destination.hasSubentities
        var result = RelationshipDestinations()
        var source = 0
        while try statement.step() {
          let position = Int(statement.int64(0))
          while source < position {
            result.endSource()
            source += 1
          }
          if polymorphic {
            result.append(statement.int64(1), entityIndex: try opened.entityIndex(number: statement.int64(2)))
          } else {
            result.append(statement.int64(1))
          }
        }
        while source < references.count {
          result.endSource()
          source += 1
        }
        return result
      }
    }
  }
}

extension SelectPlan {
  /// The node of one row; nil where there is none.
  fileprivate func node(
    _ text: StatementText, _ reference: Int64, _ connection: Connection, _ builder: NodeBuilder,
    _ opened: SQLCipherStore.Opened
  ) throws -> IncrementalStoreNode? {
    let statement = try connection.cached(text)
    defer { statement.reset() }
    statement.bind(1, reference)
    guard try statement.step() else { return nil }
    return try node(statement, builder: builder, opened: opened)
  }
}

extension Array where Element == Int64 {
  var isAscending: Bool {
    for index in indices.dropFirst() where self[index - 1] > self[index] { return false }
    return true
  }
}
