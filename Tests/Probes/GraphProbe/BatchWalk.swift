import SeededRandom
import Strongroom

/// A random walk of two contexts that merge, with batches of all kinds among their own changes.
///
/// What live results show and to-manys lead to is compared with plain filters over all objects.
final class BatchWalk {
  private let seed: UInt64
  private let kind: StoreKind
  private let isVerbose: Bool
  private var random: Random
  private var report = Report()
  private var recent: [String] = []
  private let folder: URL
  private var container: PersistentContainer
  private var sides: [BatchSide] = []
  private var lastNumber = 0
  private var vault = InMemoryVault()
  private var url: URL
  private var replay: ReplayCheck
  private static let remembered = 30
  private static let moment = 100

  init(seed: UInt64, kind: StoreKind, isVerbose: Bool) throws {
    self.kind = kind
    self.seed = seed
    self.isVerbose = isVerbose
    random = Random(seed: seed ^ 0xBA7C)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("batch-\(UUID().uuidString)")
    url = folder
    let model = try Self.model()
    container = PersistentContainer(
      managedObjectModel: model, description: PersistentStoreDescription(type: InMemoryStore.storeType))
    replay = ReplayCheck(model, in: folder)
  }

  private static func model() throws -> ManagedObjectModel {
    let values = [EntityDescription.recordsHistoryValuesKey: "YES"]
    return try ManagedObjectModel {
      Entity("Item", userInfo: values) {
        Attribute("title", .string, optional: false)
        Attribute("number", .integer32, default: 0)
        Relationship("box", to: "Box", inverse: "items")
        Relationship("marks", toMany: "Mark", inverse: "items")
      }
      Entity("Box", userInfo: values) {
        Attribute("title", .string, optional: false)
        Relationship("items", toMany: "Item", inverse: "box")
      }
      Entity("Mark", userInfo: values) {
        Attribute("title", .string, optional: false)
        Relationship("items", toMany: "Item", inverse: "marks", ordered: true)
      }
    }
  }

  func run(steps: Int) async throws -> Report {
    defer {
      try? container.close()
      try? FileManager.default.removeItem(at: folder)
    }
    try await begin()
    while report.steps < steps, report.differences < 10 {
      report.steps += 1
      do {
        try step()
        for side in sides { try side.check() }
        if report.steps % Self.moment == 0 { try await compareHistory(fromStart: false) }
      } catch {
        tell(error)
        try await begin()
      }
    }
    if steps > 0 {
      do {
        try await compareHistory(fromStart: true)
      } catch {
        tell(error)
      }
    }
    return report
  }

  private func compareHistory(fromStart: Bool) async throws {
    try await replay.run(try newContainer(), fromStart: fromStart, &report)
  }

  private func begin() async throws {
    sides = []
    try? container.close()
    url = folder.appendingPathComponent("\(report.differences).strongroom")
    vault = InMemoryVault()
    replay = ReplayCheck(container.managedObjectModel, in: folder)
    container = try newContainer()
    try await container.loadPersistentStores()
    sides = try ["one", "two"].map { try BatchSide($0, container.newContext()) }
    sides[0].context.undoManager = UndoManager()
  }

  /// A container on the file.
  private func newContainer() throws -> PersistentContainer {
    PersistentContainer(
      managedObjectModel: container.managedObjectModel, description: try kind.description(url, vault))
  }

  private func tell(_ error: any Error) {
    report.count(error)
    let text = error is Difference ? "\(error)" : "something threw that should not: \(error)"
    let lines =
      ["DIFFERENCE in batches: \(text)", "  seed \(seed), step \(report.steps), the last operations:"]
      + recent.suffix(Self.remembered).map { "    \($0)" }
    FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n\n").utf8))
    recent = []
  }

  private func note(_ side: BatchSide, _ what: String) {
    recent.append("\(side.name): \(what)")
    if isVerbose { say("\(report.steps) \(side.name): \(what)") }
  }

  private func newTitle() -> String {
    lastNumber += 1
    return "t\(lastNumber)"
  }

  // MARK: Steps

  private func step() throws {
    let side = sides[random.below(sides.count)]
    switch random.below(20) {
    case 0..<9: try change(side)
    case 9..<12: try batchInsert(side)
    case 12, 13: try batchUpdate(side)
    case 14: try batchDelete(side)
    case 15, 16: try save(side)
    case 17:
      note(side, "rollback")
      side.context.rollback()
    case 18:
      let isRedo = random.chance(3)
      note(side, isRedo ? "redo" : "undo")
      try isRedo ? side.context.redo() : side.context.undo()
    default: side.letGo()
    }
  }

