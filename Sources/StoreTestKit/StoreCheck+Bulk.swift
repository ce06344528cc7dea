import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  static let bulk: [StoreCheck] = [
    StoreCheck("a batch inserts rows with defaults, to-ones and links, numbered in a row") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let person = try Sample.insert(store, model, "Person", [["name": "a"]])[0]
      let tags = try Sample.insert(store, model, "Tag", [["name": "x"], ["name": "y"]])
      let book = try Sample.entity(model, "Book")
      var next: Int64 = 0
      let result = try store.insert(into: book) { row in
        if next == 500 { return false }
        try row.set("title", .string("t\(next)"))
        try row.set("pages", next % 2 == 0 ? .integer(next) : .null)
        try row.set("author", person)
        try row.set("tags", destinations: next % 2 == 0 ? tags : [tags[1]])
        next += 1
        return true
      }
      try expect(result.count == 500 && result.references?.count == 500, "five hundred")
      let nodes = try Sample.nodes(store, FetchRequest("Book"))
      try expect(nodes.map(\.reference) == Array(result.references ?? 0..<0), "in the order inserted")
      try expect(Sample.texts(nodes, "title") == (0..<500).map { "t\($0)" }, "titles")
      try expect(nodes.allSatisfy { $0.version == 1 }, "version 1")
      try expect(
        try Sample.destinations(store, book, "tags", nodes[0].reference) == tags.map(\.reference), "two tags")
      let works = try Sample.destinations(store, person.entity, "works", person.reference)
      try expect(works.count == 500, "the author's works")
      let more = try Sample.insert(store, model, "Book", [["title": "later"]])[0]
      try expect(more.reference >= (result.references?.upperBound ?? 0), "numbers go on after a batch")
    },
    StoreCheck("a batch links an ordered to-many whose inverse is a to-one by the to-one alone") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", [["name": "a"], ["name": "b"]])
      var next = 0
      let chapters = try store.insert(into: try Sample.entity(model, "Chapter")) { row in
        if next == 100 { return false }
        try row.set("person", people[next % 2])
        next += 1
        return true
      }
      let first = chapters.references?.lowerBound ?? 0
      try expect(
        try Sample.destinations(store, people[0].entity, "chapters", people[0].reference)
          == (0..<50).map { first + 2 * $0 }, "in the order inserted")
      try expectError(.notFound, "destinations whose rows have the to-one") {
        _ = try store.insert(into: people[0].entity) { row in
          try row.set("chapters", destinations: [people[1]])
          return false
        }
      }
    },
    StoreCheck("a batch that cannot be is not there at all") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let book = try Sample.entity(model, "Book")
      struct Stop: Error {}
      func insert(_ rows: [[String: AttributeValue]], then error: (any Error)? = nil) throws {
        var rest = rows[...]
        _ = try store.insert(into: book) { row in
          guard let values = rest.popFirst() else {
            if let error { throw error }
            return false
          }
          for (name, value) in values { try row.set(name, value) }
          return true
        }
      }
      try expectError(.invalidValue, "no title") { try insert([["title": "a"], ["pages": 1]]) }
      try expectError(.invalidValue, "a text for a number") { try insert([["title": "a", "pages": "x"]]) }
      try expectError(.notFound, "no such property") { try insert([["title": "a", "colour": "x"]]) }
      try expectError(.notUnique, "same isbn") {
        try insert([["title": "a", "isbn": "1"], ["title": "b", "isbn": "1"]])
      }
      try expectError(.conflict, "an author that is not there") {
        try insert([["title": "a", "author": .reference(99)]])
      }
      do {
        try insert([["title": "a"]], then: Stop())
        try expect(false, "what the closure throws comes through")
      } catch is Stop {}
      try expectError(.invalidValue, "an abstract entity") {
        _ = try store.insert(into: try Sample.entity(model, "Work")) { _ in false }
      }
      try expect(try Sample.nodes(store, FetchRequest("Work")).isEmpty, "nothing stayed")
      try insert([])
      try expect(try Sample.nodes(store, FetchRequest("Work")).isEmpty, "an empty batch inserts nothing")
    },
    StoreCheck("a batch changes what a condition selects, and raises versions") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let person = try Sample.insert(store, model, "Person", [["name": "a"]])[0]
      try Sample.insert(
        store, model, "Book", (0..<10).map { ["title": .string("t\($0)"), "pages": .integer($0)] })
      try Sample.insert(store, model, "Article", [["title": "a", "pages": 9]])
      let large = FetchRequest("Work", where: .compare("pages", .greaterOrEqual, 5))
      let result = try store.update(
        BatchUpdate(large, set: ["pages": .null, "author": .reference(person.reference)]))
      try expect(result.count == 6, "six works")
      let left = try Sample.nodes(store, FetchRequest("Work", where: .compare("pages", .equal, .null)))
      try expect(left.count == 6 && left.allSatisfy { $0.version == 2 }, "changed, version 2")
      try expect(
        try Sample.destinations(store, person.entity, "works", person.reference).count == 6, "linked")
      try expect(try store.update(BatchUpdate(large, set: ["pages": 1])).count == 0, "nobody is left")
      try expectError(.conflict, "a destination that is not there") {
        _ = try store.update(BatchUpdate(FetchRequest("Book"), set: ["author": .reference(99)]))
      }
      try expectError(.notUnique, "one isbn for all") {
        _ = try store.update(BatchUpdate(FetchRequest("Book"), set: ["isbn": "1"]))
      }
      try expectError(.notFound, "no such property") {
        _ = try store.update(BatchUpdate(FetchRequest("Book"), set: ["colour": "x"]))
      }
      let page = FetchRequest(
        "Book", sortDescriptors: [FetchSortDescriptor("title")], fetchLimit: 2, fetchOffset: 1)
      try expect(try store.update(BatchUpdate(page, set: ["isbn": .null])).count == 2, "a page of a request")
    },
    StoreCheck("a batch deletes with links, and empties the to-ones that led there") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", [["name": "a"], ["name": "b"]])
      let tag = try Sample.insert(store, model, "Tag", [["name": "x"]])[0]
      let book = try Sample.entity(model, "Book")
      var next = 0
      _ = try store.insert(into: book) { row in
        if next == 100 { return false }
        try row.set("title", .string("t\(next)"))
        try row.set("author", people[next % 2])
        try row.set("tags", destinations: [tag])
        next += 1
        return true
      }
      let result = try store.delete(matching: FetchRequest("Person", where: .compare("name", .equal, "a")))
      try expect(result.count == 1, "one person")
      let books = try Sample.nodes(store, FetchRequest("Book"))
      try expect(books.filter { $0.version == 2 }.count == 50, "fifty books lost their author")
      let with = FetchRequest("Book", where: .compare("author", .notEqual, .null))
      try expect(try store.delete(matching: with).count == 50, "the others go")
      try expect(
        try Sample.destinations(store, tag.entity, "works", tag.reference).count == 50, "with their links")
      try expect(try store.delete(matching: with).count == 0, "nothing is left to delete")
    },
    StoreCheck("an enumeration has the rows of dictionaries, and stops on request") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let person = try Sample.insert(store, model, "Person", [["name": "Ada"]])[0]
      try Sample.insert(
        store, model, "Book",
        (0..<50).map {
          [
            "title": .string("t\($0)"), "pages": $0 % 3 == 0 ? .null : .integer($0),
            "author": $0 % 2 == 0 ? .reference(person.reference) : .null,
          ]
        })
      var request = FetchRequest(
        "Book",
        sortDescriptors: [FetchSortDescriptor("pages", ascending: false), FetchSortDescriptor("title")])
      request.propertiesToFetch = ["title", "pages", "author", "author.name"].map {
        ExpressionDescription($0)
      }
      let wanted = try store.fetchDictionaries(request)
      var rows: [[String: AttributeValue]] = []
      var names: [String] = []
      try store.enumerateRows(
        request, begin: { names = $0.names },
        row: { row in
          rows.append(
            Dictionary(
              uniqueKeysWithValues: (0..<row.count).compactMap { place in
                row.isNull(place) ? nil : (names[place], row.value(place))
              }))
          return true
        })
      try expect(names == ["title", "pages", "author", "author.name"], "columns in the order asked for")
      try expect(rows == wanted.map { $0.filter { !$0.value.isNull } }, "the same rows")
      var seen = 0
      try store.enumerateRows(
        request, begin: { _ in },
        row: { _ in
          seen += 1
          return seen < 7
        })
      try expect(seen == 7, "stopped")
      request.propertiesToFetch = [ExpressionDescription("tags")]
      var isRefused = false
      do { try store.enumerateRows(request, begin: { _ in }, row: { _ in true }) } catch is QueryError {
        isRefused = true
      }
      try expect(isRefused, "a to-many is no column")
    },
    StoreCheck("destinations come with their states, as they do one by one") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", (0..<20).map { ["name": .string("\($0)")] })
      let works = try Sample.insert(
        store, model, "Article",
        (0..<100).map { ["title": .string("t\($0)"), "author": .reference(people[$0 % 19].reference)] })
      let favourites = try Sample.relationship(people[0].entity, "favourites")
      var save = SaveChangesRequest()
      var links = RelationshipChanges(relationship: favourites)
      links.added = [5, 3, 9].map { .init(source: people[0].reference, destination: works[$0].reference) }
      links.orders = [(people[0].reference, [9, 3, 5].map { works[$0].reference })]
      save.relationshipChanges = [links]
      try store.save(save)
      for sources in [people, Array(people.prefix(2))] {
        for name in ["works", "favourites"] {
          let found = try store.newDestinations(
            for: Sample.relationship(people[0].entity, name), of: sources.map(\.reference))
          for (place, source) in sources.enumerated() {
            let range = found.destinations.offsets[place]..<found.destinations.offsets[place + 1]
            let own = Array(found.destinations.references[range])
            try expect(
              own == (try Sample.destinations(store, source.entity, name, source.reference)),
              "\(name) of \(place)"
            )
            try expect(found.nodes[range].map { $0?.reference } == own, "states of \(name)")
          }
        }
      }
    },
    StoreCheck("a save whose new references lead nowhere is a conflict") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let person = try Sample.insert(store, model, "Person", [["name": "a"]])[0]
      let book = try store.obtainPermanentIDs(for: [try Sample.entity(model, "Book")])[0]
      var save = SaveChangesRequest()
      save.inserted = [
        try Sample.node(store, book, ["title": "t", "author": .reference(person.reference)])
      ]
      save.existing = [person]
      try Sample.delete(store, person, version: 1)
      try expectError(.conflict, "the author does not exist") { try store.save(save) }
      try expect(try Sample.nodes(store, FetchRequest("Book")).isEmpty, "nothing was saved")
    },
    StoreCheck("sums, means and extremes by groups, of numbers, booleans, texts and nulls") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      try Sample.insert(
        store, model, "Everything",
        [
          ["string": "a", "integer64": 3, "double": 0.5, "boolean": .boolean(true)],
          ["string": "a", "integer64": 4, "double": .null, "boolean": .boolean(true)],
          ["string": "b", "integer64": .null, "double": .null],
          ["integer64": -1, "double": -2.0, "boolean": .boolean(false)],
        ])
      var request = FetchRequest("Everything")
      request.propertiesToGroupBy = ["string"]
      request.propertiesToFetch =
        ["integer64", "double", "boolean"].flatMap { name in
          [FetchAggregate.sum, .average, .min, .max, .count].map {
            ExpressionDescription(name, aggregate: $0)
          }
        } + [ExpressionDescription("string")]
      let rows = try store.fetchDictionaries(request)
      try expect(
        rows.map { $0["string"] ?? .null } == [.null, "a", "b"], "groups in the order of their keys")
      let a = rows[1]
      try expect(
        a["sum_integer64"] == 7 && a["average_integer64"] == 3.5, "a sum stays whole, a mean does not")
      try expect(a["min_integer64"] == 3 && a["max_integer64"] == 4 && a["count_integer64"] == 2, "extremes")
      try expect(a["sum_double"] == 0.5 && a["average_double"] == 0.5 && a["count_double"] == 1, "no nulls")
      try expect(a["sum_boolean"] == 2 && a["max_boolean"] == .boolean(true), "booleans add up")
      let b = rows[2]
      try expect((b["average_double"] ?? .null).isNull && (b["min_double"] ?? .null).isNull, "nothing: null")
      try expect(b["count_integer64"] == 0, "nothing: counted as 0")
    },
  ]
}
