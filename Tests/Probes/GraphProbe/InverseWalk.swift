import Foundation
import SeededRandom
import Strongroom

/// Many short cases of two contexts that merge each other's saves, in each of which both ends of
/// every relationship have to agree after every step: an object that a to-one leads to has its
/// inverse lead back, whatever edits, batches, undo and merge policies did.
///
/// There is no reference to compare with, so that batches may meet unsaved changes.
///
/// A case follows from its number alone: `--steps 0 --cases 1 --seed NUMBER` runs it again.
struct InverseWalk {
  private static let policies: [(name: String, policy: MergePolicy)] = [
    ("error", .error), ("objectTrump", .mergeByPropertyObjectTrump),
    ("storeTrump", .mergeByPropertyStoreTrump), ("overwrite", .overwrite), ("rollback", .rollback),
  ]
  let seed: UInt64
  let isVerbose: Bool

  /// - Returns: The steps that were taken, and the cases in which ends disagreed.
  func run(cases: Int) async throws -> Report {
    try await Report(of: cases, from: seed) {
      try await InverseCase(number: $0, leavingOut: $1, isVerbose: isVerbose, Self.policies)
    }
  }
}

/// One case: what is in it beside edits and saves, and the merge policy, follow from its number.
private final class InverseCase: ShortCase {
  private static let mostSteps = 30

  private let number: UInt64
  private let leftOut: Set<Int>
  private let isVerbose: Bool
  private let hasUndo: Bool
  private let hasBatches: Bool
  private let policy: String
  private let container: PersistentContainer
  private let contexts: [ManagedObjectContext]
  private var random: Random
  private var log: [String] = []
  private(set) var steps = 0
  private(set) var saves = 0

