import Foundation
import StrongroomData
import Testing

import struct ObjectContext.ContextError
import struct StoreContract.StoreError

@Suite("Values of models in pieces", .configuredStores)
struct ValuePiecesTests {
  @Model final class Film {
    var title: String
    @Attribute(.externalStorage) var data: Data
    @Attribute(.externalStorage) var trailer: Data?
    @Attribute(.unique) var digest: Data?
    var length: Int { data.count }

    init(title: String) {
      self.title = title
      data = Data()
    }
  }

  @Test("are what the models have, beside unsaved changes")
  func roundTrip() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Film.self))
    let film = Film(title: "Metropolis")
    context.insert(film)
    try context.save()
    #expect(try context.openValue(of: film, \.data).count == 0)
    #expect(try context.openValue(of: film, \.trailer) == nil)
    film.title = "unsaved"
    try context.writeValue(count: 20_000, to: film, \.data) { writer in
      for _ in 0..<2 { try writer.write(contentsOf: Data(repeating: 7, count: 10_000)) }
    }
    let file = place.url.appendingPathExtension("bytes")
    try Data([1, 2, 3]).write(to: file)
    try context.writeValue(contentsOf: file, to: film, \.trailer)
    #expect(film.data == Data(repeating: 7, count: 20_000) && film.trailer == Data([1, 2, 3]))
    #expect(film.title == "unsaved" && context.hasChanges)
    try context.save()
    let reader = try #require(try context.openValue(of: film, \.trailer))
    #expect(try reader.read(upToCount: 2) == Data([1, 2]) && reader.read(upToCount: 2) == Data([3]))
    reader.close()
    let other = ModelContext(context.container)
    let again = try #require(try other.fetch(FetchDescriptor<Film>()).first)
    #expect(again.title == "unsaved" && again.length == 20_000)
    try other.writeValue(contentsOf: file, to: again, \.data)
    try context.fetch(FetchDescriptor<Film>()).forEach { #expect($0.data == Data([1, 2, 3])) }
  }

  @Test("are refused with the reason where there can be none")
  func refused() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Film.self))
    let film = Film(title: "Metropolis")
    #expect(throws: SwiftDataError.missingModelContext) {
      try context.writeValue(count: 0, to: film, \.data) { _ in }
    }
    context.insert(film)
    func expectUnsaved() {
      #expect { try context.writeValue(count: 0, to: film, \.data) { _ in } } throws: {
        ($0 as? ContextError)?.code == .unsaved
      }
    }
    expectUnsaved()
    try context.save()
    film.data = Data([1])
    expectUnsaved()
    try context.save()
    context.delete(film)
    expectUnsaved()
    context.rollback()
    #expect { try context.writeValue(count: 0, to: film, \.digest) { _ in } } throws: {
      ($0 as? StoreError)?.code == .invalidValue
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.writeValue(count: 0, to: film, \Film.title.utf8Data) { _ in }
    }
    #expect(throws: SwiftDataError.missingModelContext) {
      _ = try ModelContext(context.container).openValue(of: film, \.data)
    }
    #expect(film.data == Data([1]))
  }
}

extension String {
  fileprivate var utf8Data: Data { Data(utf8) }
}
