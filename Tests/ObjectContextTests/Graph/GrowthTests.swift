import Foundation
import Glibc
import Strongroom
import Testing

/// Work on four times as much takes about four times as long: no step looks at all the others.
@Suite("The cost of many objects grows with their number", .serialized)
struct GrowthTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Item") {
        Attribute("key", .integer64)
        Attribute("note", .string)
        Relationship("box", to: "Box", inverse: "items")
        Relationship("shelf", to: "Box", inverse: "row")
        UniquenessConstraint("key")
      }
      Entity("Box") {
        Attribute("name", .string)
        Relationship("items", toMany: "Item", inverse: "box")
        Relationship("row", toMany: "Item", inverse: "shelf", ordered: true)
        Relationship("seen", toMany: "Item")
      }
      Entity("Link") {
        Relationship("next", to: "Link", inverse: "previous", deleteRule: .cascade)
        Relationship("previous", to: "Link", inverse: "next")
      }
    }
  }

  private static func context() async throws -> ManagedObjectContext {
    try await Shelf(model(), inMemory: true).container.newContext()
  }

  /// The processor's time of this thread, which others do not lengthen.
  private static func time(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try body()
    return now() - start
  }

  /// How much longer four times as much takes: 4 where it grows with the number, 16 with its
  /// square.
  private static func growth(_ few: Int, _ body: (Int) throws -> Double) rethrows -> Double {
    _ = try body(few / 4)
    let small = try min(body(few), body(few))
    let large = try body(4 * few)
    // Others on the machine only ever make it longer.
    return try large < 8 * small ? large / small : min(large, body(4 * few)) / small
  }

  @discardableResult
  private static func fill(_ count: Int, _ context: ManagedObjectContext, from first: Int = 0) throws
    -> [ManagedObject]
  {
    try (first..<first + count).map { number in
      let item = try context.insert("Item")
      try item.set("key", number)
      return item
    }
  }

  @Test("upserting objects that reference each other, with an undo manager")
  func upserts() async throws {
    for isHeld in [false, true] {
      let shelf = try await Shelf(Self.model())
      let maker = shelf.container.newContext()
      let coordinator = maker.persistentStoreCoordinator
      let held = try Self.fill(4000, maker)
      try maker.save()
      let growth = try Self.growth(1000) { count in
        let context = isHeld ? maker : ManagedObjectContext(coordinator)
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.undoManager = UndoManager()
        let new = try Self.fill(count, context)
        let box = try context.insert("Box")
        try box.add(contentsOf: new, to: "seen")
        for item in new {
          try item.set("note", "new")
          try item.setObject(box, forKey: "box")
        }
        let time = try Self.time { try context.save() }
        #expect(try box.objects("seen").count == count && box.objects("items").count == count)
        #expect(try context.count(for: FetchRequest("Item")) == 4000)
        try context.delete(box)
        try context.save()
        context.undoManager = nil
        return time
      }
      #expect(growth < 9, "\(isHeld ? "held" : "stored") ones: \(growth)")
      withExtendedLifetime(held) {}
    }
  }

  @Test("emptying a long to-many from the front and from the back", arguments: ["items", "row", "seen"])
  func emptying(name: String) async throws {
    for isReading in [false, true] {
      for isFront in [true, false] {
        let growth = try await Self.growing(5000) { context, count in
          let (box, items) = (try context.insert("Box"), try Self.fill(count, context))
          try box.add(contentsOf: items, to: name)
          return try Self.time {
            for item in isFront ? items : items.reversed() {
              if isReading {
                let present = try box.objects(name)
                #expect((isFront ? present.first : present.last) === item)
              }
              try box.remove(item, from: name)
            }
            #expect(try box.objects(name).isEmpty)
          }
        }
        #expect(growth < 9, "\(name), \(isFront ? "front" : "back"), \(isReading): \(growth)")
      }
    }
  }

  private static func growing(
    _ few: Int, _ body: (ManagedObjectContext, Int) throws -> Double
  ) async throws -> Double {
    let coordinator = try await context().persistentStoreCoordinator
    return try growth(few) { try body(ManagedObjectContext(coordinator), $0) }
  }

  @Test("emptying a long to-many in any order")
  func emptyingAnywhere() async throws {
    let growth = try await Self.growing(5000) { context, count in
      let (box, items) = (try context.insert("Box"), try Self.fill(count, context))
      try box.add(contentsOf: items, to: "row")
      let anyhow = items.indices.map { items[$0 * 7919 % count] }
      return try Self.time {
        for item in anyhow { try item.setObject(nil, forKey: "shelf") }
        #expect(try box.objects("row").isEmpty)
      }
    }
    #expect(growth < 9, "\(growth)")
  }

  @Test(
    "putting objects into an order one by one, with and without an undo manager", arguments: [false, true])
  func inserting(isWatched: Bool) async throws {
    let growth = try await Self.growing(2500) { context, count in
      let (box, items) = (try context.insert("Box"), try Self.fill(count, context))
      if isWatched { context.undoManager = UndoManager() }
      return try Self.time {
        for (place, item) in items.enumerated() { try box.insert(item, into: "row", at: place / 2) }
        #expect(try box.objects("row").count == count)
      }
    }
    #expect(growth < 9, "\(growth)")
  }

  @Test("deleting new objects one by one, the first first")
  func takingBack() async throws {
    let growth = try await Self.growing(10000) { context, count in
      let items = try Self.fill(count, context)
      return try Self.time {
        for item in items {
          #expect(context.hasChanges)
          try context.delete(item)
        }
        #expect(!context.hasChanges && context.insertedObjects.isEmpty)
      }
    }
    #expect(growth < 9, "\(growth)")
  }

  @Test("a cascade over a chain, from its head to its end")
  func cascading() async throws {
    let shelf = try await Shelf(Self.model())
    let growth = try Self.growth(3000) { count in
      let context = shelf.container.newContext()
      let links = try (0..<count).map { _ in try context.insert("Link") }
      for (link, next) in zip(links, links.dropFirst()) { try link.setObject(next, forKey: "next") }
      try context.save()
      let other = shelf.container.newContext()
      let head = try other.existingObject(with: links[0].objectID)
      return try Self.time {
        try other.delete(head)
        #expect(other.deletedObjects.count == count)
        try other.save()
      }
    }
    #expect(growth < 9, "\(growth)")
  }

  @Test("a conflict over every object, for each policy that decides")
  func conflicts() async throws {
    let coordinator = try await Self.context().persistentStoreCoordinator
    for isDeletion in [false, true] {
      for policy in [MergePolicy.rollback, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
        let growth = try Self.growth(1500) { count in
          let (here, there) = (ManagedObjectContext(coordinator), ManagedObjectContext(coordinator))
          here.mergePolicy = policy
          let mine = try Self.fill(count, here)
          try here.save()
          let theirs = try there.objects(with: mine.map(\.objectID))
          for item in mine { try item.set("note", "mine") }
          for item in theirs {
            if isDeletion { try there.delete(item) } else { try item.set("note", "theirs") }
          }
          try there.save()
          let time = try Self.time { try here.save() }
          #expect(!here.hasChanges)
          for item in try here.fetch(FetchRequest("Item")) { try here.delete(item) }
          try here.save()
          return time
        }
        #expect(growth < 9, "\(policy), \(isDeletion ? "deleted" : "changed"): \(growth)")
      }
    }
  }

  @Test("undoing many deletions of new objects, and telling observers of changes that came and went")
  func undoing() async throws {
    let growth = try await Self.growing(3000) { context, count in
      let changes = context.didChangeObjects()
      let items = try Self.fill(count, context)
      try context.save()
      context.undoManager = UndoManager()
      let new = try Self.fill(count, context, from: count)
      context.processPendingChanges()
      let time = try Self.time {
        try context.undo()
        try context.redo()
        for item in items { try item.set("note", "x") }
        for item in items { try context.delete(item) }
        context.processPendingChanges()
        try context.undo()
      }
      #expect(context.insertedObjects.count == count && context.deletedObjects.isEmpty)
      withExtendedLifetime((changes, new)) {}
      context.rollback()
      for item in items { try context.delete(item) }
      try context.save()
      return time
    }
    #expect(growth < 9, "\(growth)")
  }
}
