import Foundation
import StrongroomData
import Testing

@Model private final class Scan {
  var name = ""
  @Attribute(.externalStorage) var data: Data?
  init() {}
}

@Suite("Bytes with external storage")
struct ExternalBytesTests {
  @Test("that were not read are nil when a model that was deleted elsewhere is stored again")
  func storedAgain() throws {
    let place = try Place()
    let container = try ModelContainer(
      for: Scan.self, configurations: ModelConfiguration(url: place.url, keyVault: place.vault))
    let (one, other) = (ModelContext(container), ModelContext(container))
    let scan = Scan()
    scan.data = Data(repeating: 7, count: 20_000)
    one.insert(scan)
    try one.save()
    let mine = try #require(try other.fetch(FetchDescriptor<Scan>()).first)
    one.delete(scan)
    try one.save()
    mine.name = "renamed"
    try other.save()
    #expect(mine.data == nil)
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Scan>()).first)
    #expect(stored.name == "renamed" && stored.data == nil)
  }
}