  /// A save settles conflicts by the objects' trump, and is refused only where a link leads to what
  /// the other deleted.
  private func save(_ side: BatchSide) throws {
    note(side, "save")
    side.context.mergePolicy = .mergeByPropertyObjectTrump
    do {
      try side.context.save()
      report.saves += 1
    } catch let error as ContextError where error.code == .conflict {
      note(side, "refused, rollback")
      side.context.rollback()
    }
  }

  private func change(_ side: BatchSide) throws {
    let (items, boxes, marks) = (try side.all("Item"), try side.all("Box"), try side.all("Mark"))
    if boxes.count < 3 || marks.count < 2 || random.chance(20) {
      let name = boxes.count < 3 ? "Box" : "Mark"
      note(side, "insert \(name)")
      return try side.context.insert(name).set("title", newTitle())
    }
    guard let item = random.element(items), items.count < 60, !random.chance(4) else {
      if items.count >= 60, let item = random.element(items) {
        note(side, "delete \(item.objectID)")
        return try side.context.delete(item)
      }
      note(side, "insert Item")
      let item = try side.context.insert("Item")
      try item.set("title", newTitle())
      try item.set("number", random.below(100))
      return try item.setObject(random.element(boxes), forKey: "box")
    }
    switch random.below(9) {
    case 0, 1:
      note(side, "\(item.objectID).number")
      try item.set("number", random.below(100))
    case 2, 3:
      note(side, "\(item.objectID).box")
      try item.setObject(random.chance(4) ? nil : random.element(boxes), forKey: "box")
    case 4:
      guard let mark = random.element(marks) else { return }
      note(side, "\(item.objectID) has \(mark.objectID)")
      try item.add(mark, to: "marks")
    case 5:
      guard let mark = random.element(Array(try item.objects("marks"))) else { return }
      note(side, "\(item.objectID) has \(mark.objectID) no more")
      try item.remove(mark, from: "marks")
    case 6:
      guard let box = random.element(boxes) else { return }
      note(side, "\(box.objectID).title")
      try box.set("title", newTitle())
    case 7:
      guard let box = random.element(boxes), random.chance(3) else { return }
      note(side, "delete \(box.objectID)")
      try side.context.delete(box)
    default:
      note(side, "delete \(item.objectID)")
      try side.context.delete(item)
    }
  }

  /// What a batch can lead to: it knows nothing of unsaved objects.
  private func stored(_ entity: String, _ side: BatchSide) throws -> [ManagedObjectID] {
    var request = FetchRequest(entity)
    request.includesPendingChanges = false
    return try side.context.fetchObjectIDs(request)
  }

  private func batchInsert(_ side: BatchSide) throws {
    let (boxes, marks) = (try stored("Box", side), try stored("Mark", side))
    var left = 1 + random.below(4)
    note(side, "insert a batch of \(left)")
    try side.context.batchInsert(into: "Item") { row in
      if left == 0 { return false }
      left -= 1
      try row.set("title", .string(newTitle()))
      try row.set("number", .integer(Int64(random.below(100))))
      if let box = random.element(boxes), !random.chance(4) { try row.set("box", box) }
      if random.chance(2) { try row.set("marks", destinations: random.some(3, of: marks)) }
      return true
    }
  }

  private func numbers() -> FetchPredicate {
    let low = random.below(90)
    return .and([
      .compare("number", .greaterOrEqual, .integer(Int64(low))),
      .compare("number", .less, .integer(Int64(low + 1 + random.below(15)))),
    ])
  }

  private func batchUpdate(_ side: BatchSide) throws {
    let request = FetchRequest("Item", where: numbers())
    if random.chance(2), let box = random.element(try stored("Box", side)) {
      note(side, "update a batch to \(box)")
      try side.context.batchUpdate(request, set: ["box": .reference(box.reference)])
    } else {
      note(side, "update a batch's numbers")
      try side.context.batchUpdate(request, set: ["number": .integer(Int64(random.below(100)))])
    }
  }

  private func batchDelete(_ side: BatchSide) throws {
    if random.chance(3), let box = random.element(try stored("Box", side)) {
      note(side, "delete \(box) by a batch")
      let own = FetchComparison(.selfObject, .equal, .value(.reference(box.reference)))
      try side.context.batchDelete(FetchRequest("Box", where: .comparison(own)))
    } else {
      note(side, "delete a batch")
      try side.context.batchDelete(FetchRequest("Item", where: numbers()))
    }
  }
}
