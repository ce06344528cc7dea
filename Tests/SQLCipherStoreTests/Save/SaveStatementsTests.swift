import ObjectModel
import ObjectQuery
import StoreContract
import StoreKeyring
import Testing

@testable import SQLCipherStore

@Suite("The statements of saves")
struct SaveStatementsTests {
  @Test(
    "insert many objects together, and name the one that breaks a constraint", arguments: [0, 1, 57, 149])
  func together(place: Int) async throws {
    let scratch = try Scratch()
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("key", .integer64)
        Relationship("others", toMany: "Note", inverse: "others")
        UniquenessConstraint("key")
      }
    }
    let store = try SQLCipherStore(
      model: model, description: PersistentStoreDescription(url: scratch.store, vault: InMemoryVault()))
    try await store.loadMetadata()
    let entity = store.storeEntities[0].entity
    let ids = try store.obtainPermanentIDs(for: Array(repeating: entity, count: 150))
    let key = try #require(entity.attribute(named: "key"))
    func save(_ keys: [Int64]) throws {
      let builder = NodeBuilder()
      var save = SaveChangesRequest()
      save.inserted = try zip(ids, keys).map { id, value in
        builder.begin(fieldCount: entity.fieldCount)
        try builder.set(key, .integer(value))
        return builder.finish(id.storeEntity, reference: id.reference, version: 1)
      }
      var links = RelationshipChanges(relationship: try #require(entity.relationship(named: "others")))
      links.added = ids.dropFirst().map { .init(source: $0.reference, destination: ids[0].reference) }
      save.relationshipChanges = [links]
      try store.save(save)
    }
    var keys = (0..<150).map { Int64($0) }
    keys[place] = place == 0 ? 1 : 0
    // A row that is equal to a later one is stored first.
    let named = max(place, 1)
    #expect { try save(keys) } throws: {
      ($0 as? StoreError)?.code == .notUnique && ($0 as? StoreError)?.objectIDs == [ids[named]]
    }
    #expect(try store.count(for: FetchRequest("Note")) == 0)
    keys[place] = Int64(place)
    let before = store.executedStatements
    try save(keys)
    // 150 rows of four parameters are three statements of 50, 149 links three of 45 and 14 of one.
    #expect(store.executedStatements - before < 30)
    #expect(try store.count(for: FetchRequest("Note")) == 150)
  }

  @Test("however many sets of properties change, no more than a bound")
  func bound() throws {
    var wide = Entity("Wide")
    for index in 0..<20 { wide.attributes.append(Attribute("a\(index)", .integer64)) }
    let model = try ManagedObjectModel(ModelDeclaration(entities: [wide]))
    let entity = try #require(model.entity(named: "Wide"))
    let statements = SaveStatements(StoreSchema(model: model, entityNumbers: [1]))
    for mask in 1...3 * SaveStatements.most {
      var fields = PropertyIndexSet()
      for index in 0..<20 where mask & (1 << index) != 0 { fields.insert(index) }
      let text = statements.update(fields, of: entity)
      #expect(statements.update(fields, of: entity) === text)
    }
    #expect(statements.count <= SaveStatements.most)
  }
}
