// The types of a history, read as code does that knows them and as code does that knows their protocols only.

import Foundation
import SwiftData
import Testing

@Suite("Types of histories")
struct HistoryTypesTests {
  private let context: ModelContext
  private let id: PersistentIdentifier

  /// Three transactions: of two inserts, of an update and of a deletion.
  init() throws {
    context = try ModelContext.harbor()
    context.author = "mate"
    let anna = Trawler("Anna", length: 12)
    context.insert(anna)
    context.insert(Trawler("Bella"))
    try context.save()
    id = anna.persistentModelID
    anna.length = 13
    anna.owner = "Ada"
    try context.save()
    context.delete(anna)
    try context.save()
  }

  private func transactions() throws -> [DefaultHistoryTransaction] {
    try ModelContext(context.container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  private func inserts() throws -> [DefaultHistoryInsert<Trawler>] {
    try transactions()[0].changes.compactMap { change in
      guard case .insert(let insert) = change else { return nil }
      return insert as? DefaultHistoryInsert<Trawler>
    }
  }

  private func update() throws -> DefaultHistoryUpdate<Trawler> {
    guard case .update(let update)? = try transactions()[1].changes.first else { throw CancellationError() }
    return try #require(update as? DefaultHistoryUpdate<Trawler>)
  }

  private func delete() throws -> DefaultHistoryDelete<Trawler> {
    guard case .delete(let delete)? = try transactions()[2].changes.first else { throw CancellationError() }
    return try #require(delete as? DefaultHistoryDelete<Trawler>)
  }

  @Test("An insert says which model was inserted by which transaction")
  func insertion() throws {
    func facts<Insert: HistoryInsert>(_ insert: Insert) -> (String, Change) {
      let (number, transaction): (Insert.ChangeIdentifier, Insert.TransactionIdentifier) = (
        insert.changeIdentifier, insert.transactionIdentifier
      )
      return (
        "\(Insert.Model.self)", Change(insert.changedPersistentIdentifier, "\(number)", "\(transaction)")
      )
    }
    let inserts = try inserts()
    let number: DefaultHistoryInsert<Trawler>.ChangeIdentifier = inserts[0].changeIdentifier
    let transaction: DefaultHistoryInsert<Trawler>.TransactionIdentifier = inserts[0].transactionIdentifier
    #expect(inserts.count == 2 && inserts[1].changeIdentifier > number)
    #expect(
      try transaction == transactions()[0].transactionIdentifier
        && inserts.map(\.changedPersistentIdentifier).contains(id))
    let any: any HistoryInsert = inserts[0] as DefaultHistoryInsert<Trawler>
    let (type, change) = facts(any)
    #expect(type == "Trawler")
    #expect(change == Change(inserts[0].changedPersistentIdentifier, "\(number)", "\(transaction)"))
    try expectHashed(
      inserts[0] as DefaultHistoryInsert<Trawler> as any Hashable, try self.inserts()[0], inserts[1])
  }

  @Test("An update says which properties were set")
  func updating() throws {
    func facts<Update: HistoryUpdate>(_ update: Update) -> (String, Change, Set<PartialKeyPath<Update.Model>>)
    {
      let (number, transaction): (Update.ChangeIdentifier, Update.TransactionIdentifier) = (
        update.changeIdentifier, update.transactionIdentifier
      )
      let paths: [any Update.PropertyUpdate] = update.updatedAttributes
      return (
        "\(Update.Model.self)", Change(update.changedPersistentIdentifier, "\(number)", "\(transaction)"),
        Set(paths)
      )
    }
    let update = try update()
    let number: DefaultHistoryUpdate<Trawler>.ChangeIdentifier = update.changeIdentifier
    let transaction: DefaultHistoryUpdate<Trawler>.TransactionIdentifier = update.transactionIdentifier
    #expect(
      try transaction == transactions()[1].transactionIdentifier
        && transaction > transactions()[0].transactionIdentifier)
    let paths: [any DefaultHistoryUpdate<Trawler>.PropertyUpdate] = update.updatedAttributes
    #expect(Set(paths) == [\.length, \.owner])
    let (type, change, names) = facts(update)
    #expect(type == "Trawler" && names == [\.length, \.owner])
    #expect(change == Change(id, "\(number)", "\(transaction)"))
    let any: any HistoryUpdate<Trawler> = update as DefaultHistoryUpdate<Trawler>
    #expect(any.changedPersistentIdentifier == id && any.updatedAttributes.count == 2)

    let bella = try #require(try context.fetch(FetchDescriptor<Trawler>()).first)
    bella.length = 20
    try context.save()
    guard case .update(let later)? = try transactions()[3].changes.first else { throw CancellationError() }
    let other = try #require(later as? DefaultHistoryUpdate<Trawler>)
    try expectHashed(update as DefaultHistoryUpdate<Trawler> as any Hashable, try self.update(), other)
  }

