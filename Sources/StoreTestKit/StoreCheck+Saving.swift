import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  static let saving: [StoreCheck] = [
    StoreCheck("versions begin at 1 and rise by exactly one a save") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let id = try Sample.insert(store, model, "Person", [["name": "a"]])[0]
      for version in 1...5 {
        try expect(try store.newValues(for: id).version == Int64(version), "version \(version)")
        try Sample.update(store, id, version: Int64(version), ["name": .string("v\(version)")])
      }
    },
    StoreCheck("an object changed elsewhere is a conflict, and nothing of that save stays") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let ids = try Sample.insert(store, model, "Person", [["name": "a"], ["name": "b"]])
      try Sample.update(store, ids[0], version: 1, ["name": "changed"])
      var save = SaveChangesRequest()
      save.updated = try ids.map {
        UpdatedObject(
          node: try Sample.node(store, $0, version: 2, ["name": "late"]), changedFields: Self.first)
      }
      save.inserted = [
        try Sample.node(store, try store.obtainPermanentIDs(for: [ids[0].entity])[0], ["name": "new"])
      ]
      try expectError(.conflict, "stale version") { try store.save(save) }
      let names = Sample.texts(
        try Sample.nodes(store, FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])),
        "name")
      try expect(names == ["b", "changed"], "all or nothing")
    },
    StoreCheck("a conflict names its objects; locks and deletions conflict too") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let id = try Sample.insert(store, model, "Person", [["name": "a"]])[0]
      var save = SaveChangesRequest()
      save.locked = [LockedObject(objectID: id, version: 7)]
      do {
        try store.save(save)
        try expect(false, "a lock with another version must conflict")
      } catch let error as StoreError {
        try expect(error.code == .conflict && error.objectIDs == [id], "conflict with the object")
      }
      try expectError(.conflict, "deletion") { try Sample.delete(store, id, version: 7) }
      save.locked[0].version = 1
      try store.save(save)
    },
    StoreCheck("a uniqueness constraint is enforced, also over subentities only") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      try Sample.insert(store, model, "Book", [["title": "a", "isbn": "1"]])
      try expectError(.notUnique, "same isbn") {
        try Sample.insert(store, model, "Book", [["title": "b", "isbn": "1"]])
      }
      try Sample.insert(store, model, "Book", [["title": "c"], ["title": "d"]])
      try expect(try Sample.nodes(store, FetchRequest("Book")).count == 3, "nulls do not collide")
    },
    StoreCheck("a deleted object has no row, and asking for it throws") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let id = try Sample.insert(store, model, "Person", [["name": "a"]])[0]
      try Sample.delete(store, id, version: 1)
      try expectError(.notFound, "deleted") { _ = try store.newValues(for: id) }
      try expect(try store.newValues(for: [id.reference], of: id.entity)[0] == nil, "nil in the batched form")
    },
    StoreCheck("everything saved is there after reopening") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      try Sample.insert(
        store, model, "Book", (0..<200).map { ["title": .string("t\($0)"), "pages": .integer($0)] })
      guard let again = try await factory.reopen(store, model) else { return }
      let pages = Sample.texts(
        try Sample.nodes(
          again, FetchRequest("Work", sortDescriptors: [FetchSortDescriptor("pages", ascending: false)])),
        "pages")
      try expect(pages == (0..<200).reversed().map(String.init), "two hundred books")
    },
  ]

  static let savingTogether: [StoreCheck] = [
    StoreCheck("an object deleted while others lead to it is a conflict over it, and stays") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", [["name": "a"], ["name": "b"]])
      let book = try Sample.insert(
        store, model, "Book", [["title": "t", "author": .reference(people[0].reference)]])[0]
      do {
        try Sample.delete(store, people[0], version: 1)
        try expect(false, "a book still has the author")
      } catch let error as StoreError {
        try expect(error.code == .conflict && error.objectIDs == [people[0]], "a conflict over the author")
      }
      try expect(try store.newValues(for: people[0]).version == 1, "the author stays")
      var save = SaveChangesRequest()
      save.updated = [
        UpdatedObject(
          node: try Sample.node(store, book, version: 2, ["title": "t"]),
          changedFields: try Sample.field(book, "author"))
      ]
      save.deleted = [LockedObject(objectID: people[0], version: 1)]
      try store.save(save)
      try Sample.delete(store, people[1], version: 1)
      try expect(try Sample.nodes(store, FetchRequest("Person")).isEmpty, "nothing leads to them any more")
    },
    StoreCheck("an object stored anew under its ID goes on with its version; one that is there is a conflict")
    { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let id = try Sample.insert(store, model, "Person", [["name": "a"]])[0]
      try Sample.delete(store, id, version: 1)
      var save = SaveChangesRequest()
      save.inserted = [try Sample.node(store, id, version: 2, ["name": "again"])]
      try store.save(save)
      try expect(try store.newValues(for: id).version == 2, "the version after the deleted one's")
      do {
        try store.save(save)
        try expect(false, "it is there already")
      } catch let error as StoreError {
        try expect(error.code == .conflict && error.objectIDs == [id], "a conflict over the object")
      }
    },
    StoreCheck("of many objects inserted together the one with a value that is taken is named") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      try Sample.insert(store, model, "Book", [["title": "a", "isbn": "taken"]])
      for place in [0, 1, 24, 98, 99] {
        var save = SaveChangesRequest()
        let ids = try store.obtainPermanentIDs(for: Self.hundred(model, "Book"))
        save.inserted = try ids.enumerated().map { index, id in
          let isbn = index == place ? "taken" : "\(place) \(index)"
          return try Sample.node(store, id, ["title": "t", "isbn": .string(isbn)])
        }
        do {
          try store.save(save)
          try expect(false, "the number is taken")
        } catch let error as StoreError {
          try expect(
            error.code == .notUnique && error.objectIDs.allSatisfy { !ids.contains($0) || $0 == ids[place] },
            "no other new book than that at \(place)")
        }
      }
      try expect(try Sample.nodes(store, FetchRequest("Book")).count == 1, "nothing of them stays")
    },
    StoreCheck("of many objects inserted together those that are there already are the conflict") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let ids = try store.obtainPermanentIDs(for: Self.hundred(model, "Person"))
      let there = [0, 1, 50, 99].map { ids[$0] }
      var save = SaveChangesRequest()
      save.inserted = try there.map { try Sample.node(store, $0, ["name": "there"]) }
      try store.save(save)
      save.inserted = try ids.map { try Sample.node(store, $0, ["name": "new"]) }
      do {
        try store.save(save)
        try expect(false, "four are there")
      } catch let error as StoreError {
        try expect(error.code == .conflict && Set(error.objectIDs) == Set(there), "a conflict over the four")
      }
      let names = Sample.texts(try Sample.nodes(store, FetchRequest("Person")), "name")
      try expect(names == Array(repeating: "there", count: 4), "nothing of them stays")
    },
    StoreCheck("a row changed elsewhere is the conflict, before the unique value it has") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let books = try Sample.insert(
        store, model, "Book", [["title": "a", "isbn": "1"], ["title": "b", "isbn": "2"]])
      try Sample.update(store, books[1], version: 1, ["title": "elsewhere"])
      var save = SaveChangesRequest()
      save.updated = try zip(books, ["2", "3"]).map { id, isbn in
        UpdatedObject(
          node: try Sample.node(store, id, version: 2, ["title": "t", "isbn": .string(isbn)]),
          changedFields: try Sample.field(id, "isbn"))
      }
      do {
        try store.save(save)
        try expect(false, "the second book was changed elsewhere")
      } catch let error as StoreError {
        try expect(error.code == .conflict && error.objectIDs == [books[1]], "a conflict over it")
      }
      let stored = try Sample.nodes(
        store, FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("isbn")]))
      let numbers = Sample.texts(stored, "isbn")
      try expect(numbers == ["1", "2"], "nothing of it stays")
    },
    StoreCheck("two objects exchange their unique values in one save") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let books = try Sample.insert(
        store, model, "Book", [["title": "a", "isbn": "1"], ["title": "b", "isbn": "2"]])
      var save = SaveChangesRequest()
      save.updated = try zip(books, ["2", "1"]).map { id, isbn in
        UpdatedObject(
          node: try Sample.node(store, id, version: 2, ["title": "t", "isbn": .string(isbn)]),
          changedFields: try Sample.field(id, "isbn"))
      }
      try store.save(save)
      let nodes = try Sample.nodes(
        store, FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("isbn")]))
      try expect(nodes.map(\.objectID) == books.reversed(), "exchanged")
    },
  ]

  private static func hundred(_ model: ManagedObjectModel, _ name: String) -> [EntityDescription] {
    Array(repeating: model.entity(named: name), count: 100).compactMap { $0 }
  }

  private static var first: PropertyIndexSet {
    var set = PropertyIndexSet()
    set.insert(0)
    return set
  }
}
