import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let undoFailures: [ContextCheck] = [
    ContextCheck("a deleted object that was merged retains all that undo needs, though it is not read (undo)")
    {
      factory in
      var bytes = Attribute("cover", .binary)
      bytes.allowsExternalBinaryDataStorage = true
      let cover = bytes
      let model = try ManagedObjectModel {
        Entity("Album") {
          Attribute("name", .string)
          cover
          Relationship("pages", toMany: "Page", inverse: "album", ordered: true)
          Relationship("extras", toMany: "Page", ordered: true)
        }
        Entity("Page") {
          Attribute("number", .integer32)
          Relationship("album", to: "Album", inverse: "pages")
        }
      }
      let scenario = try await ContextScenario(factory, model)
      let picture = Data(repeating: 7, count: 100_000)
      for isRefreshed in [false, true] {
        let (maker, context, other) = (scenario.newContext(), scenario.newContext(), scenario.newContext())
        let made = try maker.insert("Album")
        try made.set("name", "Summer")
        try made.set("cover", picture)
        let pages = try (0..<3).map { number in
          let page = try maker.insert("Page")
          try page.set("number", number)
          return page
        }
        try made.setObjects([pages[2], pages[0], pages[1]], forKey: "pages")
        try made.setObjects([pages[1], pages[0]], forKey: "extras")
        try maker.save()
        context.undoManager = UndoManager()
        let album = try context.existingObject(with: made.objectID)
        try context.delete(album)
        context.processPendingChanges()
        let news = other.didSaveObjects()
        try other.existingObject(with: made.objectID).set("name", "Winter")
        try other.save()
        if isRefreshed {
          try context.refresh(album, mergeChanges: true)
        } else {
          try context.mergeChanges(from: await Fixtures.first(1, of: news)[0])
        }
        try context.save()
        try expect(
          scenario.newContext().count(for: FetchRequest("Album", where: album.isItself)) == 0, "gone")
        try context.undo()
        try context.save()
        let fresh = scenario.newContext()
        for back in [
          try context.existingObject(with: made.objectID), try fresh.existingObject(with: made.objectID),
        ] {
          try expect(back.get("cover", as: Data.self) == picture, "the bytes")
          try expect(Fixtures.text(back) == "Winter", "the name as it was stored last")
          let numbers = try back.objects("pages").map { try Fixtures.number($0, "number") }
          try expect(numbers == [2, 0, 1], "its pages")
          let extras = try back.objects("extras").map { try Fixtures.number($0, "number") }
          try expect(extras == [1, 0], "a destination that does not reference it")
        }
      }
    },
    ContextCheck("undo keeps both ends in step after others moved the same object elsewhere (undo)") {
      factory in
      let policies: [MergePolicy] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
      ]
      for policy in policies {
        for (isBatch, isNowhere) in [(false, false), (false, true), (true, false), (true, true)] {
          let scenario = try await ContextScenario(factory)
          let maker = scenario.newContext()
          let made = try ["A", "B", "C"].map { try Fixtures.company(maker, $0) }
          let person = try Fixtures.person(maker, "Ada")
          try person.setObject(made[0], forKey: "employer")
          try maker.save()
          let (context, other) = (scenario.newContext(), scenario.newContext())
          context.undoManager = UndoManager()
          context.mergePolicy = policy
          let firms = try made.map { try context.existingObject(with: $0.objectID) }
          let ada = try context.existingObject(with: person.objectID)
          func check(_ step: String) throws {
            for firm in firms {
              let (found, wanted) = (
                try Fixtures.line(firm, "employees"), try ada.object("employer") === firm ? "Ada" : ""
              )
              try expect(found == wanted, "\(policy) \(isBatch) \(isNowhere), \(step): \(firm) has \(found)")
            }
          }
          try check("at first")
          try ada.setObject(isNowhere ? nil : firms[1], forKey: "employer")
          context.processPendingChanges()
          if isBatch {
            try other.batchUpdate(
              FetchRequest("Person"), set: ["employer": .reference(made[2].objectID.reference)])
          } else {
            try other.existingObject(with: ada.objectID)
              .setObject(other.existingObject(with: made[2].objectID), forKey: "employer")
            try other.save()
          }
          // Reads what is stored now beneath what was changed here.
          _ = try context.fetch(FetchRequest("Company"))
          _ = try Fixtures.line(firms[2], "employees")
          try context.save()
          try check("saved")
          try context.undo()
          try check("undone")
          try context.redo()
          try check("done again")
          try context.undo()
          try context.save()
          try check("undone and saved")
        }
      }
    },
    ContextCheck("a deletion that another undo leaves alone keeps what its own undo needs (undo)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (context, ada) = (desk.context, desk.ada)
      let other = try Fixtures.person(context, "Other")
      try other.set("motto", "other")
      let tags = try ["s", "t"].map { try Fixtures.tag(context, $0) }
      try ada.setObjects(tags, forKey: "favourites")
      try context.save()
      context.refreshAllObjects()
      context.undoManager?.removeAllActions()
      try context.delete(ada)
      context.processPendingChanges()
      try context.delete(other)
      context.processPendingChanges()
      try context.undo()
      try context.save()
      try context.undo()
      try context.save()
      let fresh = desk.scenario.newContext()
      let back = try fresh.existingObject(with: ada.objectID)
      try expect(Fixtures.names(back.objects("favourites")) == ["s", "t"], "its list")
    },
    ContextCheck("a child that undoes a deletion it saved into its parent has the one object back (parent)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (parent, ada) = (desk.context, desk.ada)
      parent.undoManager = nil
      let firm = try Fixtures.company(parent, "Firm")
      try ada.setObject(firm, forKey: "employer")
      try Fixtures.task("a", of: ada, in: parent)
      try parent.save()
      let before = try desk.state(parent)
      for savesParent in [false, true] {
        let child = ManagedObjectContext(parent: parent)
        child.undoManager = UndoManager()
        try child.delete(try child.existingObject(with: ada.objectID))
        try child.save()
        let isGone = parent.registeredObject(for: ada.objectID).map(\.isDeleted) ?? true
        try expect(isGone, "deleted in the parent")
        if savesParent { try parent.save() }
        try child.undo()
        try child.save()
        try expect(desk.state(child) == before, "back in the child")
        try expect(desk.state(parent) == before, "back in the parent")
        let own = parent.registeredObjects.filter { $0.objectID == ada.objectID }
        try expect(own.count == 1 && !own[0].isDeleted, "one object of its ID")
        try expect(parent.insertedObjects.count + parent.deletedObjects.count < 4, "nothing besides")
        try parent.save()
        try expect(desk.state(desk.scenario.newContext()) == before, "as stored")
        try expect(!parent.hasChanges, "and nothing is left")
      }
    },
    ContextCheck("an undo that fails loses nothing: what it could not do is undone by the next (undo)") {
      factory in
      let scenario = try await FailingOffice(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.person(context, "Ada")
      let tags = try ["s", "t"].map { try Fixtures.tag(context, $0) }
      try context.save()
      context.undoManager = UndoManager()
      try ada.add(contentsOf: tags, to: "tags")
      try ada.set("age", 30)
      context.processPendingChanges()
      try context.save()
      context.refreshAllObjects()
      _ = try Fixtures.number(ada)
      scenario.failing.isFailing.withLock { $0 = true }
      do {
        try context.undo()
        try expect(false, "the undo must fail")
      } catch is FailingStore.Failure {}
      try expect(context.undoManager?.canUndo == true, "there is something left to undo")
      scenario.failing.isFailing.withLock { $0 = false }
      try context.undo()
      try expect(Fixtures.number(ada) == 18 && ada.objects("tags").isEmpty, "undone")
      try expect(context.undoManager?.canUndo == false, "all of it")
      while context.undoManager?.canRedo == true { try context.redo() }
      try expect(Fixtures.number(ada) == 30 && ada.objects("tags").count == 2, "and redone")
      try expect(context.undoManager?.canUndo == true, "to be undone again")
    },
    ContextCheck("an undo whose object cannot be read fails, and does not pass it by (undo)") { factory in
      let scenario = try await FailingOffice(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.person(context, "Ada")
      try context.save()
      context.undoManager = UndoManager()
      try ada.set("age", 30)
      try context.save()
      context.refreshAllObjects()
      scenario.failing.isFailing.withLock { $0 = true }
      do {
        try context.undo()
        try expect(false, "the undo must fail")
      } catch is FailingStore.Failure {}
      scenario.failing.isFailing.withLock { $0 = false }
      try context.undo()
      try expect(Fixtures.number(ada) == 18, "undone")
    },
    ContextCheck(
      "a manager's undo does not throw: what it could not read, the next save tells (NSUndoManager)"
    ) {
      factory in
      let scenario = try await FailingOffice(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.person(context, "Ada")
      try context.save()
      context.undoManager = UndoManager()
      try ada.set("age", 30)
      try context.save()
      context.refreshAllObjects()
      scenario.failing.isFailing.withLock { $0 = true }
      context.undoManager?.undo()
      scenario.failing.isFailing.withLock { $0 = false }
      do {
        try context.save()
        try expect(false, "the save must tell")
      } catch is FailingStore.Failure {}
      try expect(context.undoManager?.canUndo == true, "there is something left to undo")
    },
  ]
}

extension ManagedObject {
  /// The condition to be this object.
  fileprivate var isItself: FetchPredicate {
    .comparison(FetchComparison(.selfObject, .equal, .value(.reference(objectID.reference))))
  }
}

/// A coordinator over a store that can be made to fail.
struct FailingOffice {
  let failing: FailingStore
  let coordinator: PersistentStoreCoordinator

  init(_ factory: any StoreFactory) async throws {
    let model = try ContextScenario.model()
    failing = FailingStore(try await factory.makeStore(model))
    coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(failing)
  }

  func newContext() -> ManagedObjectContext { ManagedObjectContext(coordinator) }
}

/// A store that reads and writes as another does, or fails.
final class FailingStore: IncrementalStore {
  struct Failure: Error {}

  static let storeType = "Failing"
  let isFailing = Locked(false)
  /// How often the store was asked for something.
  let calls = Fixtures.Count()
  private let store: any IncrementalStore

  init(_ store: any IncrementalStore) { self.store = store }

  init(model: ManagedObjectModel, description: PersistentStoreDescription) throws { throw Failure() }

  private var working: any IncrementalStore {
    get throws {
      calls.add()
      if isFailing.withLock({ $0 }) { throw Failure() }
      return store
    }
  }

  var identifier: UUID { store.identifier }
  var metadata: [String: String] { store.metadata }
  var storeEntities: [StoreEntity] { store.storeEntities }
  func loadMetadata() async throws {}
  func close() throws { try store.close() }

  func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode] {
    try working.fetchNodes(request, lookup: lookup)
  }

  func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try working.save(save, beforeCommit: beforeCommit)
  }

  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?] {
    try working.newValues(for: references, of: entity)
  }

  func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode? {
    try working.wholeValues(for: reference, of: entity)
  }

  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    try working.newValues(for: relationship, of: references)
  }

  func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID] {
    try working.obtainPermanentIDs(for: entities)
  }

  func enumerateRows(
    _ request: FetchRequest, begin: (RowColumns) throws -> Void, row: (RowCursor) throws -> Bool
  ) throws { try working.enumerateRows(request, begin: begin, row: row) }
  func insert(into entity: EntityDescription, next: (BatchRow) throws -> Bool) throws -> BatchResult {
    try working.insert(into: entity, next: next)
  }
  func update(_ batch: BatchUpdate) throws -> BatchResult { try working.update(batch) }
  func delete(matching request: FetchRequest) throws -> BatchResult { try working.delete(matching: request) }
}
