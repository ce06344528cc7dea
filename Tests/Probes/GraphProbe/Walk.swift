import SeededRandom
import Strongroom

/// One random walk: a context over a real file, and the reference beside it.
final class Walk {
  let model: ManagedObjectModel
  let vault = InMemoryVault()
  let seed: UInt64
  let kind: StoreKind
  let isVerbose: Bool
  var random: Random
  /// What is looked at is chosen apart, so that looking more often does not change the walk.
  private var glance: Random
  var report = Report()
  private var progress: Progress
  private let folder: URL
  private var replay: ReplayCheck
  private(set) var url: URL

  // What the walk goes through.
  private(set) var container: PersistentContainer
  /// The context that is walked in.
  private(set) var main: View
  /// A context that changes nothing, and takes in by itself what the others save.
  private(set) var watcher: View
  /// A context that stays at one moment of the file, and what the file had then.
  var pinned: (context: ManagedObjectContext, graph: Graph)?
  private(set) var identities = Identities()

  // What it should be.
  /// What the context walked in has.
  var current = Graph()
  /// What the file has.
  var stored = Graph()
  /// What undoing and redoing bring, the last at the end; as many as `levels` allows, or all.
  var undoable: [Graph] = []
  var redoable: [Graph] = []
  private(set) var levels = 0
  /// The objects that the context changed since it last saved, or may think it did; of which the
  /// links; and which fields.
  var touched: Set<Int> = []
  var linked: Set<Int> = []
  var named: [Int: Set<Int>] = [:]
  /// Every object that was ever in the file.
  var everStored: Set<Int> = []
  /// Whether an object was deleted since the last save while a denial stood.
  private var sawGhosts = false

  private var lastHandle = 0
  private var recent: [(String, Operation?)] = []
  /// How many steps from one comparison of everything to the next; it changes with each save.
  private var interval = 3
  private var stepsSinceSave = 0
  private let steps: Int
  /// The interval that was asked for; nil for any.
  private let every: Int?
  private static let shown = 10
  private static let remembered = 30

  init(seed: UInt64, steps: Int, every: Int?, kind: StoreKind, isVerbose: Bool) throws {
    self.kind = kind
    self.seed = seed
    self.steps = steps
    self.every = every
    self.isVerbose = isVerbose
    random = Random(seed: seed)
    glance = Random(seed: ~seed)
    progress = Progress(steps: steps)
    model = try GraphModel.make()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("graph-\(UUID().uuidString)")
    url = folder
    replay = ReplayCheck(model, in: folder)
    container = PersistentContainer(
      managedObjectModel: model, description: PersistentStoreDescription(type: InMemoryStore.storeType))
    main = View("context", container.newContext())
    watcher = View("watcher", container.newContext())
  }

  /// Takes the steps.
  ///
  /// After a difference it begins anew with an empty file, so that one fault is told once.
  func run() async throws -> Report {
    defer {
      try? container.close()
      try? FileManager.default.removeItem(at: folder)
    }
    try await begin()
    while report.steps < steps, report.differences < Self.shown {
      report.steps += 1
      do {
        try await step()
        try check()
      } catch {
        tell(error)
        try await begin()
      }
      progress.show(report)
    }
    do {
      try await compareHistory(fromStart: true)
    } catch {
      tell(error)
    }
    return report
  }

  // MARK: Files

  private func begin() async throws {
    try? container.close()
    url = folder.appendingPathComponent("\(report.differences).strongroom")
    identities = Identities()
    (current, stored, everStored, recent) = (Graph(), Graph(), [], [])
    replay = ReplayCheck(model, in: folder)
    try await open()
  }