  @Test("A deletion has a tombstone of the values that are preserved")
  func deletion() async throws {
    func facts<Delete: HistoryDelete>(_ delete: Delete) -> (String, Change, HistoryTombstone<Delete.Model>) {
      let (number, transaction): (Delete.ChangeIdentifier, Delete.TransactionIdentifier) = (
        delete.changeIdentifier, delete.transactionIdentifier
      )
      return (
        "\(Delete.Model.self)", Change(delete.changedPersistentIdentifier, "\(number)", "\(transaction)"),
        delete.tombstone
      )
    }
    let delete = try delete()
    let number: DefaultHistoryDelete<Trawler>.ChangeIdentifier = delete.changeIdentifier
    let transaction: DefaultHistoryDelete<Trawler>.TransactionIdentifier = delete.transactionIdentifier
    let (type, change, tombstone) = facts(delete)
    #expect(type == "Trawler" && change == Change(id, "\(number)", "\(transaction)"))
    #expect(tombstone[\.name] as? String == "Anna" && tombstone[\.length] as? Int == 13)
    #expect(tombstone[\.owner] == nil)
    let any = delete as DefaultHistoryDelete<Trawler> as any HistoryDelete
    #expect(any.changedPersistentIdentifier == id)

    let bella = try #require(try context.fetch(FetchDescriptor<Trawler>()).first)
    context.delete(bella)
    try context.save()
    guard case .delete(let later)? = try transactions()[3].changes.first else { throw CancellationError() }
    let other = try #require(later as? DefaultHistoryDelete<Trawler>)
    try expectHashed(delete as DefaultHistoryDelete<Trawler> as any Hashable, try self.delete(), other)
  }

  @Test("A tombstone is a sequence of its values")
  func tombstones() async throws {
    let tombstone: HistoryTombstone<Trawler> = try delete().tombstone
    let values: any Sequence = tombstone as HistoryTombstone<Trawler> as any Sequence
    #expect(values.map { "\($0)" } == ["Anna", "13"])
    var iterator: HistoryTombstone<Trawler>.Iterator = tombstone.makeIterator()
    let first: HistoryTombstone<Trawler>.Iterator.Element? = iterator.next()
    let second: HistoryTombstone<Trawler>.Element? = iterator.next()
    #expect(first as? String == "Anna" && second as? Int == 13 && iterator.next() == nil)
    var any: any IteratorProtocol = tombstone.makeIterator() as HistoryTombstone<Trawler>.Iterator
    #expect(any.next() as? String == "Anna")
    let other = await sent(tombstone as HistoryTombstone<Trawler> as any Sendable)
    #expect((other as? HistoryTombstone<Trawler>)?[\.name] as? String == "Anna")
  }

  @Test("A token is ordered, coded and sent, and says where it is")
  func tokens() async throws {
    func place<Token: HistoryToken>(_ token: Token) throws -> String {
      let value: Token.TokenType = try #require(token.tokenValue)
      return "\(value)"
    }
    let tokens = try transactions().map(\.token)
    let same = try transactions()[0].token
    try expectHashed(tokens[0] as DefaultHistoryToken as any Hashable, same, tokens[1])
    try expectOrdered(tokens[0] as DefaultHistoryToken as any Comparable, tokens[2])
    #expect(identity(tokens[0] as DefaultHistoryToken as any Identifiable) == AnyHashable(tokens[0].id))
    let id: DefaultHistoryToken.ID = same.id
    #expect(id == tokens[0].id && id != tokens[1].id)
    let any = tokens[1] as DefaultHistoryToken as any HistoryToken
    #expect(any.storeIdentifier == self.id.storeIdentifier)
    let value: DefaultHistoryToken.TokenType = try #require(tokens[1].tokenValue)
    #expect(try place(tokens[1]) == "\(value)" && value == [any.storeIdentifier: 2])

    let read = try coded(tokens[0] as DefaultHistoryToken as any Codable)
    let token = try #require(read as? DefaultHistoryToken)
    let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    #expect(try ModelContext(context.container).fetchHistory(later).map(\.token) == Array(tokens.dropFirst()))
    let other = await sent(tokens[0] as DefaultHistoryToken as any Sendable)
    #expect(other as? DefaultHistoryToken == tokens[0])
  }

  @Test("A transaction is identified by its number and store")
  func identities() throws {
    func facts<Transaction: HistoryTransaction>(_ transaction: Transaction) -> (String, String) {
      let number: Transaction.TransactionIdentifier = transaction.transactionIdentifier
      let token: Transaction.TokenType = transaction.token
      return ("\(number)", "\(token.id)")
    }
    let (all, again) = (try transactions(), try transactions())
    try expectHashed(all[0] as DefaultHistoryTransaction as any Hashable, again[0], all[1])
    #expect(identity(all[1] as DefaultHistoryTransaction as any Identifiable) == AnyHashable(all[1].id))
    let number: DefaultHistoryTransaction.TransactionIdentifier = all[2].transactionIdentifier
    let id: DefaultHistoryTransaction.ID = all[2].id
    let token: DefaultHistoryTransaction.TokenType = all[2].token
    #expect(number == 3 && id == number && token > all[1].token)
    #expect(facts(all[2]) == ("3", "\(token.id)"))
    #expect(all.allSatisfy { $0.author == "mate" })
  }
}

/// What a change of any type says.
private struct Change: Equatable {
  let model: PersistentIdentifier
  let number: String
  let transaction: String

  init(_ model: PersistentIdentifier, _ number: String, _ transaction: String) {
    (self.model, self.number, self.transaction) = (model, number, transaction)
  }
}
