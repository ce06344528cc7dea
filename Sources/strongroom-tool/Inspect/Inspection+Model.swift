import Foundation
import Strongroom
import StrongroomPostgres

extension Inspection {
  struct ShownAttribute: Encodable {
    let name, type: String
    let isOptional, isDerived, isLong: Bool
  }

  struct ShownRelationship: Encodable {
    let name, destination: String
    let inverse: String?
    let isToMany, isOrdered, isOptional: Bool
  }

  struct ShownEntity: Encodable {
    let name: String
    let parent: String?
    let isAbstract, hasWordIndex: Bool
    let attributes: [ShownAttribute]
    let relationships: [ShownRelationship]
  }

  struct ModelOutlineAnswer: Encodable {
    let store, title: String
    let isWritable: Bool
    let entities: [ShownEntity]
  }

  func modelOutline() -> ModelOutlineAnswer {
    ModelOutlineAnswer(
      store: name, title: title, isWritable: editor != nil,
      entities: model.entities.map { entity in
        ShownEntity(
          name: entity.name, parent: entity.superentity?.name, isAbstract: entity.isAbstract,
          hasWordIndex: (try? StoreQuery.checkWordIndex(entity)) != nil,
          attributes: entity.attributes.filter { !$0.isTransient }.map {
            ShownAttribute(
              name: $0.name, type: $0.type.rawValue, isOptional: $0.isOptional,
              isDerived: $0.derivation != nil, isLong: $0.isExternal)
          },
          relationships: entity.relationships.filter { !$0.isTransient }.map {
            ShownRelationship(
              name: $0.name, destination: $0.destination.name, inverse: $0.inverse?.name,
              isToMany: $0.isToMany, isOrdered: $0.isOrdered, isOptional: $0.isOptional)
          })
      })
  }

  /// The store's file, or its address without a password.
  private var name: String {
    let url = description.url
    guard description.isOnServer else { return url?.path ?? "" }
    return ServerAddressText.redacted(url?.absoluteString ?? "", [url?.absoluteString ?? ""])
  }

  /// The file's name, or the database and the schema on a server.
  private var title: String {
    let url = description.url
    guard description.isOnServer else { return url?.lastPathComponent ?? "" }
    let schema = "schema \(description.serverSchema)"
    let database = ServerAddressText(url?.absoluteString ?? "")?.database
    return database.map { "\($0), \(schema)" } ?? schema
  }

  /// The number of objects of every entity, those of its subentities among them.
  func counts() throws -> [String: Int] {
    let context = context
    var counts: [String: Int] = [:]
    for entity in model.entities { counts[entity.name] = try context.count(for: FetchRequest(entity.name)) }
    return counts
  }
}
