import Foundation
import Strongroom
import Testing

#if DEBUG
  /// Debug builds stop a use of objects where their context is not, and say so.
  @Suite("An object off its context")
  struct IsolationTests {
    @Test("stops a debug build that takes it from the main actor")
    func mainActor() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let shelf = try await Shelf(inMemory: true)
        nonisolated(unsafe) var smuggled: ManagedObject?
        try await MainActor.run { smuggled = try shelf.container.viewContext.insert("Author") }
        _ = try smuggled?.get("name", as: String.self)
      }
      let told = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(told.contains("a Author") && told.contains("was used off its context"), "\(told)")
    }

    @Test("stops a debug build that keeps it after its turn")
    func background() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let shelf = try await Shelf(inMemory: true)
        let background = shelf.container.newBackgroundContext(name: "importer")
        nonisolated(unsafe) var smuggled: ManagedObject?
        try background.performAndWait { smuggled = try $0.insert("Author") }
        try smuggled?.set("name", "Jane")
      }
      let told = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(told.contains("was used off its context, importer") && !told.contains("Jane"), "\(told)")
    }

    @Test("is no trouble where it belongs")
    @MainActor
    func atHome() async throws {
      let shelf = try await Shelf(inMemory: true)
      let author = try shelf.container.viewContext.insert("Author")
      try author.set("name", "Jane")
      #expect(try author.get("name", as: String.self) == "Jane")
      let background = shelf.container.newBackgroundContext()
      try background.performAndWait { try $0.insert("Author").set("name", "Anne") }
      withExtendedLifetime(author) {}
    }
  }
#endif
