import Foundation
import StrongroomData
import Testing

@Suite("Observers of models that write to themselves, and what a tracking leaves behind", .everyStoreKind)
struct ObservedWritesTests {
  private func open() throws -> (Place, ModelContext) {
    let place = try Place()
    return (place, ModelContext(try place.container(for: Tree.self)))
  }

  @Test("A relationship of a model to itself notifies the observers of both ends")
  func itself() throws {
    let (place, context) = try open()
    defer { withExtendedLifetime(place) {} }
    let tree = Tree(name: "a")
    context.insert(tree)
    let (children, parent, liked, likes) = (Watch(), Watch(), Watch(), Watch())
    #expect(children.track { tree.children.count } == 0)
    tree.parent = tree
    #expect(children.count == 1)
    #expect(parent.track { tree.parent?.name } == "a")
    tree.children = []
    #expect(parent.count == 1)
    #expect(liked.track { tree.liked.count } == 0)
    tree.likes = [tree]
    #expect(liked.count == 1)
    #expect(likes.track { tree.likes.count } == 1)
    tree.liked = []
    #expect(likes.count == 1)
  }

  @Test("A write by an observer notifies the observers of what it writes, each change once")
  func nested() throws {
    let (place, context) = try open()
    defer { withExtendedLifetime(place) {} }
    nonisolated(unsafe) let (tree, child) = (Tree(name: "a"), Tree(name: "b"))
    context.insert(tree)
    context.insert(child)
    let children = Watch()
    #expect(children.track { tree.children.count } == 0)
    withObservationTracking {
      _ = tree.name
    } onChange: {
      child.parent = tree
    }
    tree.name = "c"
    #expect(children.count == 1)
    nonisolated(unsafe) var told = 0
    @Sendable func watch() {
      withObservationTracking {
        _ = tree.name
      } onChange: {
        told += 1
        tree.size += 1
        // The last observer would retain the tree that retains it.
        if told < 10 { watch() }
      }
    }
    watch()
    for round in 1...10 { tree.name = "\(round)" }
    #expect(told == 10 && tree.size == 10)
  }

  @Test("What observers retain is released with the models, but for what the latest trackings left")
  func released() throws {
    final class Token: @unchecked Sendable {}
    struct Reference { weak var token: Token? }
    var references: [Reference] = []
    for _ in 0..<3000 {
      let (container, context) = try Self.inMemory()
      let tree = Tree(name: "a")
      context.insert(tree)
      let token = Token()
      withObservationTracking {
        _ = tree.name
      } onChange: {
        withExtendedLifetime(token) {}
      }
      references.append(Reference(token: token))
      withExtendedLifetime(container) {}
    }
    #expect(references.prefix(1000).allSatisfy { $0.token == nil })
    #expect(references.count { $0.token != nil } <= 1100)
    let (container, context) = try Self.inMemory()
    let tree = Tree(name: "a")
    context.insert(tree)
    #expect(tree.name == "a")
    #expect(references.allSatisfy { $0.token == nil }, "by the next read that nothing tracks")
    withExtendedLifetime(container) {}
  }

  @Test(
    "An observer is released with the models, though one was released while it was read",
    arguments: [1, 5000])
  func releasedWhileTracked(reads: Int) throws {
    final class Token: @unchecked Sendable {}
    weak var released: Token?
    let (place, container) = try Self.planted()
    defer { withExtendedLifetime(place) {} }
    do {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      let child = try #require(try context.fetch(Self.named("child")).first)
      let token = Token()
      released = token
      withObservationTracking {
        for _ in 0..<reads { #expect(child.parent?.name == "parent") }
      } onChange: {
        withExtendedLifetime(token) {}
      }
      #expect(child.name == "child")
    }
    #expect(released == nil)
  }

  @Test("A change reaches the observer of a model that was released, as its object remains")
  func releasedModel() throws {
    let (place, container) = try Self.planted()
    defer { withExtendedLifetime(place) {} }
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let child = try #require(try context.fetch(Self.named("child")).first)
    child.parent?.name = "elder"
    let watch = Watch()
    #expect(watch.track { child.parent?.name } == "elder")
    context.rollback()
    #expect(watch.count == 1 && child.parent?.name == "parent")
  }

  /// A store with a tree and its parent.
  private static func planted() throws -> (Place, ModelContainer) {
    let place = try Place()
    let container = try place.container(for: Tree.self)
    let context = ModelContext(container)
    let child = Tree(name: "child")
    context.insert(child)
    child.parent = Tree(name: "parent")
    try context.save()
    return (place, container)
  }

  private static func named(_ name: String) -> FetchDescriptor<Tree> {
    FetchDescriptor(predicate: #Predicate { $0.name == name })
  }

  private static let shared = Result {
    try ModelContainer(for: Tree.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private static func inMemory() throws -> (ModelContainer, ModelContext) {
    let container = try shared.get()
    let context = ModelContext(container)
    // An autosave would retain the context, and with it the models, on another thread.
    context.autosaveEnabled = false
    return (container, context)
  }
}

@Model private final class Tree {
  var name: String
  var size = 0
  @Relationship(inverse: \Tree.children) var parent: Tree?
  var children: [Tree] = []
  @Relationship(inverse: \Tree.liked) var likes: [Tree] = []
  var liked: [Tree] = []

  init(name: String) { self.name = name }
}
