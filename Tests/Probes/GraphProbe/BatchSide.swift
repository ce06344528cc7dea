import Strongroom

/// One context of a walk with batches, and the live results in it.
final class BatchSide {
  let name: String
  let context: ManagedObjectContext
  private let lists: [FetchedResultsController<ManagedObject>]
  /// What is held, with the title it had when it was last seen alive.
  private var held: [ManagedObject: String] = [:]
  private static let bound = 60

  init(_ name: String, _ context: ManagedObjectContext) throws {
    self.name = name
    self.context = context
    context.automaticallyMergesChangesFromParent = true
    let low = FetchPredicate.compare("number", .less, .integer(Int64(Self.bound)))
    let (byNumber, byBox) = (
      [FetchSortDescriptor("number"), FetchSortDescriptor("title")],
      [FetchSortDescriptor("box.title"), FetchSortDescriptor("title")]
    )
    lists = [
      try FetchedResultsController(FetchRequest("Item", where: low, sortDescriptors: byNumber), in: context),
      try FetchedResultsController(
        FetchRequest("Item", where: low, sortDescriptors: byNumber, fetchLimit: 5), in: context),
      try FetchedResultsController(
        FetchRequest("Item", where: low, sortDescriptors: byBox), in: context, sectionedBy: "box.title"),
    ]
    for list in lists { try list.performFetch() }
  }

  func all(_ entity: String) throws -> [ManagedObject] {
    try context.fetch(FetchRequest(entity, sortDescriptors: [FetchSortDescriptor("title")]))
  }

  /// Lets go of everything.
  func letGo() { held = [:] }

  func check() throws {
    context.processPendingChanges()
    // Objects whose changes are gone may have the rows of before a batch still, until a fetch finds
    // others; the next event shows them.
    for entity in ["Item", "Box"] { _ = try all(entity) }
    context.processPendingChanges()
    let items = try all("Item")
    for item in items where item.isDeleted { throw Difference("\(name): a fetch finds \(item)") }
    try checkHeld()
    let low = try items.filter { try ($0.get("number", as: Int.self) ?? .max) < Self.bound }
    let byNumber = try titles(
      sorted(low) { try [Self.padded($0.get("number", as: Int.self)), Self.title($0)] })
    try expect(titles(lists[0].fetchedObjects), byNumber, "live results")
    try expect(titles(lists[1].fetchedObjects), Array(byNumber.prefix(5)), "live results with a limit")
    try checkSections(low)
    for list in lists { if let failure = list.failure { throw failure } }
    for box in try all("Box") {
      try check(box, "items", items) { try $0.object("box") === box }
    }
    for mark in try all("Mark") {
      try check(mark, "items", items) { try $0.objects("marks").contains(mark) }
    }
    if let failure = context.faultFailure { throw failure }
  }

  /// New items may lead to a box that a batch deleted, of which it depends on who holds it what is
  /// known.
  private func checkSections(_ items: [ManagedObject]) throws {
    for box in try items.compactMap({ try $0.object("box") }) {
      _ = try Self.title(box)
      if box.isDeleted { return }
    }
    func told(_ items: [ManagedObject]) throws -> [String] {
      try items.map { try "\(Self.boxTitle($0)) \(Self.title($0))" }
    }
    let byBox = try sorted(items) { try [Self.boxTitle($0), Self.title($0)] }
    try expect(told(lists[2].sections.flatMap(\.objects)), told(byBox), "live results in sections")
    for section in lists[2].sections {
      let names = Set(try section.objects.map { try Self.boxTitle($0) })
      try expect(names.sorted(), [section.name], "a section")
    }
  }

  /// A to-many has what leads back to its owner, and nothing that fetches do not find.
  ///
  /// An item with unsaved changes has the row they were made on, whatever batches did since.
  private func check(
    _ owner: ManagedObject, _ relationship: String, _ items: [ManagedObject],
    _ leadsBack: (ManagedObject) throws -> Bool
  ) throws {
    let found = Array(try owner.objects(relationship))
    let known = Set(items)
    for item in found where !item.hasChanges && !known.contains(item) {
      throw Difference("\(name): \(owner).\(relationship) has \(item), which no fetch finds")
    }
    let own = try items.filter { try !$0.hasChanges && leadsBack($0) }
    try expect(
      titles(found.filter { !$0.hasChanges }).sorted(), titles(own).sorted(), "\(owner).\(relationship)")
  }

  /// What was deleted keeps its title, and what is here has the one that fetches find.
  private func checkHeld() throws {
    for (object, title) in held {
      if object.managedObjectContext == nil || object.isDeleted && !object.hasChanges {
        let kept = object.managedObjectContext == nil ? title : try Self.title(object)
        if kept != title { throw Difference("\(name): \(object) was \(title), and is \(kept)") }
        held[object] = nil
      } else if object.isDeleted {
        // A deletion goes with the newest row, as an edit does, until it is saved. A title that an
        // undo of the insertion has taken back is a change, which ends with the row.
        held[object] = try Self.storedTitle(object)
      }
    }
    for entity in ["Item", "Box", "Mark"] {
      // An edit goes with the row that it was made on.
      for object in try all(entity) { held[object] = object.hasChanges ? nil : try Self.title(object) }
    }
  }

  private func expect(_ found: [String], _ expected: [String], _ what: String) throws {
    if found == expected { return }
    throw Difference("\(name): \(what): expected \(expected), found \(found)")
  }

  private func sorted(_ items: [ManagedObject], by key: (ManagedObject) throws -> [String]) rethrows
    -> [ManagedObject]
  {
    try items.map { ($0, try key($0)) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  private func titles(_ items: [ManagedObject]) throws -> [String] { try items.map { try Self.title($0) } }

  private static func title(_ object: ManagedObject) throws -> String {
    try object.get("title", as: String.self) ?? ""
  }

  private static func storedTitle(_ object: ManagedObject) throws -> String {
    guard case .string(let title)? = try object.committedValues(forKeys: ["title"])["title"] else {
      return ""
    }
    return title
  }

  private static func boxTitle(_ item: ManagedObject) throws -> String {
    try item.object("box").map { try title($0) } ?? ""
  }

  private static func padded(_ number: Int?) -> String {
    let digits = "\(number ?? 0)"
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
