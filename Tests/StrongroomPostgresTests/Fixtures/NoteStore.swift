import Foundation
import ObjectModel
import ObjectQuery
import StoreContract
import StrongroomPostgres
import Testing

/// A store of notes, which are counted.
struct NoteStore: Sendable {
  let store: PostgresStore
  let entity: EntityDescription

  init(
    _ url: URL, schema: String = "notes", more attributes: [String] = [],
    _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws {
    var note = Entity("Note") { Attribute("text", .string) }
    note.attributes += attributes.map { Attribute($0, .string) }
    let model = try ManagedObjectModel(ModelDeclaration(entities: [note]))
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: url)
    description.serverSchema = schema
    change(&description)
    store = try PostgresStore(model: model, description: description)
    entity = try #require(model.entity(named: "Note"))
    try await store.loadMetadata()
  }

  /// The address with more settings of libpq's.
  static func address(_ url: URL, _ more: [String: String]) throws -> URL {
    let items = more.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
    return try #require(URL(string: url.absoluteString + "&" + items.joined(separator: "&")))
  }

  /// Saves new notes, in one round trip where nothing is called before the commit.
  func save(_ texts: [String] = ["a"], beforeCommit: (() throws -> Void)? = nil) throws {
    let save = try insertion(texts)
    if let beforeCommit { return try store.save(save, beforeCommit: beforeCommit) }
    try store.save(save)
  }

  /// A save of new notes.
  func insertion(_ texts: [String]) throws -> SaveChangesRequest {
    var save = SaveChangesRequest()
    let builder = NodeBuilder()
    for (text, id) in zip(texts, try store.obtainPermanentIDs(for: texts.map { _ in entity })) {
      builder.begin(fieldCount: entity.fieldCount)
      try builder.set(entity.attributes[0], .string(text))
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    return save
  }

  /// A save that changes what another one has inserted.
  func change(_ insertion: SaveChangesRequest, _ text: String) throws -> SaveChangesRequest {
    var save = SaveChangesRequest()
    let builder = NodeBuilder()
    var changed = PropertyIndexSet()
    changed.insert(0)
    for old in insertion.inserted {
      builder.begin(fieldCount: entity.fieldCount)
      try builder.set(entity.attributes[0], .string(text))
      let node = builder.finish(old.storeEntity, reference: old.reference, version: old.version + 1)
      save.updated.append(UpdatedObject(node: node, changedFields: changed))
    }
    return save
  }

  /// The code that a save is refused with; nil where it is stored.
  func refusal(
    _ texts: [String] = ["a"], beforeCommit: (() throws -> Void)? = nil
  ) throws -> StoreError.Code? {
    do {
      try save(texts, beforeCommit: beforeCommit)
      return nil
    } catch let error as StoreError { return error.code }
  }

  var count: Int { get throws { try store.count(for: FetchRequest("Note")) } }

  var texts: [String] {
    get throws {
      try store.fetchNodes(FetchRequest("Note"), lookup: nil).map { node in
        if case .string(let text) = node.value(of: entity.attributes[0]) { text } else { "" }
      }
    }
  }
}
