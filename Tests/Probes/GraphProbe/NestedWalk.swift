import Foundation
import SeededRandom
import Strongroom

/// Many short cases of a main context with children, undo, and IDs obtained ahead of a save.
///
/// Every link and order that the main context has before it saves, it has afterwards, and so has a
/// context that reads the store. Only a child's save may throw, and only `conflict` or
/// `objectNotFound`.
///
/// A case follows from its number alone: `--steps 0 --nested 1 --seed NUMBER` runs it again.
struct NestedWalk {
  let seed: UInt64
  let isVerbose: Bool

  /// - Returns: The saves, and the cases in which a save changed what it saved.
  func run(cases: Int) async throws -> Report {
    try await Report(of: cases, from: seed) {
      try await NestedCase(number: $0, leavingOut: $1, isVerbose: isVerbose)
    }
  }
}

/// One case: which of undo, children, grandchildren and early IDs are in it follows from its number.
private final class NestedCase: ShortCase {
  private static let mostSteps = 60

  /// A context with the objects that it has seen, which it holds.
  private struct Level {
    let name: String
    let context: ManagedObjectContext
    let parent: Int?
    let obtainsIDs: Bool
    var held: [ManagedObject] = []
  }

  private let number: UInt64
  private let leftOut: Set<Int>
  private let isVerbose: Bool
  private let hasUndo: Bool
  private let container: PersistentContainer
  private var levels: [Level] = []
  private var random: Random
  private var named: Int64 = 0
  private var log: [String] = []
  private(set) var steps = 0
  private(set) var saves = 0
  private var isLeftOut = false

  init(number: UInt64, leavingOut leftOut: Set<Int>, isVerbose: Bool) async throws {
    self.number = number
    self.leftOut = leftOut
    self.isVerbose = isVerbose
    hasUndo = number & 1 != 0
    random = Random(seed: number)
    container = PersistentContainer(
      managedObjectModel: try Self.model(),
      description: PersistentStoreDescription(type: InMemoryStore.storeType))
    try await container.loadPersistentStores()
    let (hasIDs, hasChildren, hasGrandchild) = (number & 2 != 0, number & 12 != 0, number & 8 != 0)
    addLevel("main", obtainsIDs: hasIDs)
    if hasChildren {
      addLevel("child", of: 0, obtainsIDs: number & 16 != 0)
      addLevel("sibling", of: 0, obtainsIDs: number & 16 != 0)
    }
    if hasGrandchild { addLevel("grandchild", of: 1, obtainsIDs: number & 16 != 0) }
  }

