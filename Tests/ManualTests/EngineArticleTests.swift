import Strongroom
import Testing

/// The code of the engine's articles on objects, saves, keys and files.
@Suite("The engine's articles")
struct EngineArticleTests {
  private let place: Place

  init() throws { place = try Place() }

  private func open(_ description: PersistentStoreDescription) async throws -> PersistentContainer {
    let model = try ManagedObjectModel {
      Entity("Author") {
        Attribute("name", .string, optional: false)
        Relationship("books", toMany: "Book", inverse: "author")
      }
      Entity("Book") {
        Attribute("title", .string, optional: false)
        Attribute("pages", .integer32, default: 0)
        Relationship("author", to: "Author", inverse: "books")
      }
    }
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    return container
  }

  private func openShelf() async throws -> (PersistentContainer, ManagedObjectID) {
    let container = try await open(
      PersistentStoreDescription(url: place.file("library.strongroom"), vault: place.vault))
    let context = container.newContext()
    let book = try context.insert("Book")
    try book.set("title", "Emma")
    try book.set("pages", 474)
    try context.save()
    return (container, book.objectID)
  }

  @Test("ObjectsAndFaults.md")
  func faults() async throws {
    let (container, id) = try await openShelf()
    let context = container.newContext()
    let book = try context.object(with: id)  // no statement: a fault, whether there is a row or not
    print(book.isFault)  // true
    let title = try book.get("title", as: String.self)  // fires it
    print(book.isFault)  // false
    let same = try context.existingObject(with: id)  // reads the row, or throws objectNotFound
    let known = context.registeredObject(for: id)  // never a statement; nil when it is not registered
    #expect(title == "Emma" && same === book && known === book && !book.isFault)

    try book.set("pages", 500)
    print(try book.changedValues(), try book.committedValues(forKeys: ["pages"]))
    try context.refresh(book, mergeChanges: true)  // reads the row again, beneath the changes
    try context.refresh(book, mergeChanges: false)  // drops the changes: a fault
    context.refreshAllObjects()  // makes faults of all unchanged objects
    #expect(book.isFault && !context.hasChanges)
    #expect(try book.get("pages", as: Int.self) == 474)
  }

  @Test("SavingAndConflicts.md: a conflict and its error")
  func conflicts() async throws {
    let (container, id) = try await openShelf()
    let (context, other) = (container.newContext(), container.newContext())
    let book = try context.existingObject(with: id)
    try other.existingObject(with: id).set("pages", 512)
    try other.save()
    try book.set("title", "Emma, a novel")
    do {
      try context.save()
      Issue.record("a conflict is refused")
    } catch let error as ContextError where error.code == .conflict {
      #expect(error.conflicts.first?.persistedSnapshot?["pages"] == .integer(512))
      #expect(context.hasChanges)
    }
    do {
      try context.save()
    } catch let error as ContextError where error.code == .conflict {
      for conflict in error.conflicts {  // nothing was saved, and the changes are still in the context
        print(conflict.objectID, conflict.objectSnapshot, conflict.persistedSnapshot ?? [:])
      }
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()  // the title from here, the pages from the store
    }
    let fresh = try container.newContext().existingObject(with: id)
    #expect(try fresh.get("title") == "Emma, a novel")
    #expect(try fresh.get("pages") == 512)
  }

  @Test("SavingAndConflicts.md: broken rules, and a policy of one's own")
  func rules() async throws {
    let (container, id) = try await openShelf()
    let context = container.newContext()
    _ = try context.insert("Book")
    var rules: [String] = []
    do {
      try context.save()
    } catch let error as ContextError where error.code == .validation {
      for failure in error.failures { rules.append("\(failure)") }  // Book.title: is required
    }
    #expect(rules == ["Book.title: is required"])
    context.rollback()

    context.mergePolicy = .custom("more pages win") { conflict in
      guard case .integer(let here)? = conflict.objectSnapshot["pages"],
        case .integer(let stored)? = conflict.persistedSnapshot?["pages"]
      else { return .refuse }
      return here > stored ? .mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump
    }
    let other = container.newContext()
    let (mine, theirs) = (try context.existingObject(with: id), try other.existingObject(with: id))
    try theirs.set("pages", 600)
    try other.save()
    try mine.set("pages", 500)
    try context.save()
    #expect(try mine.get("pages") == 600)
  }

  @Test("StoresAndKeys.md")
  func keys() async throws {
    let (url, keys) = (place.file("library.strongroom"), place.file("keys"))
    let typed = Array("correct horse".utf8)
    let shown = place.file("shown")
    let show: @Sendable (UnsafeRawBufferPointer) -> Void = { try? Data($0).write(to: shown) }
    var description = PersistentStoreDescription(url: url, vault: KeyFileVault(url: keys))
    description.keyVaults.append(
      PassphraseVault(beside: url) { typed.withUnsafeBytes { SecretBytes($0) } })
    description.recoveryCodeHandler = { code in code.withText { show($0) } }
    let container = try await open(description)
    let first = try Data(contentsOf: shown)
    let store = container.persistentStoreCoordinator.persistentStores.first as? SQLCipherStore
    _ = try await store?.rotateKey()
    #expect(try await !SQLCipherStore.recoveryCodeWasShown(of: description))
    try await rotate(container, description, show)
    let second = try Data(contentsOf: shown)
    #expect(first.count == 71 && second.count == 71 && first != second)
    #expect(try await SQLCipherStore.recoveryCodeWasShown(of: description))
    try container.close()
    try await rotateClosed(description, show)
    #expect(try await SQLCipherStore.recoveryCodeWasShown(of: description))
    description.keyVaults.removeFirst()
    try await open(description).close()
  }

  private func rotate(
    _ container: PersistentContainer, _ description: PersistentStoreDescription,
    _ show: @Sendable (UnsafeRawBufferPointer) -> Void
  ) async throws {
    if let store = container.persistentStoreCoordinator.persistentStores.first as? SQLCipherStore {
      let rotation = try await store.rotateKey()
      rotation.recoveryCode.withText { show($0) }
      try await SQLCipherStore.noteRecoveryCodeShown(of: description)
    }
  }

  private func rotateClosed(
    _ description: PersistentStoreDescription, _ show: @Sendable (UnsafeRawBufferPointer) -> Void
  ) async throws {
    let rotation = try await SQLCipherStore.rotateKey(of: description)
    rotation.recoveryCode.withText { show($0) }  // the old code opens the store no more
    try await SQLCipherStore.noteRecoveryCodeShown(of: description)
  }

  @Test("FilesAndMaintenance.md")
  func files() async throws {
    let (container, _) = try await openShelf()
    let description = container.persistentStoreDescription
    let (url, copy) = (place.file("library.strongroom"), place.file("copy.strongroom"))
    let (original, vault) = (place.file("damaged.strongroom"), place.vault)
    try await SQLCipherStore.backUp(description, to: copy)  // of a store in use
    try container.close()
    let issues = try await SQLCipherStore.verify(description)  // every page and relationship
    if !issues.isEmpty {
      _ = try await SQLCipherStore.repair(description, keepingOriginalAt: original)
    }
    #expect(issues.isEmpty)
    let backup = PersistentStoreDescription(url: copy, vault: vault)
    try await SQLCipherStore.restore(from: backup, to: url, replacing: true)  // closed by all
    let sizes = try await SQLCipherStore.compact(description)  // gives back the room of deleted objects
    #expect(sizes.after <= sizes.before)
    let model = try await SQLCipherStore.storedModel(description)  // the file has its model
    let names = model.entities.map(\.name)
    #expect(names == ["Author", "Book"])
  }
}
