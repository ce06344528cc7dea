import AppleStore
import Foundation
import Strongroom
import Testing

@Suite("A store compared with what was made of it")
struct ComparisonTests {
  @Test("does not differ, faults or not", arguments: ["made", "faulty"])
  func same(name: String) async throws {
    let place = try Place()
    let source = try AppleStore(url: place.copy(name))
    let summary = try await source.importStore(into: place.description)
    let result = try await source.comparison(with: place.description)
    let derived = result.differences.filter { $0.message.contains("derived") }
    #expect(result.differenceCount == (name == "faulty" ? 1 : 0) && derived.count == result.differenceCount)
    #expect(result.objectCount == summary.objectCount && result.byteCount > 1000)
  }

  @Test("differs where a value, a link, an order or an object does")
  func different() async throws {
    let place = try Place()
    let source = try AppleStore(url: place.copy("made"))
    _ = try await source.importStore(into: place.description)
    let container = try await place.open()
    let context = container.newContext()
    let folders = try context.fetch(FetchRequest("Folder"))
    let folder = try #require(folders.first { $0.objectID.reference == 2 })
    try folder.set("title", "changed")
    let favorites = try folder.objects("favorites")
    try folder.setObjects(Array(favorites.reversed()), forKey: "favorites")
    let tag = try #require(try context.fetch(FetchRequest("Tag")).first { $0.objectID.reference == 2 })
    try folder.remove(tag, from: "marks")
    try context.delete(#require(try context.fetch(FetchRequest("Passport")).first))
    try context.save()
    try container.close()
    let result = try await source.comparison(with: place.description)
    let places = Set(result.differences.map { "\($0.entity).\($0.property ?? "")" })
    #expect(places.isSuperset(of: ["Folder.title", "Folder.favorites", "Folder.marks", "Passport."]))
    #expect(result.differences.allSatisfy { !$0.description.contains("changed") })
  }

  @Test("is refused where it was made of another one")
  func other() async throws {
    let place = try Place()
    _ = try await AppleStore(url: place.copy("made")).importStore(into: place.description)
    let other = try AppleStore(url: place.copy("faulty"))
    await #expect { try await other.comparison(with: place.description) } throws: {
      ($0 as? AppleStoreError)?.code == .wrongSource
    }
  }
}