  private func addLevel(_ name: String, of parent: Int? = nil, obtainsIDs: Bool) {
    let context =
      parent.map { ManagedObjectContext(parent: levels[$0].context) } ?? container.newContext()
    if hasUndo { context.undoManager = UndoManager() }
    levels.append(Level(name: name, context: context, parent: parent, obtainsIDs: obtainsIDs))
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Node") {
        Attribute("name", .integer64)
        Relationship("children", toMany: "Node", inverse: "parent", ordered: true)
        Relationship("parent", to: "Node", inverse: "children")
        Relationship("friends", toMany: "Node", inverse: "friendOf", ordered: true)
        Relationship("friendOf", toMany: "Node", inverse: "friends")
        Relationship("peers", toMany: "Node", inverse: "peers")
        Relationship("wife", to: "Node", inverse: "husband")
        Relationship("husband", to: "Node", inverse: "wife")
      }
    }
  }

  func close() { try? container.close() }

  func account(of error: any Error) -> String {
    let title =
      "DIFFERENCE in nested contexts, case \(number) (undo \(hasUndo), contexts \(levels.count),"
      + " early IDs \(levels.map(\.obtainsIDs)))"
    return (["\(title): \(error)"] + log.map { "    \($0)" }).joined(separator: "\n")
  }

  private func note(_ line: String) {
    log.append(line)
    if isVerbose { say("case \(number): \(line)") }
  }

  func run() throws {
    for _ in 0..<4 { try insert(0) }
    for place in levels.indices { try hold(place) }
    try save(0)
    for number in 0..<Self.mostSteps {
      isLeftOut = leftOut.contains(number)
      try step(random.below(levels.count))
      steps += 1
    }
    isLeftOut = false
    for place in levels.indices.reversed() { try save(place) }
  }

  // MARK: Steps

  private static let lists = ["children", "friends", "friendOf", "peers"]
  private static let ends = ["parent", "wife", "husband"]

  private func step(_ place: Int) throws {
    let level = levels[place]
    try hold(place)
    let nodes = level.held.filter { $0.managedObjectContext === level.context && !$0.isDeleted }
    let (first, second) = (random.element(nodes), random.element(nodes))
    do {
      switch random.below(20) {
      case 0, 1: try insert(place)
      case 2:
        if let first { try told("\(level.name): delete \(name(first))") { try level.context.delete(first) } }
      case 3: if hasUndo { try told("\(level.name): undo") { try level.context.undo() } }
      case 4: if hasUndo { try told("\(level.name): redo") { try level.context.redo() } }
      case 5:
        guard level.obtainsIDs else { return }
        try told("\(level.name): obtain IDs") {
          try level.context.obtainPermanentIDs(for: nodes.filter(\.isInserted))
        }
      case 6, 7: try save(place)
      case 8: try told("\(level.name): event ends") { level.context.processPendingChanges() }
      case 9...11:
        guard let first, let end = random.element(Self.ends) else { return }
        let destination = random.chance(4) ? nil : second
        try told("\(level.name): \(name(first)).\(end) = \(destination.map(name) ?? "nil")") {
          try first.setObject(destination, forKey: end)
        }
      default: if let first, let second { try changeList(level, first, second) }
      }
    } catch let error as ContextError where [.objectNotFound, .conflict].contains(error.code) {
      note("   refused: \(error.code)")
    }
  }

  private func told(_ line: String, _ body: () throws -> Void) throws {
    if isLeftOut { return }
    note(line)
    try body()
  }

  private func changeList(_ level: Level, _ first: ManagedObject, _ second: ManagedObject) throws {
    guard let list = random.element(Self.lists) else { return }
    let isOrdered = list == "children" || list == "friends"
    let present = try first.objects(list)
    switch random.below(isOrdered ? 4 : 3) {
    case 0:
      guard let lost = random.element(Array(present)) else { return }
      try told("\(level.name): \(name(first)).\(list) loses \(name(lost))") {
        try first.remove(lost, from: list)
      }
    case 3:
      let wanted = present.shuffled(using: &random)
      try told("\(level.name): \(name(first)).\(list) = \(wanted.map(name))") {
        try first.setObjects(wanted, forKey: list)
      }
    default:
      try told("\(level.name): \(name(first)).\(list) gets \(name(second))") {
        try first.add(second, to: list)
      }
    }
  }

  private func insert(_ place: Int) throws {
    named += 1
    if isLeftOut { return }
    note("\(levels[place].name): insert \(named)")
    let node = try levels[place].context.insert("Node")
    try node.set("name", named)
    levels[place].held.append(node)
  }

  /// Holds what a context has, as a program does that shows it.
  private func hold(_ place: Int) throws {
    let known = Set(levels[place].held)
    let present = try levels[place].context.fetch(FetchRequest("Node"))
    levels[place].held += present.filter { !known.contains($0) }
  }

  // MARK: Saving

  /// A save that is refused is rolled back.
  ///
  /// The main context may be refused only if a child linked to an object that main has deleted since.
  private func save(_ place: Int) throws {
    if isLeftOut { return }
    let level = levels[place]
    note("\(level.name): save")
    guard let parent = level.parent else { return try saveToStore(level.context) }
    do {
      try level.context.save()
      // A child that has read what its parent has changed since is not told of it before the parent saves.
      if parent > 0 { return }
      let beside = ManagedObjectContext(parent: levels[0].context)
      try compare(
        picture(levels[0].context), picture(beside), "main after \(level.name) has saved", "a new child of it"
      )
    } catch let error as ContextError where error.code == .conflict {
      note("   refused, rollback")
      level.context.rollback()
    }
  }

  private func saveToStore(_ context: ManagedObjectContext) throws {
    let before = try picture(context)
    do { try context.save() } catch let error as ContextError where error.code == .conflict {
      guard try leadsNowhere(context) else { throw Difference("main is refused: \(error)") }
      note("   refused, rollback")
      return context.rollback()
    }
    saves += 1
    let after = try picture(context)
    try compare(before, after, "before the save", "after it")
    try compare(after, try picture(container.newContext()), "after the save", "in the store")
    for level in levels.dropFirst() where !hasChanges(level) {
      level.context.refreshAllObjects()
      try compare(after, try picture(level.context), "after the save", "in \(level.name)")
    }
  }

  /// Whether a changed object refers to one that is not in the store.
  private func leadsNowhere(_ context: ManagedObjectContext) throws -> Bool {
    let reader = container.newContext()
    for node in context.insertedObjects + context.updatedObjects {
      for relationship in node.entity.relationships {
        for end in try destinations(node, relationship) where !end.isInserted {
          do { _ = try reader.existingObject(with: end.objectID) } catch let error as ContextError
            where error.code == .objectNotFound
          { return true }
        }
      }
    }
    return false
  }

  private func hasChanges(_ level: Level) -> Bool {
    level.context.hasChanges || level.parent.map { hasChanges(levels[$0]) } == true
  }

  private func compare(_ one: [String], _ other: [String], _ first: String, _ second: String) throws {
    if one == other { return }
    let (lost, came) = (one.filter { !other.contains($0) }, other.filter { !one.contains($0) })
    throw Difference("\(first) \(lost), \(second) \(came)")
  }

  private func name(_ object: ManagedObject) -> String {
    (try? object.get("name", as: Int.self)).map { String($0) } ?? "?"
  }

  /// Every object's links, in order where they have one.
  private func picture(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(FetchRequest("Node")).filter { !$0.isDeleted }.map { node in
      let links = try node.entity.relationships.sorted { $0.name < $1.name }.compactMap {
        relationship -> String? in
        let names = try destinations(node, relationship).map(name)
        if names.isEmpty { return nil }
        return
          "\(relationship.name) \((relationship.isOrdered ? names : names.sorted()).joined(separator: " "))"
      }
      return "\(name(node)): \(links.joined(separator: ", "))"
    }.sorted()
  }

  private func destinations(_ node: ManagedObject, _ relationship: RelationshipDescription) throws
    -> [ManagedObject]
  {
    relationship.isToMany
      ? Array(try node.objects(relationship.name))
      : try node.object(relationship.name).map { [$0] } ?? []
  }
}
