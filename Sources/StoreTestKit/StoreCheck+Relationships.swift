import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  private static func relationship(_ model: ManagedObjectModel, _ entity: String, _ name: String) throws
    -> RelationshipDescription
  {
    guard let relationship = model.entity(named: entity)?.relationship(named: name) else {
      throw StoreCheckFailure(description: "no relationship \(entity).\(name)")
    }
    return relationship
  }

  private static func destinations(
    _ store: any IncrementalStore, _ relationship: RelationshipDescription, _ id: ManagedObjectID
  ) throws -> [ManagedObjectID] {
    guard case .toMany(let ids) = try store.newValue(for: relationship, of: id) else {
      throw StoreCheckFailure(description: "a to-many did not answer IDs")
    }
    return ids
  }

  static let relationships: [StoreCheck] = [
    StoreCheck("a to-one is null or an ID with its real entity") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let person = try Sample.insert(store, model, "Person", [["name": "p"]])[0]
      let books = try Sample.insert(
        store, model, "Book", [["title": "a", "author": .reference(person.reference)], ["title": "b"]])
      let author = try relationship(model, "Book", "author")
      try expect(try store.newValue(for: author, of: books[0]) == .toOne(person), "an ID")
      try expect(try store.newValue(for: author, of: books[1]) == .toOne(nil), "null")
    },
    StoreCheck("a to-many with a to-one inverse, in the batched form too, empty and never nil") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", [["name": "p"], ["name": "q"], ["name": "r"]])
      let book = try Sample.insert(
        store, model, "Book", [["title": "a", "author": .reference(people[0].reference)]])
      let article = try Sample.insert(
        store, model, "Article", [["title": "b", "author": .reference(people[0].reference)]])
      let works = try relationship(model, "Person", "works")
      try expect(try destinations(store, works, people[0]) == book + article, "both, as what they are")
      try expect(try destinations(store, works, people[1]).isEmpty, "none")
      let batch = try store.newValues(for: works, of: people.map(\.reference).reversed())
      try expect(batch.offsets == [0, 0, 0, 2], "one answer a source, in the order asked")
    },
    StoreCheck("many-to-many from both ends, each end with or without order") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let tags = try Sample.insert(store, model, "Tag", [["name": "t"], ["name": "u"]])
      let books = try Sample.insert(store, model, "Book", [["title": "a"], ["title": "b"], ["title": "c"]])
      let tagged = try relationship(model, "Tag", "works")
      let labels = try relationship(model, "Book", "tags")
      let forward = tagged.joinTableOwner === tagged
      func link(_ tag: Int, _ book: Int) -> RelationshipChanges.JoinTableRow {
        forward
          ? .init(source: tags[tag].reference, destination: books[book].reference)
          : .init(source: books[book].reference, destination: tags[tag].reference)
      }
      var links = RelationshipChanges(relationship: tagged.joinTableOwner)
      links.added = [link(0, 0), link(0, 1), link(0, 2), link(1, 1), link(0, 1)]
      let order = [(source: tags[0].reference, destinations: [2, 0, 1].map { books[$0].reference })]
      if forward { links.orders = order } else { links.inverseOrders = order }
      var save = SaveChangesRequest()
      save.relationshipChanges = [links]
      try store.save(save)
      try expect(try destinations(store, tagged, tags[0]) == [books[2], books[0], books[1]], "in order")
      try expect(try destinations(store, labels, books[1]) == tags, "from the other end")
      links = RelationshipChanges(relationship: tagged.joinTableOwner)
      links.removed = [link(0, 0), link(1, 0)]
      save.relationshipChanges = [links]
      try store.save(save)
      try expect(
        try destinations(store, tagged, tags[0]) == [books[2], books[1]], "one destination less")
      try Sample.delete(store, books[2], version: 1)
      try expect(
        try destinations(store, tagged, tags[0]) == [books[1]], "a deleted object's links go with it")
    },
    StoreCheck("one-directional, self-inverse and ordered one-to-many links") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", [["name": "p"], ["name": "q"]])
      let books = try Sample.insert(store, model, "Book", [["title": "a"], ["title": "b"]])
      let chapters = try Sample.insert(
        store, model, "Chapter", Array(repeating: ["person": .reference(people[0].reference)], count: 3))
      var save = SaveChangesRequest()
      var favourites = RelationshipChanges(relationship: try relationship(model, "Person", "favourites"))
      favourites.added = [1, 0].map { .init(source: people[0].reference, destination: books[$0].reference) }
      var friends = RelationshipChanges(relationship: try relationship(model, "Person", "friends"))
      friends.added = [
        .init(source: people[0].reference, destination: people[1].reference),
        .init(source: people[1].reference, destination: people[0].reference),
      ]
      var parts = RelationshipChanges(relationship: try relationship(model, "Person", "chapters"))
      parts.added = chapters.reversed().map { .init(source: people[0].reference, destination: $0.reference) }
      save.relationshipChanges = [favourites, friends, parts]
      try store.save(save)
      try expect(
        try destinations(store, favourites.relationship, people[0]) == [books[1], books[0]], "as added")
      try expect(try destinations(store, friends.relationship, people[1]) == [people[0]], "friends both ways")
      try expect(
        try destinations(store, parts.relationship, people[0]) == chapters.reversed(), "ordered children")
      try Sample.delete(store, books[1], version: 1)
      try expect(
        try destinations(store, favourites.relationship, people[0]) == [books[0]], "no dangling link")
    },
    StoreCheck("ANY and ALL over to-manys") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", [["name": "p"], ["name": "q"], ["name": "r"]])
      let books = try Sample.insert(
        store, model, "Book",
        [
          ["title": "a", "pages": 1, "author": .reference(people[0].reference)],
          ["title": "b", "pages": 9, "author": .reference(people[0].reference)],
          ["title": "c", "pages": .null, "author": .reference(people[1].reference)],
        ])
      let tags = try Sample.insert(store, model, "Tag", [["name": "t"]])
      let owner = try relationship(model, "Book", "tags").joinTableOwner
      var links = RelationshipChanges(relationship: owner)
      let forward = owner.entity.name == "Tag"
      links.added = [
        .init(
          source: (forward ? tags : books)[0].reference, destination: (forward ? books : tags)[0].reference)
      ]
      var save = SaveChangesRequest()
      save.relationshipChanges = [links]
      try store.save(save)
      for (format, wanted) in [
        ("ANY works.pages > 5", "p"), ("ALL works.pages > 5", "r"), ("NONE works.pages > 5", "qr"),
        ("ANY works.pages == nil", "q"), ("ALL works.pages != 9", "qr"), ("ANY works.tags.name == 't'", "p"),
        ("ANY works.tags.works.author.name IN {'p', 'q'}", "p"), ("works.@count == 0", "r"),
        ("works.@count > 1", "p"),
      ] {
        let request = FetchRequest(
          "Person", where: try FetchPredicate(format: format), sortDescriptors: [FetchSortDescriptor("name")])
        let got = Sample.texts(try Sample.nodes(store, request), "name").joined()
        try expect(got == wanted, "\(format): expected \(wanted), got \(got)")
      }
    },
    StoreCheck("missing objects are nil at their places in a batch") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let ids = try Sample.insert(store, model, "Person", [["name": "p"], ["name": "q"]])
      let wanted = [ids[1].reference, 999_999, ids[0].reference, ids[1].reference]
      let nodes = try store.newValues(for: wanted, of: ids[0].entity)
      try expect(
        nodes.map { $0?.reference } == [ids[1].reference, nil, ids[0].reference, ids[1].reference], "in order"
      )
    },
  ]
}
