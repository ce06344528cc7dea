import Strongroom
import Testing

/// A feed that was imported before is imported again, with no statement of its own for any of the
/// objects.
@Suite("The cost of importing the same again")
struct UpsertCostTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Author") {
        Attribute("code", .integer64)
        Relationship("posts", toMany: "Post", inverse: "author")
        Relationship("shelf", toMany: "Post", inverse: "keeper", ordered: true)
        UniquenessConstraint("code")
      }
      Entity("Post") {
        Attribute("code", .integer64)
        Relationship("author", to: "Author", inverse: "posts")
        Relationship("keeper", to: "Author", inverse: "shelf")
        Relationship("parent", to: "Post", inverse: "replies")
        Relationship("replies", toMany: "Post", inverse: "parent")
        Relationship("next", to: "Post", inverse: "previous")
        Relationship("previous", to: "Post", inverse: "next")
        Relationship("tags", toMany: "Tag", inverse: "posts")
        UniquenessConstraint("code")
      }
      Entity("Tag") {
        Attribute("code", .integer64)
        Relationship("posts", toMany: "Post", inverse: "tags")
        UniquenessConstraint("code")
      }
    }
  }

  /// Posts with an author for ten of them each, all in a chain, and in a tree.
  private func add(_ count: Int, to context: ManagedObjectContext, postsFirst: Bool) throws {
    func make(_ entity: String, _ count: Int) throws -> [ManagedObject] {
      try (0..<count).map { number in
        let object = try context.insert(entity)
        try object.set("code", number)
        return object
      }
    }
    let early = postsFirst ? try make("Post", count) : []
    let (authors, tags) = (try make("Author", count / 10), try make("Tag", count / 10))
    let posts = postsFirst ? early : try make("Post", count)
    for (number, post) in posts.enumerated() {
      let author = authors[number % authors.count]
      try post.setObject(author, forKey: "author")
      try author.add(post, to: "shelf")
      try post.add(tags[number % tags.count], tags[(number + 1) % tags.count], to: "tags")
      if number > 0 {
        try post.setObject(posts[number / 2], forKey: "parent")
        try posts[number - 1].setObject(post, forKey: "next")
      }
    }
  }

  @Test(
    "is a few statements for 100 posts and for 1,000, also with an undo manager", arguments: [false, true],
    [false, true])
  func statements(isWatched: Bool, postsFirst: Bool) async throws {
    var counts: [Int] = []
    for size in [100, 1000] {
      let shelf = try await Shelf(Self.model())
      let first = shelf.container.newContext()
      try add(size, to: first, postsFirst: false)
      try first.save()
      let here = shelf.container.newContext()
      here.mergePolicy = .mergeByPropertyObjectTrump
      if isWatched { here.undoManager = UndoManager() }
      try add(size, to: here, postsFirst: postsFirst)
      let before = try shelf.statements
      try here.save()
      counts.append(try shelf.statements - before)
      let fresh = shelf.container.newContext()
      for (name, places) in [("author", size), ("keeper", size), ("parent", size - 1), ("next", size - 1)] {
        let linked = try fresh.fetch(FetchRequest("Post")).filter { try $0.object(name) != nil }
        #expect(linked.count == places, "\(name)")
      }
      for author in try fresh.fetch(FetchRequest("Author", sortDescriptors: [FetchSortDescriptor("code")])) {
        let codes = try author.objects("shelf").map { try $0.get("code", as: Int.self) ?? -1 }
        #expect(codes.count == 10 && codes == codes.sorted())
      }
      let tags = try fresh.fetch(FetchRequest("Tag"))
      #expect(try tags.allSatisfy { try $0.objects("posts").count == 20 })
    }
    // Long lists of values go in several statements.
    #expect(counts[1] < counts[0] + 20, "\(counts)")
  }
}
