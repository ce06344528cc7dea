import BuiltProgram
import Foundation
import Strongroom
import Testing

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .appendingPathComponent("../../../../shared/models").standardized

/// Published models, where they are at hand; the project's own fixtures are in ObjectModelTests.
@Suite("Published Core Data models", .enabled(if: FileManager.default.fileExists(atPath: folder.path)))
struct ModelFilesTests {
  private func tool(_ arguments: [String]) throws -> (code: Int32, lines: [String]) {
    let (code, output) = try BuiltProgram.run(arguments)
    return (code, output.split(separator: "\n").map(String.init))
  }

  @Test("every version makes a store that gives everything back, and is written and read again the same")
  func trial() throws {
    let result = try tool(["model", "try", folder.path])
    #expect(result.code == 0, "\(result.lines.suffix(20))")
    #expect(result.lines.last?.hasSuffix("differences 0") == true, "\(result.lines.suffix(20))")
  }

  @Test("the only errors are bundles without a model")
  func check() throws {
    let result = try tool(["model", "check", "--quiet", folder.path])
    let errors = result.lines.filter { $0.contains(": error: ") }
    #expect(errors.allSatisfy { $0.contains("there is no model") }, "\(errors)")
    #expect(result.lines.last?.hasSuffix("errors \(errors.count)") == true)
  }
}

extension ModelFilesTests {
  @Test("every fetch request and fetched property is read, printed, and answered")
  func predicates() async throws {
    var count = 0
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
    for file in files where file.lastPathComponent == "contents" {
      guard let model = try? ManagedObjectModel.load(contentsOf: file.deletingLastPathComponent()).model
      else { continue }
      let properties = model.entities.flatMap { $0.declaration.fetchedProperties.map(\.fetchRequest) }
      let templates = (model.declaration.fetchRequestTemplates + properties).filter {
        $0.predicateString?.isEmpty == false
      }
      if templates.isEmpty { continue }
      let container = PersistentContainer(
        name: "m", managedObjectModel: model,
        url: FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString),
        vault: InMemoryVault())
      try await container.loadPersistentStores()
      defer { try? container.persistentStoreCoordinator.persistentStore.close() }
      for template in templates {
        var request = try FetchRequest(template)
        let predicate = try #require(request.predicate)
        #expect(try FetchPredicate(format: predicate.formatText) == predicate)
        request.predicate = predicate.substituting { _ in .value(.null) }
        do {
          #expect(try container.newContext().fetch(request).isEmpty)
          count += 1
        } catch let error as QueryError where error.code == .unknownKey {
          // One published template asks for an attribute that its own entity does not have.
          #expect(error.message == "Person has no property lastName; did you mean lastname?")
        }
      }
    }
    #expect(count > 0)
  }
}