  init(
    number: UInt64, leavingOut leftOut: Set<Int>, isVerbose: Bool,
    _ policies: [(name: String, policy: MergePolicy)]
  ) async throws {
    self.number = number
    self.leftOut = leftOut
    self.isVerbose = isVerbose
    (hasUndo, hasBatches) = (number & 1 != 0, number & 2 != 0)
    let chosen = policies[Int(number / 4 % UInt64(policies.count))]
    policy = chosen.name
    random = Random(seed: number)
    let container = PersistentContainer(
      managedObjectModel: try Self.model(),
      description: PersistentStoreDescription(type: InMemoryStore.storeType))
    try await container.loadPersistentStores()
    self.container = container
    contexts = (0..<2).map { _ in
      let context = container.newContext()
      context.mergePolicy = chosen.policy
      context.undoManager = UndoManager()
      context.automaticallyMergesChangesFromParent = true
      return context
    }
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Note") {
        Relationship("folder", to: "Folder", inverse: "notes")
        Relationship("tags", toMany: "Folder", inverse: "tagged")
        Relationship("next", to: "Note", inverse: "previous")
        Relationship("previous", to: "Note", inverse: "next")
      }
      Entity("Folder") {
        Relationship("notes", toMany: "Note", inverse: "folder")
        Relationship("tagged", toMany: "Note", inverse: "tags")
      }
    }
  }

  func close() { try? container.close() }

  func account(of error: any Error) -> String {
    let title =
      "DIFFERENCE in inverses, case \(number) (undo \(hasUndo), batches \(hasBatches), policy \(policy))"
    let ends = contexts.enumerated().flatMap { place, context in
      ["  context \(place) has"] + lines(context)
    }
    let text = ["\(title): \(error)"] + log.map { "    \($0)" } + ends + ["  stored is"]
    return (text + lines(container.newContext())).joined(separator: "\n")
  }

  /// What a context has, object by object.
  private func lines(_ context: ManagedObjectContext) -> [String] {
    let objects = (try? ["Note", "Folder"].flatMap { try Self.objects($0, of: context) }) ?? []
    return objects.map { object in
      let ends = object.entity.relationships.compactMap { relationship -> String? in
        let destinations = (try? Self.destinations(object, relationship)) ?? []
        return destinations.isEmpty
          ? nil : "\(relationship.name): \(destinations.map(Self.name).joined(separator: ", "))"
      }
      return "    \(Self.name(object))\(object.hasChanges ? "*" : ""), \(ends.joined(separator: "; "))"
    }
  }

  private func note(_ line: String) {
    log.append(line)
    if isVerbose { say("case \(number): \(line)") }
  }

  func run() throws {
    for _ in 0..<4 {
      try contexts[0].insert("Note")
      try contexts[0].insert("Folder")
    }
    try contexts[0].save()
    for _ in 0..<Self.mostSteps {
      let who = random.below(contexts.count)
      try step(who)
      steps += 1
      for (place, context) in contexts.enumerated() { try check(context, "context \(place)") }
    }
    for (place, context) in contexts.enumerated() {
      try save(context, "\(place)")
      try check(context, "context \(place) at the end")
    }
    try check(container.newContext(), Self.stored)
  }

  // MARK: Steps

  private func step(_ who: Int) throws {
    let context = contexts[who]
    let notes = try Self.objects("Note", of: context).filter { !$0.isDeleted }
    let folders = try Self.objects("Folder", of: context).filter { !$0.isDeleted }
    let (first, second, folder) = (random.element(notes), random.element(notes), random.element(folders))
    let kind = random.below(15)
    if (9...11).contains(kind), !hasUndo { return }
    if kind >= 13, !hasBatches { return }
    if leftOut.contains(steps) { return }
    note("\(who): \(Self.kinds[kind]) \(Self.name(first)) \(Self.name(kind == 5 ? second : folder))")
    do {
      switch kind {
      case 6: if let first { try context.delete(first) }
      case 7: if let folder { try context.delete(folder) }
      case 8: try context.insert("Note").setObject(folder, forKey: "folder")
      case 9, 10: try context.undo()
      case 11: try context.redo()
      case 12: try save(context, "\(who)")
      case 13: if let folder { try batchDelete(folder, in: context) }
      case 14: if let first { try batchUpdate(first, to: folder, in: context) }
      default: if let first { try edit(kind, first, second, folder) }
      }
    } catch let error as ContextError where [.objectNotFound, .conflict].contains(error.code) {
      note("   refused: \(error.code)")
    }
  }

  private static let stored = "the store"
  private static let kinds = [
    "folder =", "folder = nil", "add to notes", "add tag", "remove tag", "next =", "delete note",
    "delete folder", "insert into", "undo", "undo", "redo", "save", "batch deletes folder",
    "batch sets folder",
  ]

  private func edit(_ kind: Int, _ note: ManagedObject, _ other: ManagedObject?, _ folder: ManagedObject?)
    throws
  {
    switch kind {
    case 0: try note.setObject(folder, forKey: "folder")
    case 1: try note.setObject(nil, forKey: "folder")
    case 5: try note.setObject(other, forKey: "next")
    default:
      guard let folder else { return }
      switch kind {
      case 2: try folder.add(note, to: "notes")
      case 3: try note.add(folder, to: "tags")
      default: try folder.remove(note, from: "tagged")
      }
    }
  }

  /// A save that is refused is taken back.
  private func save(_ context: ManagedObjectContext, _ name: String) throws {
    do {
      try context.save()
      saves += 1
    } catch let error as ContextError where error.code == .conflict {
      note("\(name): refused, rollback")
      context.rollback()
    }
  }

  private func batchDelete(_ folder: ManagedObject, in context: ManagedObjectContext) throws {
    guard !folder.objectID.isTemporaryID else { return }
    try context.batchDelete(FetchRequest("Folder", where: Self.isSelf(folder)))
  }

  private func batchUpdate(_ note: ManagedObject, to folder: ManagedObject?, in context: ManagedObjectContext)
    throws
  {
    guard !note.objectID.isTemporaryID else { return }
    let stored = folder.flatMap { $0.objectID.isTemporaryID ? nil : $0.objectID.reference }
    do {
      try context.batchUpdate(
        FetchRequest("Note", where: Self.isSelf(note)),
        set: ["folder": stored.map { .reference($0) } ?? .null])
    } catch let error as StoreError where error.code == .conflict {
      self.note("   refused: the folder is gone from the store")
    }
  }

  private static func isSelf(_ object: ManagedObject) -> FetchPredicate {
    .comparison(FetchComparison(.selfObject, .equal, .value(.reference(object.objectID.reference))))
  }

  // MARK: Checking

  private static func objects(_ entity: String, of context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.fetch(FetchRequest(entity))
  }

  private static func name(_ object: ManagedObject?) -> String {
    guard let object else { return "-" }
    let marks = (object.isInserted ? "new " : "") + (object.isDeleted ? "deleted " : "")
    return "\(marks)\(object.entity.name) \(object.objectID.reference)"
  }

  private static func destinations(_ object: ManagedObject, _ relationship: RelationshipDescription) throws
    -> [ManagedObject]
  {
    relationship.isToMany
      ? Array(try object.objects(relationship.name))
      : try object.object(relationship.name).map { [$0] } ?? []
  }

  private func check(_ context: ManagedObjectContext, _ place: String) throws {
    for object in try ["Note", "Folder"].flatMap({ try Self.objects($0, of: context) }) {
      for relationship in object.entity.relationships {
        guard let inverse = relationship.inverse else { continue }
        let destinations = try Self.destinations(object, relationship)
        if Set(destinations).count < destinations.count {
          throw Difference("\(place): \(Self.name(object)).\(relationship.name) has one twice")
        }
        for destination in destinations
        where try !Self.destinations(destination, inverse).contains(object) {
          // What is to lead to an object that is gone stays so until the save tells of it.
          let isThere =
            (try? context.existingObject(with: destination.objectID)).map { !$0.isDeleted } ?? false
          if !isThere, place != Self.stored { continue }
          throw Difference(
            "\(place): \(Self.name(object)).\(relationship.name) leads to \(Self.name(destination)), whose"
              + " \(inverse.name) does not lead back")
        }
      }
    }
  }
}
