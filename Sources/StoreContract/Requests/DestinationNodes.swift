/// The destinations of one relationship of many objects, with their nodes.
public struct DestinationNodes: Sendable {
  /// The destinations.
  public let destinations: RelationshipDestinations
  /// The nodes, in the order of `destinations.references`; nil where there is no such object.
  public let nodes: [IncrementalStoreNode?]

  /// Creates the value from destinations and nodes.
  public init(destinations: RelationshipDestinations, nodes: [IncrementalStoreNode?]) {
    self.destinations = destinations
    self.nodes = nodes
  }

  /// Groups nodes by the index of their source; the order within a source stays.
  package init(_ nodes: [IncrementalStoreNode], owners: [Int32], sources: Int, withEntities: Bool) {
    var starts = [Int](repeating: 0, count: sources + 1)
    for owner in owners { starts[Int(owner) + 1] += 1 }
    for source in 0..<sources { starts[source + 1] += starts[source] }
    var next = starts
    var grouped = [IncrementalStoreNode?](repeating: nil, count: nodes.count)
    for (node, owner) in zip(nodes, owners) {
      grouped[next[Int(owner)]] = node
      next[Int(owner)] += 1
    }
    self.nodes = grouped
    destinations = RelationshipDestinations(
      offsets: starts, references: grouped.map { $0?.reference ?? 0 },
      entityIndices: withEntities ? grouped.map { Int32($0?.entity.index ?? 0) } : [])
  }
}
