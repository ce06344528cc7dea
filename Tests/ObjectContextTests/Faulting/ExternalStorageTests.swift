import Foundation
import Strongroom
import Testing

/// Long values of attributes that allow external storage, which come when they are asked for.
@Suite("External storage")
struct ExternalStorageTests {
  private let photo = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  private let other = Data(repeating: 7, count: 200_000)
  private let thumbnail = Data([1, 2, 3])

  private func shelf(inMemory: Bool = false) async throws -> Shelf {
    var photo = Attribute("photo", .binary)
    photo.allowsExternalBinaryDataStorage = true
    var scan = Attribute("scan", .transformable)
    scan.allowsExternalBinaryDataStorage = true
    var cover = Attribute("cover", .binary)
    cover.allowsExternalBinaryDataStorage = true
    let shelf = try await Shelf(
      try ManagedObjectModel {
        Entity("Item") { Attribute("title", .string) }
        Entity("Picture", parent: "Item") {
          photo
          scan
          Attribute("thumbnail", .binary)
          Attribute("place", .integer32)
          Relationship("album", to: "Album", inverse: "pictures")
        }
        Entity("Album") {
          cover
          Relationship("pictures", toMany: "Picture", inverse: "album")
          Relationship("wall", toMany: "Picture", ordered: true)
        }
      }, inMemory: inMemory)
    let context = shelf.container.newContext()
    let album = try context.insert("Album")
    try album.set("cover", self.photo)
    for index in 0..<10 {
      let picture = try context.insert("Picture")
      try picture.set("title", "p\(index)")
      try picture.set("photo", index == 9 ? thumbnail : self.photo)
      try picture.set("thumbnail", thumbnail)
      try picture.set("place", index)
      try picture.setObject(album, forKey: "album")
      if index < 3 { try album.add(picture, to: "wall") }
    }
    try context.save()
    return shelf
  }

  private func pictures(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    var request = FetchRequest("Picture")
    request.sortDescriptors = [FetchSortDescriptor("place")]
    return try context.fetch(request)
  }

  @Test("a long value is read once, when it is asked for, and a short one with its row")
  func lazily() async throws {
    let shelf = try await shelf()
    let context = shelf.container.newContext()
    let store = try shelf.container.persistentStoreCoordinator.persistentStore
    let all = try pictures(context)
    let before = try shelf.statements
    for picture in all { #expect(try picture.get("thumbnail") == thumbnail) }
    #expect(try all[9].get("photo") == thumbnail)
    #expect(try all[9].get("scan", as: Data.self) == nil)
    #expect(try shelf.statements == before)
    let field = try #require(all[0].entity.attribute(named: "photo")).field
    let row = try store.newValues(for: all[0].objectID)
    #expect(row.isUnread(field) && !row.isNull(field) && row.byteCount < 1000)

    let counted = try shelf.statements
    #expect(try all[0].get("photo") == photo)
    #expect(try all[0].get("photo") == photo)
    #expect(try all[0].committedValues()["photo"] == .data(photo))
    let index = try shelf.index("Picture", "photo")
    #expect(all[1].data(index) == photo)
    #expect(all[2].withBytes(index) { $0.elementsEqual(photo) })
    #expect(!all[3].isNull(index))
    #expect(try shelf.statements == counted + 3)
  }

  @Test("what is not read is not lost by a save of the rest", arguments: [true, false])
  func saving(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let all = try pictures(context)
    for picture in all { try picture.set("title", "renamed") }
    try all[1].set("photo", other)
    try all[2].set("photo", Data?.none)
    try context.save()
    #expect(try all[0].get("photo") == photo)
    try all[3].set("title", "again")
    #expect(try all[3].changedValues() == ["title": .string("again")])
    #expect(try all[3].get("photo") == photo)
    try context.save()

    let again = shelf.container.newContext()
    let fresh = try pictures(again)
    #expect(try fresh.allSatisfy { try $0.get("title") == ($0 == fresh[3] ? "again" : "renamed") })
    let photos = try fresh.map { try $0.get("photo", as: Data.self) }
    #expect(photos[1] == other && photos[2] == nil && photos[9] == thumbnail)
    #expect([0, 3, 4, 5, 6, 7, 8].allSatisfy { photos[$0] == photo })
  }

  @Test("a value that changed meanwhile is the new one, and saving a changed object is a conflict")
  func meanwhile() async throws {
    let shelf = try await shelf()
    let (first, second) = (shelf.container.newContext(), shelf.container.newContext())
    let mine = try pictures(first)
    _ = try mine[0].get("title", as: String.self)
    try mine[1].set("title", "mine")
    for theirs in try pictures(second).prefix(2) {
      try theirs.set("photo", other)
      try theirs.set("title", "theirs")
    }
    try second.save()
    #expect(try mine[0].get("photo") == other)
    #expect(try mine[0].get("title") == "theirs")
    #expect(try mine[1].get("photo") == other)
    #expect(try mine[1].get("title") == "mine")
    #expect(throws: ContextError.self) { try first.save() }
  }

  @Test("an object that has the new row has its relationships too, so that a save writes over nothing")
  func relationships() async throws {
    let shelf = try await shelf()
    let (first, second) = (shelf.container.newContext(), shelf.container.newContext())
    func wall(_ album: ManagedObject) throws -> [Int] {
      try album.objects("wall").map { try $0.get("place") ?? -1 }
    }
    let mine = try #require(try first.fetch(FetchRequest("Album")).first)
    #expect(try wall(mine) == [0, 1, 2])
    let theirs = try #require(try second.fetch(FetchRequest("Album")).first)
    try theirs.setObjects(try theirs.objects("wall").reversed(), forKey: "wall")
    try second.save()
    #expect(try mine.get("cover") == photo)
    #expect(try wall(mine) == [2, 1, 0])
  }

  @Test("queries see the values, in SQL and in memory, and columns bring them", arguments: [true, false])
  func querying(inMemory: Bool) async throws {
    let shelf = try await shelf(inMemory: inMemory)
    let context = shelf.container.newContext()
    let same = FetchPredicate.compare("photo", .equal, .data(photo))
    #expect(try context.count(for: FetchRequest("Picture", where: same)) == 9)
    try context.fetch(FetchRequest("Picture"))[0].setValue(.string("unsaved"), forKey: "title")
    #expect(try context.fetch(FetchRequest("Picture", where: same)).count == 9)
    var columns = FetchRequest("Picture")
    columns.propertiesToFetch = [ExpressionDescription("photo")]
    let lengths = try context.fetchRows(columns) { $0.data(0).count }
    #expect(lengths.sorted() == [3] + Array(repeating: 300_000, count: 9))
    let album = try #require(try context.fetch(FetchRequest("Album")).first)
    #expect(try album.objects("pictures").filter { try $0.get("photo") == photo }.count == 9)
  }
}