  /// Opens the file with new contexts, which know nothing yet.
  func open() async throws {
    pinned = nil
    container = try newContainer()
    try await container.loadPersistentStores()
    main = View("context", container.newContext(), identities)
    main.context.undoManager = UndoManager()
    levels = random.chance(3) ? 4 : 0
    main.context.undoManager?.levelsOfUndo = levels
    main.context.automaticallyMergesChangesFromParent = random.chance(2)
    watcher = View("watcher", container.newContext(), identities)
    watcher.context.automaticallyMergesChangesFromParent = true
    current = stored
    settled()
    forgetHistory()
  }

  /// A container on the file, with nothing in common with others but the vault.
  func newContainer() throws -> PersistentContainer {
    PersistentContainer(managedObjectModel: model, description: try kind.description(url, vault))
  }

  func newHandle() -> Int {
    lastHandle += 1
    return lastHandle
  }

  // MARK: Steps

  private func step() async throws {
    stepsSinceSave += 1
    if random.chance(40) || stepsSinceSave > 100 { return try await save() }
    switch random.below(1000) {
    case 0..<70: try undoOrRedo()
    case 70..<95: try refresh()
    case 95..<103: letGo()
    case 103..<111: try await changeElsewhere()
    case 111..<116: try await conflict()
    case 116..<119: try await meetUnique()
    case 119..<128: try await changeInChild()
    case 128..<132: try rollback()
    case 132..<134: try reset()
    case 145..<150: try pin()
    case 134: try await reopen()
    case 150..<156: try await importAgain()
    case 135..<145: try misuse()
    default: try change()
    }
  }

  /// Changes something: mostly one thing, sometimes a few in one event.
  private func change() throws {
    let before = current
    for _ in 0..<(random.chance(6) ? 2 + random.below(3) : 1) {
      var choice: Choice?
      for _ in 0..<4 where choice == nil { choice = choose(in: current, base: stored) }
      guard let choice else { continue }
      for operation in choice.operations {
        note("", operation)
        try main.perform(operation)
      }
      let old = current
      current = choice.after
      mark(from: old, to: current, choice.operations)
      forgetMissing(since: old)
    }
    if current != before { try setMood() }
    endEvent(before)
  }

  /// Sets what is never stored, which is no change to save.
  private func setMood() throws {
    guard random.chance(8), let handle = random.element(current.live) else { return }
    let object = try main.object(handle)
    let (hadChanges, mood) = (object.hasChanges, "mood \(random.below(9))")
    note("\(handle).\(GraphModel.mood) = \(mood)")
    try object.set(GraphModel.mood, mood)
    if object.hasChanges != hadChanges || object.managedObjectContext !== main.context {
      throw Difference("context: \(handle) has changes since a transient value was set")
    }
    let found = try object.get(GraphModel.mood, as: String.self)
    if found != mood { throw Difference("context: \(handle): expected \(mood), found \(found ?? "nil")") }
  }

  /// Ends the event, which makes its changes one group to undo.
  func endEvent(_ before: Graph) {
    main.context.processPendingChanges()
    forgetMissing(since: before)
    if current == before { return forgetHistory() }
    undoable.append(before)
    redoable = []
    if levels > 0, undoable.count > levels { undoable.removeFirst() }
  }

  func forgetMissing(since before: Graph) {
    for handle in before.things.keys where current.things[handle] == nil { main.forget(handle) }
  }

  /// On both sides: what follows cannot be undone by going back to what was before.
  func forgetHistory() {
    main.context.undoManager?.removeAllActions()
    undoable = []
    redoable = []
  }

  /// Keeps account of what the context has changed.
  func mark(from before: Graph, to after: Graph, _ operations: [Operation] = []) {
    for handle in after.changes(since: before) {
      touched.insert(handle)
      touched.formUnion(before.oneWayDestinations(handle))
      touched.formUnion(after.oneWayDestinations(handle))
      guard let old = before.things[handle], let new = after.things[handle], !old.isGhost, !new.isGhost else {
        linked.insert(handle)
        continue
      }
      if old.links != new.links { linked.insert(handle) }
      for place in new.values.indices where old.values[place] != new.values[place] {
        named[handle, default: []].insert(place)
      }
    }
    for operation in operations {
      touched.formUnion(operation.handles)
      guard case .set(let handle, let name, _) = operation else {
        linked.formUnion(operation.handles)
        continue
      }
      let place = after.kind(handle).fields.firstIndex { $0.name == name }
      if let place { named[handle, default: []].insert(place) }
    }
    if after.hasGhosts { sawGhosts = true }
  }

