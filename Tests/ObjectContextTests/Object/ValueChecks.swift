import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  /// Values that are written and read in pieces, past the objects.
  static let values: [ContextCheck] = [
    ContextCheck("a value written in pieces is what objects of all contexts have, and live results show") {
      factory in
      let album = try await Album(factory)
      let (here, there) = (album.scenario.newContext(), album.scenario.newContext())
      let mine = try here.existingObject(with: album.id)
      let theirs = try there.existingObject(with: album.id)
      let list = try FetchedResultsController(
        FetchRequest(
          "Photo", where: .compare("data", .notEqual, .null),
          sortDescriptors: [FetchSortDescriptor("title")]),
        in: here
      )
      try list.performFetch()
      try expect(list.fetchedObjects.isEmpty, "no data yet")
      try here.writeValue(count: 3, to: album.id, "data") { try $0.write(contentsOf: Data([1, 2, 3])) }
      here.processPendingChanges()
      try expect(list.fetchedObjects.map { $0 } == [mine], "a live result")
      try there.mergeChanges()
      for photo in [mine, theirs] {
        try expect(photo.get("data", as: Data.self) == Data([1, 2, 3]), "an object")
        try expect(Fixtures.text(photo, "title") == "p" && !photo.hasChanges, "the rest of it")
      }
      let child = ManagedObjectContext(parent: here)
      try expect(
        child.existingObject(with: album.id).get("data", as: Data.self) == Data([1, 2, 3]), "a child's object"
      )
      try expect(Album.bytes(child, album.id) == Data([1, 2, 3]), "a child's reader")
      try child.writeValue(count: 1, to: album.id, "data") { try $0.write(contentsOf: Data([4])) }
      try here.mergeChanges()
      try expect(mine.get("data", as: Data.self) == Data([4]), "a child's write")
    },
    ContextCheck("unsaved changes of the object stay when a value is written, and are no conflict") {
      factory in
      let album = try await Album(factory)
      let context = album.scenario.newContext()
      let photo = try context.existingObject(with: album.id)
      try photo.set("title", "unsaved")
      for count in 1...2 {
        try context.writeValue(count: count, to: album.id, "data") {
          try $0.write(contentsOf: Data(repeating: 1, count: count))
          try photo.set("note", "set meanwhile")
        }
      }
      try expect(Fixtures.text(photo, "title") == "unsaved" && photo.isUpdated, "a change")
      try expect(photo.get("data", as: Data.self) == Data([1, 1]), "the value")
      try context.save()
      let again = try album.scenario.newContext().existingObject(with: album.id)
      try expect(
        Fixtures.text(again, "title") == "unsaved" && Fixtures.text(again, "note") == "set meanwhile", "saved"
      )
      try expect(again.get("data", as: Data.self) == Data([1, 1]), "the value after the save")
    },
    ContextCheck("what others changed beneath unsaved changes stays a conflict when a value is written") {
      factory in
      let album = try await Album(factory)
      let (here, there) = (album.scenario.newContext(), album.scenario.newContext())
      let mine = try here.existingObject(with: album.id)
      try mine.set("title", "mine")
      try there.existingObject(with: album.id).set("title", "theirs")
      try there.save()
      try here.writeValue(count: 1, to: album.id, "data") { try $0.write(contentsOf: Data([1])) }
      try expectContextError(.conflict, "saving over theirs") { try here.save() }
      here.rollback()
      // Another context's write is a conflict as a batch is.
      try mine.set("title", "mine")
      try there.writeValue(count: 1, to: album.id, "data") { try $0.write(contentsOf: Data([2])) }
      try expectContextError(.conflict, "saving over their value") { try here.save() }
    },
    ContextCheck("values of what is new, deleted, unknown, foreign or set here and not saved are refused") {
      factory in
      let album = try await Album(factory)
      let context = album.scenario.newContext()
      func refused(_ code: ContextError.Code, _ id: ManagedObjectID, _ key: String = "data") throws {
        try expectContextError(code, "written") {
          try context.writeValue(count: 0, to: id, key) { _ in try expect(false, "it was called") }
        }
      }
      let new = try context.insert("Photo")
      try refused(.unsaved, new.objectID)
      try expectContextError(.unsaved, "read") { _ = try context.openValue(of: new.objectID, "data") }
      context.rollback()
      let photo = try context.existingObject(with: album.id)
      try photo.set("data", Data([9]))
      try refused(.unsaved, album.id)
      try expect(Album.bytes(context, album.id) == nil, "unsaved values are not read")
      context.rollback()
      try context.delete(photo)
      try refused(.unsaved, album.id)
      context.rollback()
      try refused(.unknownKey, album.id, "nothing")
      try expectContextError(.unknownKey, "read") { _ = try context.openValue(of: album.id, "nothing") }
      for key in ["title", "packed", "shown", "unique", "indexed", "found", "source"] {
        try expectError(.invalidValue, "written: \(key)") {
          try context.writeValue(count: 0, to: album.id, key) { _ in }
        }
      }
      for key in ["unique", "indexed", "found", "source", "copied"] {
        try expect(Album.bytes(context, album.id, key) == nil, "read: \(key)")
      }
      try expectError(.notFound, "the closure's own error") {
        try context.writeValue(count: 0, to: album.id, "data") { _ in throw StoreError(.notFound, "own") }
      }
      let other = try await Album(factory)
      try refused(.objectOfAnotherContext, other.id)
      try expectContextError(.objectOfAnotherContext, "read") {
        _ = try context.openValue(of: other.id, "data")
      }
      let there = album.scenario.newContext()
      try there.delete(there.existingObject(with: album.id))
      try there.save()
      try refused(.objectNotFound, album.id)
      try expectContextError(.objectNotFound, "read") { _ = try context.openValue(of: album.id, "data") }
    },
    ContextCheck("a pinned context reads the value of its query generation, and what it wrote itself") {
      factory in
      let album = try await Album(factory)
      let (pinned, now) = (album.scenario.newContext(), album.scenario.newContext())
      try now.writeValue(count: 2, to: album.id, "data") { try $0.write(contentsOf: Data([1, 2])) }
      do { try pinned.setQueryGenerationFrom(.current) } catch let error as StoreError
        where error.code == .unsupportedRequest
      { return }
      let early = try pinned.openValue(of: album.id, "data")
      try now.writeValue(count: 1, to: album.id, "data") { try $0.write(contentsOf: Data([3])) }
      try expect(Album.bytes(pinned, album.id) == Data([1, 2]), "its moment")
      try expect(try early?.read(upToCount: 9) == Data([1, 2]), "opened before")
      try pinned.setQueryGenerationFrom(.current)
      let photo = try pinned.existingObject(with: album.id)
      try photo.set("title", "unsaved")
      try pinned.writeValue(count: 1, to: album.id, "data") { try $0.write(contentsOf: Data([4])) }
      try expect(Album.bytes(pinned, album.id) == Data([4]), "what it wrote")
      try expect(photo.get("data", as: Data.self) == Data([4]), "in its object")
      try pinned.save()
    },
    ContextCheck("a derived date follows a value that is written, and a value may be a file's") { factory in
      let album = try await Album(factory)
      let context = album.scenario.newContext()
      let photo = try context.existingObject(with: album.id)
      let before = try photo.get("changed", as: Date.self)
      let bytes = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try bytes.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      try context.writeValue(contentsOf: file, to: album.id, "data")
      try expect(Album.bytes(context, album.id) == bytes, "the bytes")
      // A store need not compute.
      if let before {
        try expect(photo.get("changed", as: Date.self) ?? .distantPast > before, "the date")
      }
      do {
        try context.writeValue(contentsOf: file.appendingPathExtension("no"), to: album.id, "data")
        try expect(false, "no file was read")
      } catch is CocoaError {}
      try expect(photo.get("data", as: Data.self) == bytes, "as it was")
    },
  ]
}

