import Foundation
import StrongroomData
import Synchronization
import Testing

/// Counts how often what a closure reads is told to have changed.
final class Watch: Sendable {
  private let told = Atomic<Int>(0)
  var count: Int { told.load(ordering: .relaxed) }

  func track<R>(_ body: () -> R) -> R {
    withObservationTracking(body) { self.told.add(1, ordering: .relaxed) }
  }
}

@Suite("Changes reach those who track models", .everyStoreKind)
struct ObservationTests {
  private func open() throws -> (Place, ModelContainer, ModelContext) {
    let place = try Place()
    let container = try place.container(for: Team.self)
    return (place, container, ModelContext(container))
  }

  @Test("A property that is set tells, others do not")
  func own() throws {
    let (place, _, context) = try open()
    defer { withExtendedLifetime(place) {} }
    let player = Player(name: "Ada")
    for isInserted in [false, true] {
      if isInserted { context.insert(player) }
      let watch = Watch()
      #expect(watch.track { player.name } == player.name)
      player.age += 1
      #expect(watch.count == 0)
      player.name += "!"
      #expect(watch.count == 1)
      player.name += "!"
      #expect(watch.count == 1)
    }
  }

  @Test("A destination that another context deletes tells those who read the relationship, of any kind")
  func deletedElsewhere() throws {
    let place = try Place()
    defer { withExtendedLifetime(place) {} }
    let container = try place.container(for: Reader.self, Paper.self)
    let context = ModelContext(container)
    context.managedObjectContext.automaticallyMergesChangesFromParent = true
    let reader = Reader()
    context.insert(reader)
    let papers = (0..<3).map { Paper(name: "\($0)") }
    for paper in papers { context.insert(paper) }
    reader.subscribed = papers
    reader.marked = papers
    try context.save()
    for (kind, path) in [("many-to-many", \Reader.subscribed), ("without inverse", \Reader.marked)] {
      let watch = Watch()
      let before = watch.track { reader[keyPath: path].count }
      let other = ModelContext(container)
      let sorted = FetchDescriptor<Paper>(sortBy: [SortDescriptor(\.name)])
      other.delete(try #require(try other.fetch(sorted).first))
      try other.save()
      context.processPendingChanges()
      #expect(reader[keyPath: path].count == before - 1, "\(kind)")
      #expect(watch.count == 1, "\(kind)")
    }
  }

  @Test("The other end of a relationship tells")
  func inverse() throws {
    let (place, _, context) = try open()
    defer { withExtendedLifetime(place) {} }
    let (reds, blues) = (Team(name: "Reds"), Team(name: "Blues"))
    let player = Player(name: "Ada")
    context.insert(reds)
    context.insert(blues)
    let red = Watch()
    #expect(red.track { reds.players.count } == 0)
    player.team = reds
    #expect(red.count == 1)
    let (again, blue, own) = (Watch(), Watch(), Watch())
    #expect(again.track { reds.players.count } == 1)
    #expect(blue.track { blues.players.count } == 0)
    #expect(own.track { player.team?.name } == "Reds")
    blues.players.append(player)
    #expect(again.count == 1 && blue.count == 1 && own.count >= 1)
    let deleted = Watch()
    #expect(deleted.track { blues.players.count } == 1)
    context.delete(player)
    #expect(deleted.count == 1 && blues.players.isEmpty)
  }

  @Test("Rolling back and undoing tell")
  func takenBack() throws {
    let (place, _, context) = try open()
    defer { withExtendedLifetime(place) {} }
    let player = Player(name: "Ada")
    context.insert(player)
    try context.save()
    player.name = "Bob"
    let rollback = Watch()
    #expect(rollback.track { player.name } == "Bob")
    context.rollback()
    #expect(rollback.count == 1 && player.name == "Ada")
    context.undoManager = UndoManager()
    player.name = "Cay"
    context.processPendingChanges()
    let undo = Watch()
    #expect(undo.track { player.name } == "Cay")
    context.undoManager?.undo()
    #expect(undo.count == 1 && player.name == "Ada")
  }

  @Test("What another context saves tells once it is taken in")
  @MainActor func merged() async throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    context.insert(Player(name: "Ada"))
    try context.save()
    let main = container.mainContext
    let shown = try #require(try main.fetch(FetchDescriptor<Player>()).first)
    let watch = Watch()
    #expect(watch.track { shown.name } == "Ada")
    let own = try #require(try context.fetch(FetchDescriptor<Player>()).first)
    own.name = "Bob"
    try context.save()
    for _ in 0..<8000 where watch.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(watch.count == 1 && shown.name == "Bob")
  }

  @Test("Firing a fault is no change to observers")
  func firing() throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    context.insert(Player(name: "Ada", team: Team(name: "Reds")))
    try context.save()
    let other = ModelContext(container)
    let player = try #require(try other.fetch(FetchDescriptor<Player>()).first)
    let watch = Watch()
    #expect(watch.track { player.team?.name } == "Reds")
    #expect(player.team?.players.count == 1)
    #expect(watch.count == 0)
  }
}

@Model private final class Reader {
  @Relationship(inverse: \Paper.readers) var subscribed: [Paper] = []
  var marked: [Paper] = []

  init() {}
}

@Model private final class Paper {
  var name: String
  var readers: [Reader] = []

  init(name: String) { self.name = name }
}
