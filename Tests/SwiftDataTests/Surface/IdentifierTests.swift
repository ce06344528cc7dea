// What identifies models: compared, ordered, coded and sent.

import Foundation
import SwiftData
import Testing

@Suite("Identifiers")
struct IdentifierTests {
  private let context: ModelContext
  private let ids: [PersistentIdentifier]

  init() throws {
    context = try ModelContext.harbor()
    let harbors = [Harbor("Brest"), Harbor("Calais")]
    for harbor in harbors {
      context.insert(harbor)
      try context.save()
    }
    ids = harbors.map(\.persistentModelID)
  }

  /// The same identifiers, of a context of its own.
  private func again() throws -> [PersistentIdentifier] {
    let other = ModelContext(context.container)
    return try other.fetchIdentifiers(FetchDescriptor<Harbor>(sortBy: [SortDescriptor(\.name)]))
  }

  @Test("Identifiers of one model are equal in all contexts, and in the order of insertion")
  func comparison() throws {
    let same = try again()
    try expectHashed(ids[0] as PersistentIdentifier as any Hashable, same[0], ids[1])
    try expectOrdered(ids[0] as PersistentIdentifier as any Comparable, same[1])
    #expect(ids[0] < ids[1] && !(ids[1] < ids[0]))
    let new = Harbor("Dover")
    context.insert(new)
    #expect(new.persistentModelID != ids[0] && new.persistentModelID.isTemporary && !ids[0].isTemporary)
  }

  @Test("An identifier that was written and read finds its model")
  func coding() async throws {
    let read = try #require(try coded(ids[1] as PersistentIdentifier as any Codable) as? PersistentIdentifier)
    #expect(read == ids[1] && read.entityName == "Harbor" && read.storeIdentifier == ids[1].storeIdentifier)
    #expect((ModelContext(context.container).model(for: read) as? Harbor)?.name == "Calais")
    let other = await sent(ids[1] as PersistentIdentifier as any Sendable)
    #expect(other as? PersistentIdentifier == ids[1])
  }

  @Test("The identity of an identifier is its own")
  func identityOfIdentifiers() async throws {
    let same = try again()
    let one: PersistentIdentifier.ID = ids[0].id
    try expectHashed(one as PersistentIdentifier.ID as any Hashable, same[0].id, ids[1].id)
    #expect(identity(ids[0] as PersistentIdentifier as any Identifiable) == AnyHashable(one))
    let other = await sent(one as PersistentIdentifier.ID as any Sendable)
    #expect(other as? PersistentIdentifier.ID == one)
  }
}