/// A store with one photo, saved without data.
private struct Album {
  let scenario: ContextScenario
  let id: ManagedObjectID

  init(_ factory: any StoreFactory) async throws {
    scenario = try await ContextScenario(factory, Self.model())
    let context = scenario.newContext()
    let photo = try context.insert("Photo")
    try photo.set("title", "p")
    try context.save()
    id = photo.objectID
  }

  static func bytes(_ context: ManagedObjectContext, _ id: ManagedObjectID, _ key: String = "data") throws
    -> Data?
  {
    guard let reader = try context.openValue(of: id, key) else { return nil }
    defer { reader.close() }
    var all = Data()
    while let piece = try reader.read(upToCount: 1000) { all += piece }
    return all
  }

  private static func model() throws -> ManagedObjectModel {
    var data = Attribute("data", .binary)
    data.allowsExternalBinaryDataStorage = true
    var copied = Attribute("copied", .binary)
    copied.derivationExpression = "source"
    var changed = Attribute("changed", .date)
    changed.derivationExpression = "now()"
    return try ManagedObjectModel {
      Entity("Item", abstract: true) {
        Attribute("title", .string)
        data
      }
      Entity("Photo", parent: "Item") {
        Attribute("note", .string)
        Attribute("packed", .transformable)
        Attribute("shown", .binary, transient: true)
        Attribute("unique", .binary)
        Attribute("indexed", .binary, indexed: true)
        Attribute("found", .binary)
        Attribute("source", .binary)
        copied
        changed
        UniquenessConstraint("unique")
        FetchIndex("byFound", on: "found")
      }
    }
  }
}
