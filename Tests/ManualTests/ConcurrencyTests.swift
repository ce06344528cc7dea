import Foundation
import Strongroom
import StrongroomData
import Testing

enum Concurrency {
  @Model final class Chore {
    var title: String
    var isDone = false

    init(_ title: String) { self.title = title }
  }

  @ModelActor actor Importer {
    func add(_ titles: [String]) throws -> [PersistentIdentifier] {
      let chores = titles.map { Chore($0) }
      for chore in chores { modelContext.insert(chore) }
      try modelContext.save()
      return chores.map(\.persistentModelID)
    }

    func title(of id: PersistentIdentifier) -> String? { self[id, as: Chore.self]?.title }

    func finish(_ id: PersistentIdentifier) throws {
      self[id, as: Chore.self]?.isDone = true
      try modelContext.save()
    }
  }
}

extension Concurrency {
  @Suite("The manual: concurrency")
  struct Tests {
    @MainActor func rename(_ id: PersistentIdentifier, to title: String, in container: ModelContainer) {
      let chore = container.mainContext.model(for: id) as? Chore
      chore?.title = title  // saved soon
    }

    func count(in container: ModelContainer) throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor<Chore>())
    }

    @Test("The main context saves by itself")
    @MainActor func main() async throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      let importer = Importer(modelContainer: container)
      let id = try await importer.add(["Before"])[0]
      rename(id, to: "After", in: container)
      let main = container.mainContext
      for _ in 0..<8000 where main.hasChanges { try await Task.sleep(for: .milliseconds(5)) }
      let stored = ModelContext(container)
      #expect((stored.model(for: id) as? Chore)?.title == "After")
      #expect(main.autosaveEnabled && main.autosaveFailure == nil && !stored.autosaveEnabled)
    }

    @Test("An actor has a context of its own")
    func actors() async throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      let importer = Importer(modelContainer: container)
      let ids = try await importer.add(["Write", "Read"])
      try await importer.finish(ids[0])
      let title = await importer.title(of: ids[1])
      #expect(title == "Read" && ids.count == 2 && importer.modelContainer == container)
      #expect(try count(in: container) == 2)
      let context = ModelContext(container)
      #expect((context.model(for: ids[0]) as? Chore)?.isDone == true)
      #expect(importer.modelExecutor is DefaultSerialModelExecutor)
    }

    @Test("Saves are told by stream")
    func streams() async throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      let context = ModelContext(container)
      var told: (String?, Int) = (nil, 0)
      let saves = container.didSaveModels()
      context.author = "import"
      context.insert(Chore("Listen"))
      try context.save()
      for await changes in saves {
        told = (changes.author, changes.insertedIdentifiers.count)
        break
      }
      #expect(told == ("import", 1) && context.editingState.author == "import")
      context.editingState = EditingState(author: "somebody")
      #expect(context.author == "somebody")
    }

    @Test("Saves are told by notification")
    func notifications() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Chore.self))
      let chore = Chore("Old")
      context.insert(chore)
      try context.save()
      let (tally, before) = (Tally(), Tally())
      let observer = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave, object: context, queue: nil
      ) { note in
        let key = ModelContext.NotificationKey.updatedIdentifiers
        let updated = note.userInfo?[key] as? [PersistentIdentifier]
        tally.add(updated?.count ?? 0)
      }
      let early = NotificationCenter.default.addObserver(
        forName: ModelContext.willSave, object: context, queue: nil
      ) { _ in before.add() }
      defer { for token in [observer, early] { NotificationCenter.default.removeObserver(token) } }
      chore.title = "New"
      #expect(context.changedModelsArray.map(\.persistentModelID) == [chore.persistentModelID])
      try context.save()
      #expect(tally.value == 1 && before.value == 1)
    }

    @Test("What a context sees of what another one saves")
    @MainActor func contexts() async throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      let all = FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.title)])
      let writer = ModelContext(container)
      for title in ["Mow", "Sow"] { writer.insert(Chore(title)) }
      try writer.save()
      let (main, reader, follower) = (container.mainContext, ModelContext(container), ModelContext(container))
      follower.managedObjectContext.automaticallyMergesChangesFromParent = true
      let following = try ResultsObserver(fetchDescriptor: all, modelContext: follower)
      let shown = try [main, reader, follower].map { try $0.fetch(all) }
      for chores in shown { #expect(chores.map(\.title) == ["Mow", "Sow"]) }
      let live = try ResultsObserver(fetchDescriptor: all, modelContext: reader)
      shown[1][1].isDone = true

      let chores = try writer.fetch(all)
      chores[0].title = "Thresh"
      chores[1].title = "Reap"
      writer.insert(Chore("Bind"))
      #expect(try reader.fetchCount(all) == 2)
      try writer.save()
      for _ in 0..<8000 where shown[0][0].title != "Thresh" { try await Task.sleep(for: .milliseconds(5)) }
      // The main context has them; the others have what they read.
      #expect(shown[0].map(\.title) == ["Thresh", "Reap"])
      #expect(shown[1].map(\.title) == ["Mow", "Sow"] && shown[2].map(\.title) == ["Mow", "Sow"])
      // A fetch brings new values of unchanged models; a changed one has its own until it is saved.
      #expect(try reader.fetch(all).map(\.title) == ["Bind", "Sow", "Thresh"])
      #expect(shown[1].map(\.title) == ["Thresh", "Sow"])
      try reader.save()
      #expect(shown[1].map(\.title) == ["Thresh", "Reap"] && shown[1][1].isDone)
      #expect(!live.results.map(\.title).contains("Bind"))
      // One that merges does so when it is next used.
      #expect(following.results.map(\.title) == ["Mow", "Sow"])
      follower.processPendingChanges()
      #expect(following.results.map(\.title) == ["Bind", "Reap", "Thresh"])
      #expect(shown[2].map(\.title) == ["Thresh", "Reap"])

      writer.delete(chores[0])
      try writer.save()
      for _ in 0..<8000 where !shown[0][0].isDeleted { try await Task.sleep(for: .milliseconds(5)) }
      #expect(shown[0][0].isDeleted)
      #expect(try reader.fetch(all).map(\.title) == ["Bind", "Reap"])
      #expect(!shown[1][0].isDeleted && shown[1][0].title == "Thresh")
    }

    @Test("What another process saves comes into the main context")
    @MainActor func processes() async throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      var told: [String] = []
      let live = try ResultsObserver(
        sortBy: [SortDescriptor<Chore>(\.title)], modelContext: container.mainContext)
      live.onChanges = { changes in
        for change in changes {
          switch change {
          case .insert(let chore, let place): told.append("\(chore.title) is new at \(place)")
          case .delete(_, let place): told.append("\(place) is gone")
          case .move(let chore, let from, let to): told.append("\(chore.title): \(from) to \(to)")
          case .update(let chore, let place): told.append("\(chore.title) at \(place) changed")
          }
        }
      }
      // A container of its own is to this one what another process is.
      let other = ModelContext(try place.container(for: Chore.self))
      let chores = ["Mow", "Sow", "Reap"].map { Chore($0) }
      for chore in chores { other.insert(chore) }
      try other.save()
      func wait(_ wanted: [String]) async throws {
        for _ in 0..<8000 where live.results.map(\.title) != wanted {
          try await Task.sleep(for: .milliseconds(5))
        }
        #expect(live.results.map(\.title) == wanted)
      }
      try await wait(["Mow", "Reap", "Sow"])
      chores[0].title = "Thresh"
      other.delete(chores[2])
      try other.save()
      try await wait(["Sow", "Thresh"])
      #expect(
        told == [
          "Mow is new at 0", "Reap is new at 1", "Sow is new at 2", "1 is gone", "Thresh: 0 to 1",
        ])
    }

    @Test("Commits of other processes are told by stream")
    func remoteChanges() async throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      let tally = Tally()
      let told = Task {
        var place: URL?
        for await configuration in container.remoteChanges() {
          place = configuration.url
          break
        }
        tally.add()
        return place
      }
      let other = ModelContext(try place.container(for: Chore.self))
      // The task may begin to listen after the first commit.
      while tally.value == 0 {
        other.insert(Chore("Mow"))
        try other.save()
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(await told.value == container.configurations.first?.url)
    }

    @Test("What two contexts changed in one model is kept, property by property")
    func conflicts() throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      let context = ModelContext(container)
      let chore = Chore("Old")
      context.insert(chore)
      try context.save()
      let id = chore.persistentModelID
      let (one, other) = (ModelContext(container), ModelContext(container))
      let mine = one.model(for: id) as? Chore
      let theirs = other.model(for: id) as? Chore
      theirs?.isDone = true
      try other.save()
      mine?.title = "Both"
      try one.save()
      let fresh = ModelContext(container)
      let stored = fresh.model(for: id) as? Chore
      #expect(stored?.title == "Both" && stored?.isDone == true)
    }

    @Test("Taking back")
    func takingBack() throws {
      let place = try Place()
      let container = try place.container(for: Chore.self)
      let context = ModelContext(container)
      let chore = Chore("Old")
      context.insert(chore)
      try context.transaction {
        chore.title = "Kept"
      }
      chore.title = "Dropped"
      context.rollback()
      #expect(chore.title == "Kept" && !context.hasChanges)
      context.undoManager = UndoManager()
      chore.title = "New"
      context.processPendingChanges()
      context.undoManager?.undo()
      let undone = chore.title
      context.undoManager?.redo()
      #expect(undone == "Kept" && chore.title == "New")
    }
  }
}
