import Strongroom

/// A context that does not move on while others save.
extension Walk {
  /// Pins a context to what is stored now.
  ///
  /// Sometimes it has looked before, sometimes it looks for the first time after others saved.
  func pin() throws {
    let context = container.newContext()
    if random.chance(2) { try View("pinned", context).holdAll() }
    note("pin")
    try context.setQueryGenerationFrom(.current)
    pinned = (context, stored)
    if random.chance(2) { try comparePinned() }
  }

  /// What a pinned context reads is of its moment, whatever was saved since, until it is let go on.
  func comparePinned() throws {
    guard let (context, graph) = pinned else { return }
    try compare(context, "pinned", graph)
    switch random.below(4) {
    case 0:
      note("unpin")
      try context.setQueryGenerationFrom(nil)
      pinned = nil
      try compare(context, "unpinned", stored)
    case 1:
      note("pin anew")
      try context.setQueryGenerationFrom(.current)
      pinned?.graph = stored
      try compare(context, "pinned anew", stored)
    default:
      // That alone does not move it on.
      try context.mergeChanges()
      try compare(context, "pinned still", graph)
    }
  }

  private func compare(_ context: ManagedObjectContext, _ name: String, _ graph: Graph) throws {
    let view = View(name, context)
    try view.holdAll()
    let found = view.objects.keys.sorted()
    if found != graph.live { throw Difference("\(name): expected the objects \(graph.live), found \(found)") }
    try Comparison(view: view, graph: graph, isStored: true).all()
    if context.hasChanges { throw Difference("\(name): hasChanges is true, but nothing was changed") }
  }
}
