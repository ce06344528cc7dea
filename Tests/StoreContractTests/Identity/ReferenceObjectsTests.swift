import Foundation
import ObjectModel
import StoreContract
import Testing

@Suite("IDs of natural keys")
struct ReferenceObjectsTests {
  private func entities() throws -> [StoreEntity] {
    StoreEntity.all(
      of: try ManagedObjectModel {
        Entity("City") { Attribute("name", .string) }
        Entity("Capital", parent: "City") { Attribute("country", .string) }
        Entity("River") { Attribute("name", .string) }
      }, in: UUID())
  }

  @Test("A text has one number in every launch, and the number has the text")
  func both() throws {
    let entities = try entities()
    let (capital, city, river) = (entities[0], entities[1], entities[2])
    let (objects, later) = (ReferenceObjects(), ReferenceObjects())
    let oslo = objects.newObjectID(for: city, referenceObject: "Oslo")
    #expect(oslo.reference == 498_243_081_431_425_835)
    #expect(!oslo.isTemporaryID && oslo.entity.name == "City")
    #expect(objects.newObjectID(for: capital, referenceObject: "Oslo") == oslo)
    #expect(later.referenceObject(for: oslo) == nil)
    #expect(later.newObjectID(for: city, referenceObject: "Oslo") == oslo)
    #expect(later.referenceObject(for: oslo) == "Oslo")
    #expect(objects.referenceObject(for: oslo.reference, of: river.entity) == nil)
    let uuid = UUID()
    #expect(
      objects.referenceObject(for: objects.newObjectID(for: river, referenceObject: uuid)) == uuid.uuidString)
    #expect(objects.newObjectID(for: river) != objects.newObjectID(for: river))
  }

  @Test("Many texts have numbers of their own; texts of other bytes are others")
  func many() throws {
    let city = try entities()[1]
    let objects = ReferenceObjects()
    let texts = (0..<20_000).map { "key \($0)" } + ["", "\u{0}", "\u{E9}", "e\u{301}"]
    let ids = texts.map { objects.newObjectID(for: city, referenceObject: $0) }
    #expect(Set(ids).count == texts.count && ids.allSatisfy { $0.reference > 0 })
    for (text, id) in zip(texts, ids) {
      #expect(objects.referenceObject(for: id)?.utf8.elementsEqual(text.utf8) == true)
    }
  }
}