  /// The context has no changes any more.
  func settled() {
    (touched, linked, named) = ([], [], [:])
    everStored.formUnion(stored.live)
    // A copy from before may have links to what a denial held and what is gone now.
    if sawGhosts { forgetHistory() }
    sawGhosts = false
    interval = [3, 10, 20, 60][random.below(4)]
    stepsSinceSave = 0
  }

  // MARK: Telling

  func note(_ what: String, _ operation: Operation? = nil) {
    recent.append((what, operation))
    if recent.count > 2 * Self.remembered { recent.removeFirst(Self.remembered) }
    if isVerbose { say("\(report.steps) \(what)\(operation.map { "\($0)" } ?? "")") }
  }

  private func tell(_ error: any Error) {
    report.count(error)
    let text = error is Difference ? "\(error)" : "something threw that should not: \(error)"
    var lines = ["DIFFERENCE \(text)", "  seed \(seed), step \(report.steps), the last operations:"]
    lines += recent.suffix(Self.remembered).map { "    \($0)\($1.map { "\($0)" } ?? "")" }
    FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n\n").utf8))
  }

  // MARK: Looking

  /// Sometimes compares what is stored with what the history says.
  func glanceAtHistory() async throws {
    if glance.chance(40) { try await compareHistory(fromStart: false) }
  }

  private func compareHistory(fromStart: Bool) async throws {
    try await replay.run(try newContainer(), fromStart: fromStart, &report)
  }

  private func check() throws {
    try checkHistory()
    if let last = recent.last?.1, interval == 3 {
      let view = Comparison(view: main, graph: current)
      for handle in last.handles where current.isLive(handle) { try view.object(handle) }
    }
    if report.steps % max(every ?? interval, 1) == 0 { try checkMain() }
  }

  private func checkHistory() throws {
    let (canUndo, canRedo) = (main.context.undoManager?.canUndo, main.context.undoManager?.canRedo)
    if canUndo != !undoable.isEmpty || canRedo != !redoable.isEmpty {
      throw Difference(
        "context: there are \(undoable.count) groups to undo and \(redoable.count) to redo; canUndo is"
          + " \(canUndo ?? false), canRedo \(canRedo ?? false)")
    }
  }

  /// Compares everything in the context, and what it says of its changes.
  func checkMain() throws {
    if let fault = current.fault() { throw Difference("the reference itself: \(fault)") }
    let comparison = Comparison(view: main, graph: current)
    try comparison.all()
    let (now, then) = (Set(current.live), Set(stored.live))
    // By their IDs, since undoing an insertion takes back the handle too.
    let deleted = Set(main.context.deletedObjects.map(\.objectID))
    let expected = then.subtracting(now)
    if deleted != Set(expected.compactMap { identities.ids[$0] }) {
      throw Difference("context: deletedObjects: expected \(expected.sorted()), found \(deleted)")
    }
    // Whether an object whose saved deletion was undone counts as new is the context's own affair.
    let inserted = Set(try main.context.insertedObjects.map { try main.peek($0) ?? 0 })
    let new = now.subtracting(everStored)
    if !inserted.isSuperset(of: new) || !inserted.isSubset(of: now.subtracting(then)) {
      throw Difference("context: insertedObjects: expected \(new.sorted()), found \(inserted.sorted())")
    }
    if current != stored, !main.context.hasChanges { throw Difference("context: hasChanges is false") }
    if let handle = glance.element(now.intersection(then).sorted()) {
      try comparison.changes(of: handle, stored: stored, isLinked: linked.contains(handle))
    }
  }
}
